import { z } from 'zod'
import { readAnswer } from './api/github-client.ts'
import { isStatus } from './api/github-error.ts'
import { below, branchName, commitSha, environmentName, filePath, isWorkflowPath, secretNames } from './api/names.ts'
import {
  deployWorkflow,
  neededSecrets,
  reportSecrets,
  workflowFile,
  workflowPath,
  reportKey,
} from './deploy-workflow.ts'
import { projectId, route } from './github-route.ts'
import type { GitHubParts } from './github-route.ts'
import { commitFiles } from './api/commit-files.ts'
import { putSecrets, readSecretsKey, sealedKeyBytes } from './api/put-secrets.ts'
import { parseAddress } from '../../flow/address.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Route } from '../../platform/http/route.ts'

const maxFiles = 500
const maxCommitBytes = 6 * 1024 * 1024

const text = (max: number): z.ZodString =>
  z.string().min(1, 'must not be empty').max(max, `must have at most ${max} characters`)
const change = z
  .strictObject({
    path: filePath,
    content: z
      .string()
      .refine((content) => content.isWellFormed(), 'must be well-formed Unicode')
      .optional(),
    action: z.enum(['create', 'update', 'delete', 'put']),
  })
  .refine(
    ({ content, action }) => (content === undefined) === (action === 'delete'),
    'must have content, unless its action is delete',
  )
/** The length distinguishes a sealed key from plain text. */
const sealedKey = z
  .base64('must be base64')
  .refine(
    (value) => Buffer.byteLength(value, 'base64') === sealedKeyBytes,
    `must be a sealed box of a private key of 64 hex digits (${sealedKeyBytes} bytes)`,
  )
const expectedHead = commitSha.nullable().optional()

const pullSchema = z.strictObject({ pr_number: z.int(), pr_url: z.string(), is_new: z.boolean() })

export const writeRoutes: readonly Route<GitHubParts>[] = [
  route({
    method: 'POST',
    path: '/github/commit',
    operationId: 'commitFiles',
    tag: 'Repositories',
    summary: 'Commit files to a branch',
    access: 'user',
    response: z.strictObject({ sha: z.string(), message: z.string(), url: z.string() }),
    maxBodyBytes: maxCommitBytes,
    body: z.strictObject({
      project_id: projectId,
      branch: branchName.optional(),
      message: text(5000),
      files: z.array(change).min(1, 'must have a file').max(maxFiles, `must have at most ${maxFiles} files`),
      expected_head: expectedHead,
    }),
    handler: async ({ caller: userId, body: input }, { access, connections }) => {
      const repository = await access.ofProject(userId, input.project_id)
      const { owner, repo, connection } = repository
      const branch = input.branch ?? connection.branch
      const files = input.files.map(({ path, content, action }) => ({
        path: below(connection.path, path),
        content,
        action,
      }))
      if (new Set(files.map(({ path }) => path)).size < files.length)
        throw new ApiError(400, 'invalid-field', 'Field "files" contains a path twice.', { field: 'files' })
      const workflow = files.find(({ path }) => isWorkflowPath(path))
      if (workflow !== undefined)
        throw new ApiError(
          422,
          'workflow-file',
          `${workflow.path} runs with the secrets of the repository. Change it with POST /github/workflow or on ` +
            'GitHub.',
          { field: 'files' },
        )
      const made = await commitFiles(await access.open(repository, 'write', { contents: 'write' }), {
        owner,
        repo,
        branch,
        message: input.message,
        files,
        expectedHead: input.expected_head,
      })
      await connections.setCommit(connection.id, branch, made.sha)
      return { body: made }
    },
  }),
  route({
    method: 'POST',
    path: '/github/workflow',
    operationId: 'createWorkflow',
    tag: 'Repositories',
    summary: 'Commit the workflow that deploys the project',
    access: 'user',
    response: z.strictObject({ sha: z.string(), workflow_path: z.string(), secrets_needed: z.array(z.string()) }),
    body: z.strictObject({ project_id: projectId, expected_head: expectedHead }),
    handler: async ({ caller: userId, body: input }, { access, connections, environments }) => {
      const repository = await access.ofProject(userId, input.project_id)
      const { owner, repo, connection } = repository
      // Secrets belong to an environment: create one for the branch of the project.
      if ((await environments.list(connection.id)).length === 0)
        await environments.put(connection.id, {
          name: connection.network,
          branch: connection.branch,
          network: connection.network,
          isDefault: true,
        })
      const all = await environments.list(connection.id)
      const content = deployWorkflow(all, connection.path)
      const call = await access.open(repository, 'write', { contents: 'write', workflows: 'write' })
      const { sha } = await commitFiles(call, {
        owner,
        repo,
        branch: connection.branch,
        message: 'Deploy pushes to Flow',
        files: [{ path: workflowPath, content, action: 'put' }],
        expectedHead: input.expected_head,
      })
      await connections.setWorkflow(connection.id, workflowPath)
      await connections.setCommit(connection.id, connection.branch, sha)
      return { body: { sha, workflow_path: workflowPath, secrets_needed: [...neededSecrets(all)] } }
    },
  }),
  route({
    path: '/github/secrets/key',
    operationId: 'getSecretsKey',
    tag: 'Repositories',
    summary: 'The public key that seals secrets',
    access: 'user',
    response: z.strictObject({ key_id: z.string(), key: z.string() }),
    query: z.object({ project_id: projectId }),
    handler: async ({ caller: userId, query: input }, { access }) => {
      const repository = await access.ofProject(userId, input.project_id)
      const { keyId, key } = await readSecretsKey(
        await access.open(repository, 'admin', { secrets: 'read' }),
        repository,
      )
      return { body: { key_id: keyId, key } }
    },
  }),
  route({
    method: 'POST',
    path: '/github/secrets',
    operationId: 'putSecrets',
    tag: 'Repositories',
    summary: 'Store the sealed key of an environment',
    access: 'user',
    response: z.strictObject({ success: z.boolean(), secrets: z.array(z.string()) }),
    body: z.strictObject({
      project_id: projectId,
      environment_name: environmentName,
      flow_address: z.string().max(20),
      flow_key_index: z.number().int('must be a whole number').min(0).max(1_000_000),
      key_id: text(100),
      encrypted_private_key: sealedKey,
      flow_private_key: z
        .never(
          'is not accepted: seal the key with the public key of GET /github/secrets/key and send it as ' +
            'encrypted_private_key',
        )
        .optional(),
    }),
    handler: async ({ caller: userId, body: input }, { access, environments, app, editorUrl }) => {
      const address = parseAddress(input.flow_address)
      if (address === undefined)
        throw new ApiError(400, 'invalid-field', 'Field "flow_address" must be 16 hex digits.', {
          field: 'flow_address',
        })
      const repository = await access.ofProject(userId, input.project_id)
      const { connection } = repository
      const environment = (await environments.list(connection.id)).find(({ name }) => name === input.environment_name)
      if (environment === undefined)
        throw new ApiError(
          404,
          'no-environment',
          `The project has no environment "${input.environment_name}". Create it first.`,
          { field: 'environment_name' },
        )
      const names = secretNames(environment.name)
      const sealed = { [names.privateKey]: { keyId: input.key_id, encryptedValue: input.encrypted_private_key } }
      const own = {
        [names.address]: address,
        [names.keyIndex]: String(input.flow_key_index),
        ...(app.webhookSecret === undefined
          ? {}
          : {
              [reportSecrets.url]: `${editorUrl}/github/webhook/deploy?connection=${connection.id}`,
              [reportSecrets.key]: reportKey(app.webhookSecret, connection),
            }),
      }
      await putSecrets(await access.open(repository, 'admin', { secrets: 'write' }), repository, { sealed, own })
      await environments.noteSecrets(connection.id, environment.name, address, input.flow_key_index)
      return { body: { success: true, secrets: [...Object.keys(sealed), ...Object.keys(own)] } }
    },
  }),
  route({
    method: 'POST',
    path: '/github/promote',
    operationId: 'promote',
    tag: 'Repositories',
    summary: 'Open a pull request from one branch to another',
    access: 'user',
    response: pullSchema,
    body: z.strictObject({
      project_id: projectId,
      from_branch: branchName,
      to_branch: branchName,
      title: text(200).optional(),
    }),
    handler: async (
      { caller: userId, body: { project_id: project, from_branch: head, to_branch: base, title } },
      { access },
    ) => {
      if (head === base)
        throw new ApiError(400, 'invalid-field', 'Field "to_branch" must be another branch than from_branch.', {
          field: 'to_branch',
        })
      const repository = await access.ofProject(userId, project)
      const { owner, repo } = repository
      const call = await access.open(repository, 'write', { contents: 'read', pull_requests: 'write' })
      const pull = z.object({ number: z.number(), html_url: z.string() })
      const present = ({ number, html_url: url }: z.output<typeof pull>, isNew: boolean) => ({
        pr_number: number,
        pr_url: url,
        is_new: isNew,
      })
      try {
        return {
          body: present(
            readAnswer(
              pull,
              await call('POST /repos/{owner}/{repo}/pulls', {
                owner,
                repo,
                head,
                base,
                title: title ?? `Promote ${head} to ${base}`,
              }),
            ),
            true,
          ),
        }
      } catch (error) {
        if (!isStatus(error, 422)) throw error
        // GitHub also returns 422 if an open pull request exists.
        const [open] = readAnswer(
          z.array(pull),
          await call('GET /repos/{owner}/{repo}/pulls', { owner, repo, state: 'open', head: `${owner}:${head}`, base }),
        )
        if (open === undefined) throw error
        return { body: present(open, false) }
      }
    },
  }),
  route({
    method: 'POST',
    path: '/github/dispatch',
    operationId: 'dispatchWorkflow',
    tag: 'Repositories',
    summary: 'Start the deploy workflow',
    access: 'user',
    response: z.strictObject({ dispatched: z.boolean(), action: z.string(), commit_sha: z.string().nullable() }),
    body: z.strictObject({
      project_id: projectId,
      branch: branchName.optional(),
      action: z.enum(['deploy', 'dry-run', 'rollback'], 'must be deploy, dry-run or rollback'),
      commit_sha: commitSha.optional(),
    }),
    handler: async ({ caller: userId, body: { project_id: project, branch, action, commit_sha: sha } }, { access }) => {
      if (action === 'rollback' && sha === undefined)
        throw new ApiError(400, 'invalid-field', 'Field "commit_sha" is required for a rollback.', {
          field: 'commit_sha',
        })
      if (action !== 'rollback' && sha !== undefined)
        throw new ApiError(400, 'invalid-field', 'Field "commit_sha" is only for a rollback.', { field: 'commit_sha' })
      const repository = await access.ofProject(userId, project)
      const { owner, repo, connection } = repository
      if (connection.workflowPath === null)
        throw new ApiError(
          409,
          'no-workflow',
          'The repository has no deploy workflow. Create it with POST /github/workflow.',
        )
      const call = await access.open(repository, 'write', { actions: 'write' })
      await call('POST /repos/{owner}/{repo}/actions/workflows/{workflow}/dispatches', {
        owner,
        repo,
        workflow: workflowFile,
        ref: branch ?? connection.branch,
        inputs: { action, ...(sha === undefined ? {} : { commit_sha: sha }) },
      })
      return { body: { dispatched: true, action, commit_sha: sha ?? null } }
    },
  }),
]
