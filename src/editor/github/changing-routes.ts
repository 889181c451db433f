import type { Router } from '@koa/router'
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
import { addOwnRoute } from './own-route.ts'
import type { GitHubParts } from './own-route.ts'
import { commitFiles } from './api/commit-files.ts'
import { putSecrets, readSecretsKey, sealedKeyBytes } from './api/put-secrets.ts'
import { parseAddress } from '../../flow/address.ts'
import { ApiError } from '../../platform/errors.ts'
import type { RequestState } from '../../platform/http/requests.ts'

const projectId = z.uuid('has to be the id of a project')
const maxFiles = 500
const maxCommitBytes = 6 * 1024 * 1024

const text = (max: number): z.ZodString =>
  z.string().min(1, 'has to have some text').max(max, `has to have at most ${max} characters`)
const change = z
  .strictObject({
    path: filePath,
    content: z
      .string()
      .refine((content) => content.isWellFormed(), 'has to be well-formed Unicode')
      .optional(),
    action: z.enum(['create', 'update', 'delete', 'put']),
  })
  .refine(
    ({ content, action }) => (content === undefined) === (action === 'delete'),
    'has to have content, unless its action is delete',
  )
/** The length tells a sealed key from one in plain text. */
const sealedKey = z
  .base64('has to be base64')
  .refine(
    (value) => Buffer.byteLength(value, 'base64') === sealedKeyBytes,
    `has to be a sealed box of a private key of 64 hex digits (${sealedKeyBytes} bytes)`,
  )
const expectedHead = commitSha.nullable().optional()

/** What changes repositories. Each of these is for the repository of a project of one's own. */
export function addChangingRoutes(router: Router<RequestState>, parts: GitHubParts): void {
  const { access, connections, environments, app, editorUrl } = parts

  addOwnRoute(router, parts, {
    method: 'post',
    path: '/commit',
    maxBodyBytes: maxCommitBytes,
    schema: z.strictObject({
      project_id: projectId,
      branch: branchName.optional(),
      message: text(5000),
      files: z.array(change).min(1, 'has to have a file').max(maxFiles, `has to have at most ${maxFiles} files`),
      expected_head: expectedHead,
    }),
    run: async ({ userId, input }) => {
      const repository = await access.ofProject(userId, input.project_id)
      const { owner, repo, connection } = repository
      const branch = input.branch ?? connection.branch
      const files = input.files.map(({ path, content, action }) => ({
        path: below(connection.path, path),
        content,
        action,
      }))
      if (new Set(files.map(({ path }) => path)).size < files.length)
        throw new ApiError(400, 'invalid-field', 'Field "files" has a path twice.', { field: 'files' })
      const workflow = files.find(({ path }) => isWorkflowPath(path))
      if (workflow !== undefined)
        throw new ApiError(
          422,
          'workflow-file',
          `${workflow.path} is run by GitHub with the secrets of the repository: it is changed by POST ` +
            '/github/workflow, or at GitHub.',
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
      return made
    },
  })

  addOwnRoute(router, parts, {
    method: 'post',
    path: '/workflow',
    schema: z.strictObject({ project_id: projectId, expected_head: expectedHead }),
    run: async ({ userId, input }) => {
      const repository = await access.ofProject(userId, input.project_id)
      const { owner, repo, connection } = repository
      // A project without environments deploys its own branch; its secrets need one to belong to.
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
        message: 'Deploy what is pushed to Flow',
        files: [{ path: workflowPath, content, action: 'put' }],
        expectedHead: input.expected_head,
      })
      await connections.setWorkflow(connection.id, workflowPath)
      await connections.setCommit(connection.id, connection.branch, sha)
      return { sha, workflow_path: workflowPath, secrets_needed: neededSecrets(all) }
    },
  })

  addOwnRoute(router, parts, {
    method: 'get',
    path: '/secrets/key',
    schema: z.strictObject({ project_id: projectId }),
    run: async ({ userId, input }) => {
      const repository = await access.ofProject(userId, input.project_id)
      const { keyId, key } = await readSecretsKey(
        await access.open(repository, 'admin', { secrets: 'read' }),
        repository,
      )
      return { key_id: keyId, key }
    },
  })

  addOwnRoute(router, parts, {
    method: 'post',
    path: '/secrets',
    schema: z.strictObject({
      project_id: projectId,
      environment_name: environmentName,
      flow_address: z.string().max(20),
      flow_key_index: z.number().int('has to be a whole number').min(0).max(1_000_000),
      key_id: text(100),
      encrypted_private_key: sealedKey,
      flow_private_key: z
        .undefined(
          'is not accepted: seal the key with the public key of GET /github/secrets/key and send it as ' +
            'encrypted_private_key',
        )
        .optional(),
    }),
    run: async ({ userId, input }) => {
      const address = parseAddress(input.flow_address)
      if (address === undefined)
        throw new ApiError(400, 'invalid-field', 'Field "flow_address" has to be 16 hex digits.', {
          field: 'flow_address',
        })
      const repository = await access.ofProject(userId, input.project_id)
      const { connection } = repository
      const environment = (await environments.list(connection.id)).find(({ name }) => name === input.environment_name)
      if (environment === undefined)
        throw new ApiError(
          404,
          'no-environment',
          `This project has no environment ${input.environment_name}: make it first.`,
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
      return { success: true, secrets: [...Object.keys(sealed), ...Object.keys(own)] }
    },
  })

  addOwnRoute(router, parts, {
    method: 'post',
    path: '/promote',
    schema: z.strictObject({
      project_id: projectId,
      from_branch: branchName,
      to_branch: branchName,
      title: text(200).optional(),
    }),
    run: async ({ userId, input: { project_id: project, from_branch: head, to_branch: base, title } }) => {
      if (head === base)
        throw new ApiError(400, 'invalid-field', 'Field "to_branch" has to be another branch than from_branch.', {
          field: 'to_branch',
        })
      const repository = await access.ofProject(userId, project)
      const { owner, repo } = repository
      const call = await access.open(repository, 'write', { contents: 'read', pull_requests: 'write' })
      const pull = z.object({ number: z.number(), html_url: z.string() })
      const present = ({ number, html_url: url }: z.output<typeof pull>, isNew: boolean): unknown => ({
        pr_number: number,
        pr_url: url,
        is_new: isNew,
      })
      try {
        return present(
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
        )
      } catch (error) {
        if (!isStatus(error, 422)) throw error
        // It says so too where there is one already, which is as good.
        const [open] = readAnswer(
          z.array(pull),
          await call('GET /repos/{owner}/{repo}/pulls', { owner, repo, state: 'open', head: `${owner}:${head}`, base }),
        )
        if (open === undefined) throw error
        return present(open, false)
      }
    },
  })

  addOwnRoute(router, parts, {
    method: 'post',
    path: '/dispatch',
    schema: z.strictObject({
      project_id: projectId,
      branch: branchName.optional(),
      action: z.enum(['deploy', 'dry-run', 'rollback'], 'has to be deploy, dry-run or rollback'),
      commit_sha: commitSha.optional(),
    }),
    run: async ({ userId, input: { project_id: project, branch, action, commit_sha: sha } }) => {
      if (action === 'rollback' && sha === undefined)
        throw new ApiError(400, 'invalid-field', 'Field "commit_sha" has to say to which commit.', {
          field: 'commit_sha',
        })
      if (action !== 'rollback' && sha !== undefined)
        throw new ApiError(400, 'invalid-field', 'Field "commit_sha" is for rollback alone.', { field: 'commit_sha' })
      const repository = await access.ofProject(userId, project)
      const { owner, repo, connection } = repository
      if (connection.workflowPath === null)
        throw new ApiError(
          409,
          'no-workflow',
          'The repository has no workflow that deploys yet: POST /github/workflow makes it.',
        )
      const call = await access.open(repository, 'write', { actions: 'write' })
      await call('POST /repos/{owner}/{repo}/actions/workflows/{workflow}/dispatches', {
        owner,
        repo,
        workflow: workflowFile,
        ref: branch ?? connection.branch,
        inputs: { action, ...(sha === undefined ? {} : { commit_sha: sha }) },
      })
      return { dispatched: true, action, commit_sha: sha ?? null }
    },
  })
}
