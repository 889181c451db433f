import type { Router } from '@koa/router'
import { z } from 'zod'
import { editorNetworks } from '../editor-network.ts'
import { readAnswer } from './api/github-client.ts'
import { branchName, environmentName, folderPath, ownerName, repositoryName } from './api/names.ts'
import { addOwnRoute } from './own-route.ts'
import type { GitHubParts } from './own-route.ts'
import type { Connection } from './stores/connection-store.ts'
import { statusOf } from './stores/deployment-store.ts'
import type { Deployment } from './stores/deployment-store.ts'
import type { DeployEnvironment } from './stores/environment-store.ts'
import { ApiError } from '../../platform/errors.ts'
import type { RequestState } from '../../platform/http/requests.ts'

const projectId = z.uuid('has to be the id of a project')
const network = z.enum(editorNetworks, `has to be one of ${editorNetworks.join(', ')}`)
const ofProject = z.strictObject({ project_id: projectId })

/** What a project is connected with, where it is deployed to, and how it was. */
export function addConnectionRoutes(router: Router<RequestState>, parts: GitHubParts): void {
  const { access, connections, environments, deployments } = parts

  addOwnRoute(router, parts, {
    method: 'post',
    path: '/connect',
    schema: z.strictObject({
      project_id: projectId,
      installation_id: z.number('has to be a number').int().positive(),
      owner: ownerName,
      repo: repositoryName,
      path: folderPath.default(''),
      branch: branchName,
      network,
    }),
    run: async ({ userId, input }) => {
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
      return { connection: presentConnection(connection) }
    },
  })

  addOwnRoute(router, parts, {
    method: 'get',
    path: '/connection',
    schema: ofProject,
    run: async ({ userId, input }) => ({
      connection: presentConnection(await access.connectionOf(userId, input.project_id)),
    }),
  })

  addOwnRoute(router, parts, {
    method: 'delete',
    path: '/connection',
    schema: ofProject,
    run: async ({ userId, input }) => {
      await access.requireProject(userId, input.project_id)
      return { removed: await connections.remove(input.project_id) }
    },
  })

  addOwnRoute(router, parts, {
    method: 'get',
    path: '/environments',
    schema: ofProject,
    run: async ({ userId, input }) => ({
      environments: (await environments.list((await access.connectionOf(userId, input.project_id)).id)).map(
        presentEnvironment,
      ),
    }),
  })

  addOwnRoute(router, parts, {
    method: 'post',
    path: '/environments',
    schema: z.strictObject({
      project_id: projectId,
      name: environmentName,
      branch: branchName,
      network,
      is_default: z.boolean().default(false),
    }),
    run: async ({ userId, input }) => {
      const { id } = await access.connectionOf(userId, input.project_id)
      await environments.put(id, {
        name: input.name,
        branch: input.branch,
        network: input.network,
        isDefault: input.is_default,
      })
      return { environments: (await environments.list(id)).map(presentEnvironment) }
    },
  })

  addOwnRoute(router, parts, {
    method: 'delete',
    path: '/environments',
    schema: z.strictObject({ project_id: projectId, name: environmentName }),
    run: async ({ userId, input }) => {
      const { id } = await access.connectionOf(userId, input.project_id)
      if (!(await environments.remove(id, input.name)))
        throw new ApiError(404, 'no-environment', `This project has no environment ${input.name}.`, { field: 'name' })
      return { removed: true }
    },
  })

  addOwnRoute(router, parts, {
    method: 'get',
    path: '/deployments',
    schema: z.strictObject({
      project_id: projectId,
      limit: z
        .string()
        .regex(/^(?:[1-9]\d?|100)$/, 'has to be 1 to 100')
        .default('20'),
      before: z.uuid('has to be the id of a deployment').optional(),
    }),
    run: async ({ userId, input }) => {
      const { id } = await access.connectionOf(userId, input.project_id)
      return {
        deployments: (await deployments.list(id, { limit: Number(input.limit), before: input.before })).map(
          presentDeployment,
        ),
      }
    },
  })
}

function presentConnection(one: Connection): unknown {
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

function presentEnvironment(one: DeployEnvironment): unknown {
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

function presentDeployment(one: Deployment): unknown {
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
