import type { Pool } from 'pg'
import { z } from 'zod'
import type { Authenticate, LockUser } from '../../platform/auth/authenticate.ts'
import { clientNetwork } from '../../platform/limits/clients.ts'
import { ApiError } from '../../platform/errors.ts'
import { bindRoutes } from '../../platform/http/route.ts'
import type { Route } from '../../platform/http/route.ts'
import type { Guard } from '../../platform/http/router.ts'
import type { Logger } from '../../platform/log.ts'
import type { ProjectAccess } from '../projects/read-projects.ts'
import { createGitHubClient } from './api/github-client.ts'
import type { GitHubApp } from './api/github-client.ts'
import { ConnectionStore } from './stores/connection-store.ts'
import { EnvironmentStore } from './stores/environment-store.ts'
import { DeploymentStore } from './stores/deployment-store.ts'
import { createGitHubLimits, githubLimits, githubRoute, projectId, route, userGuard } from './github-route.ts'
import type { GitHubLimits, GitHubParts } from './github-route.ts'
import { InstallFlow } from './install-flow.ts'
import { InstallStates, installSeconds, InstallationStore, digestOf } from './stores/installation-store.ts'
import { RepositoryAccess } from './repository-access.ts'
import { writeRoutes } from './write-routes.ts'
import { connectionRoutes } from './connection-routes.ts'
import { readRoutes } from './read-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'
import { DeliveryStore } from './handle-webhook.ts'

export interface GitHubOptions {
  readonly app: GitHubApp
  readonly pool: Pool
  readonly log: Logger
  readonly editorUrl: string
  readonly projects: ProjectAccess
  readonly authenticate: Authenticate
  readonly lockUser: LockUser
  readonly limits?: GitHubLimits
}

export interface GitHub {
  readonly routes: readonly Route<unknown>[]
  readonly guards: { readonly user: Guard<string> }
  readonly installUrl: string
  prune(): Promise<void>
}

const deploymentDays = 400
const pageSize = 500

/** Repositories of projects, through a GitHub App. @throws FatalError `bad-github-key` */
export function createGitHub({
  app,
  pool,
  log,
  editorUrl: url,
  projects,
  authenticate,
  lockUser,
  limits = githubLimits,
}: GitHubOptions): GitHub {
  const editorUrl = url.replace(/\/$/, '')
  const github = createGitHubClient(app, { log })
  const [states, installations, connections, deliveries] = [
    new InstallStates(pool),
    new InstallationStore(pool, lockUser),
    new ConnectionStore(pool),
    new DeliveryStore(pool),
  ]
  const take = createGitHubLimits(limits)
  const parts: GitHubParts = {
    app,
    pool,
    log,
    editorUrl,
    github,
    installations,
    connections,
    deliveries,
    takeWebhook: (address) => take('webhook', clientNetwork(address)),
    takeCallback: (address) => take('client', clientNetwork(address)),
    flow: new InstallFlow({ app, github, states, installations, callbackUrl: `${editorUrl}/github/callback` }),
    access: new RepositoryAccess({ projects, github, installations, connections }),
    environments: new EnvironmentStore(pool),
    deployments: new DeploymentStore(pool),
  }
  return {
    routes: bindRoutes(githubRoutes, parts),
    guards: { user: userGuard(take, authenticate) },
    installUrl: `${app.url.replace(/\/$/, '')}/apps/${encodeURIComponent(app.slug)}/installations/new`,
    prune: async () => {
      await states.prune()
      await deliveries.prune()
      await parts.deployments.prune(deploymentDays)
      await deleteStaleConnections(connections, projects)
    },
  }
}

/** Stale: the project was deleted or has another owner. */
async function deleteStaleConnections(connections: ConnectionStore, projects: ProjectAccess): Promise<void> {
  for (let after = '00000000-0000-0000-0000-000000000000'; ;) {
    const page = await connections.page(after, pageSize)
    for (const { id, projectId, userId } of page) {
      const project = await projects.find(projectId, userId)
      if (project?.ownerId !== userId) await connections.remove(projectId)
      after = id
    }
    if (page.length < pageSize) return
  }
}

const installSchema = z.strictObject({ url: z.string(), authorize_url: z.string(), expires_in: z.int() })

const installRoutes: readonly Route<GitHubParts>[] = [
  route({
    method: 'POST',
    path: '/github/install',
    operationId: 'startInstallation',
    tag: 'Repositories',
    summary: 'Start the installation of the GitHub App; sets a cookie for the callback',
    access: 'user',
    body: z.strictObject({ project_id: projectId.optional() }),
    response: installSchema,
    handler: async ({ caller: userId, body: { project_id: project } }, { access, flow, editorUrl }) => {
      if (project !== undefined) await access.requireProject(userId, project)
      const { url, authorizeUrl, state, browser } = await flow.begin({ userId, projectId: project })
      return {
        body: { url, authorize_url: authorizeUrl, expires_in: installSeconds },
        headers: { 'Set-Cookie': installCookie(editorUrl, state, browser, installSeconds) },
      }
    },
  }),
  githubRoute({
    path: '/github/callback',
    operationId: 'finishInstallation',
    tag: 'Repositories',
    summary: 'Where GitHub sends the browser; redirects to the editor',
    query: z.object({
      state: z.string().default(''),
      code: z.string().optional(),
      setup_action: z.string().optional(),
    }),
    contentType: 'text/plain; charset=utf-8',
    successStatus: 302,
    handler: async ({ query, call }, { flow, editorUrl, takeCallback, log }) => {
      const { state, code, setup_action: action } = query
      const outcome: Record<string, string> = {}
      try {
        takeCallback(call.client.address)
        const { projectId: project, count } = await flow.end(
          state,
          call.cookie(cookieName(editorUrl, state)) ?? '',
          code,
        )
        if (project !== undefined) outcome['project_id'] = project
        outcome['github'] = count === undefined ? 'asked' : count === 0 ? 'none' : 'connected'
        // Without a code or a request to an owner, the user declined.
        if (count === undefined && action !== 'request')
          Object.assign(outcome, { github: 'failed', reason: 'github-denied' })
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        log.info({ code: error.code }, 'GitHub installation failed')
        outcome['github'] = 'failed'
        outcome['reason'] = error.code
      }
      return {
        body: '',
        headers: {
          'Set-Cookie': installCookie(editorUrl, state, '', 0),
          Location: `${editorUrl}/?${new URLSearchParams(outcome).toString()}`,
        },
      }
    },
  }),
  route({
    path: '/github/installations',
    operationId: 'listInstallations',
    tag: 'Repositories',
    summary: 'Installations of the GitHub App that the user has access to',
    access: 'user',
    response: z.strictObject({
      installations: z.array(
        z
          .strictObject({
            installation_id: z.int(),
            account: z.string(),
            account_type: z.string(),
            github_login: z.string(),
            is_suspended: z.boolean(),
          })
          .meta({ id: 'Installation' }),
      ),
    }),
    handler: async ({ caller: userId }, { installations }) => ({
      body: {
        installations: (await installations.list(userId)).map((one) => ({
          installation_id: one.installationId,
          account: one.accountLogin,
          account_type: one.accountType,
          github_login: one.githubLogin,
          is_suspended: one.isSuspended,
        })),
      },
    }),
  }),
]

/** One cookie per installation: several tabs may install at the same time. */
function cookieName(editorUrl: string, state: string): string {
  const prefix = editorUrl.startsWith('https:') ? '__Host-' : ''
  return `${prefix}flowfarm-github-${digestOf(state).toString('hex').slice(0, 16)}`
}

function installCookie(editorUrl: string, state: string, value: string, seconds: number): string {
  const secure = editorUrl.startsWith('https:') ? '; Secure' : ''
  return `${cookieName(editorUrl, state)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${secure}`
}

export const githubRoutes: readonly Route<GitHubParts>[] = [
  ...installRoutes,
  ...readRoutes,
  ...connectionRoutes,
  ...writeRoutes,
  ...webhookRoutes,
]
