import { z } from 'zod'
import { editorNetworks } from '../editor-network.ts'
import { readAnswer } from './api/github-client.ts'
import { branchName, environmentName, folderPath, ownerName, repositoryName } from './api/names.ts'
import { projectId, route } from './github-route.ts'
import type { GitHubParts } from './github-route.ts'
import type { Connection } from './stores/connection-store.ts'
import { statusOf } from './stores/deployment-store.ts'
import type { Deployment } from './stores/deployment-store.ts'
import type { DeployEnvironment } from './stores/environment-store.ts'
import { ApiError } from '../../platform/errors.ts'
import type { Route } from '../../platform/http/route.ts'

const network = z.enum(editorNetworks, `must be one of ${editorNetworks.join(', ')}`)
const ofProject = z.object({ project_id: projectId })

const connectionSchema = z
  .strictObject({
    project_id: z.string(),
    installation_id: z.int(),
    repository_id: z.int(),
    owner: z.string(),
    repo: z.string(),
    path: z.string().describe('Folder of the project; empty: the root.'),
    branch: z.string(),
    network,
    workflow_path: z.string().nullable(),
    last_commit_sha: z.string().nullable(),
    is_on: z.boolean(),
    off_reason: z.string().nullable(),
    created_at: z.string(),
  })
  .meta({ id: 'Connection' })

const environmentSchema = z
  .strictObject({
    name: z.string(),
    branch: z.string(),
    network,
    flow_address: z.string().nullable(),
    flow_key_index: z.int().nullable(),
    secrets_configured: z.boolean(),
    is_default: z.boolean(),
  })
  .meta({ id: 'Environment' })
const environmentsSchema = z.strictObject({ environments: z.array(environmentSchema) })

const deploymentSchema = z
  .strictObject({
    id: z.string(),
    run_id: z.int(),
    run_attempt: z.int(),
    status: z.string(),
    conclusion: z.string().nullable(),
    commit_sha: z.string(),
    branch: z.string(),
    network: z.string().nullable(),
    environment: z.string().nullable(),
    trigger: z.string(),
    logs_url: z.string().nullable(),
    message: z.string().nullable(),
    author: z.string().nullable(),
    started_at: z.string().nullable(),
    completed_at: z.string().nullable(),
    duration_ms: z.int().nullable(),
    created_at: z.string(),
  })
  .meta({ id: 'Deployment' })

export const connectionRoutes: readonly Route<GitHubParts>[] = [
  route({
    method: 'POST',
    path: '/github/connect',
    operationId: 'connect',
    tag: 'Repositories',
    summary: 'Connect a project with a repository',
    access: 'user',
    response: z.strictObject({ connection: connectionSchema }),
    body: z.strictObject({
      project_id: projectId,
      installation_id: z.number('must be a number').int().positive(),
      owner: ownerName,
      repo: repositoryName,
      path: folderPath.default(''),
      branch: branchName,
      network,
    }),
    handler: async ({ caller: userId, body: input }, { access, connections }) => {
      await access.requireProject(userId, input.project_id)
      const repository = await access.ofInstallation(userId, input.installation_id, input.owner, input.repo)
      const call = await access.open(repository, 'write', { metadata: 'read' })
      const { id, name, owner } = readAnswer(
        z.object({ id: z.number().int().positive(), name: z.string(), owner: z.object({ login: z.string() }) }),
        await call('GET /repos/{owner}/{repo}', { owner: input.owner, repo: input.repo }),
      )
      const connection = await connections.put({
        projectId: input.project_id,
        userId,
        installationId: input.installation_id,
        repositoryId: id,
        owner: owner.login,
        repo: name,
        path: input.path,
        branch: input.branch,
        network: input.network,
      })
      return { body: { connection: presentConnection(connection) } }
    },
  }),
  route({
    path: '/github/connection',
    operationId: 'getConnection',
    tag: 'Repositories',
    summary: 'The connection of a project',
    access: 'user',
    response: z.strictObject({ connection: connectionSchema }),
    query: ofProject,
    handler: async ({ caller: userId, query: input }, { access }) => ({
      body: {
        connection: presentConnection(await access.connectionOf(userId, input.project_id)),
      },
    }),
  }),
  route({
    method: 'DELETE',
    path: '/github/connection',
    operationId: 'disconnect',
    tag: 'Repositories',
    summary: 'Disconnect a project',
    access: 'user',
    response: z.strictObject({ removed: z.boolean() }),
    query: ofProject,
    handler: async ({ caller: userId, query: input }, { access, connections }) => {
      await access.requireProject(userId, input.project_id)
      return { body: { removed: await connections.remove(input.project_id) } }
    },
  }),
  route({
    path: '/github/environments',
    operationId: 'listEnvironments',
    tag: 'Repositories',
    summary: 'Environments of a project',
    access: 'user',
    response: environmentsSchema,
    query: ofProject,
    handler: async ({ caller: userId, query: input }, { access, environments }) => ({
      body: {
        environments: (await environments.list((await access.connectionOf(userId, input.project_id)).id)).map(
          presentEnvironment,
        ),
      },
    }),
  }),
  route({
    method: 'POST',
    path: '/github/environments',
    operationId: 'putEnvironment',
    tag: 'Repositories',
    summary: 'Create or change an environment',
    access: 'user',
    response: environmentsSchema,
    body: z.strictObject({
      project_id: projectId,
      name: environmentName,
      branch: branchName,
      network,
      is_default: z.boolean().default(false),
    }),
    handler: async ({ caller: userId, body: input }, { access, environments }) => {
      const { id } = await access.connectionOf(userId, input.project_id)
      await environments.put(id, {
        name: input.name,
        branch: input.branch,
        network: input.network,
        isDefault: input.is_default,
      })
      return { body: { environments: (await environments.list(id)).map(presentEnvironment) } }
    },
  }),
  route({
    method: 'DELETE',
    path: '/github/environments',
    operationId: 'removeEnvironment',
    tag: 'Repositories',
    summary: 'Delete an environment',
    access: 'user',
    response: z.strictObject({ removed: z.boolean() }),
    query: z.object({ project_id: projectId, name: environmentName }),
    handler: async ({ caller: userId, query: input }, { access, environments }) => {
      const { id } = await access.connectionOf(userId, input.project_id)
      if (!(await environments.remove(id, input.name)))
        throw new ApiError(404, 'no-environment', `The project has no environment "${input.name}".`, { field: 'name' })
      return { body: { removed: true } }
    },
  }),
  route({
    path: '/github/deployments',
    operationId: 'listDeployments',
    tag: 'Repositories',
    summary: 'Deployments of a project, newest first',
    access: 'user',
    response: z.strictObject({ deployments: z.array(deploymentSchema) }),
    query: z.object({
      project_id: projectId,
      limit: z
        .string()
        .regex(/^(?:[1-9]\d?|100)$/, 'must be 1 to 100')
        .default('20'),
      before: z.uuid('must be the id of a deployment').optional(),
    }),
    handler: async ({ caller: userId, query: input }, { access, deployments }) => {
      const { id } = await access.connectionOf(userId, input.project_id)
      return {
        body: {
          deployments: (await deployments.list(id, { limit: Number(input.limit), before: input.before })).map(
            presentDeployment,
          ),
        },
      }
    },
  }),
]

function presentConnection(one: Connection): z.output<typeof connectionSchema> {
  return {
    project_id: one.projectId,
    installation_id: one.installationId,
    repository_id: one.repositoryId,
    owner: one.owner,
    repo: one.repo,
    path: one.path,
    branch: one.branch,
    network: one.network,
    workflow_path: one.workflowPath,
    last_commit_sha: one.lastCommitSha,
    is_on: one.offReason === null,
    off_reason: one.offReason,
    created_at: one.createdAt.toISOString(),
  }
}

function presentEnvironment(one: DeployEnvironment): z.output<typeof environmentSchema> {
  return {
    name: one.name,
    branch: one.branch,
    network: one.network,
    flow_address: one.flowAddress,
    flow_key_index: one.keyIndex,
    secrets_configured: one.hasSecrets,
    is_default: one.isDefault,
  }
}

function presentDeployment(one: Deployment): z.output<typeof deploymentSchema> {
  return {
    id: one.id,
    run_id: one.runId,
    run_attempt: one.attempt,
    status: statusOf(one.stage),
    conclusion: one.conclusion,
    commit_sha: one.sha,
    branch: one.branch,
    network: one.network,
    environment: one.environment,
    trigger: one.trigger,
    logs_url: one.logsUrl,
    message: one.message,
    author: one.author,
    started_at: one.startedAt?.toISOString() ?? null,
    completed_at: one.endedAt?.toISOString() ?? null,
    duration_ms:
      one.startedAt === null || one.endedAt === null
        ? null
        : Math.max(0, one.endedAt.getTime() - one.startedAt.getTime()),
    created_at: one.createdAt.toISOString(),
  }
}
