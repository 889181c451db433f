import type { IncomingMessage } from 'node:http'
import { Router } from '@koa/router'
import type { Middleware } from 'koa'
import type { Pool } from 'pg'
import { z } from 'zod'
import type { Authenticate, HoldUser } from '../../platform/auth/authenticate.ts'
import type { Client } from '../../platform/limits/clients.ts'
import { ApiError } from '../../platform/errors.ts'
import { refuseMethod } from '../../platform/http/refuse-method.ts'
import type { RequestState } from '../../platform/http/requests.ts'
import type { Logger } from '../../platform/log.ts'
import type { ProjectAccess } from '../projects/read-projects.ts'
import { createGitHubClient } from './api/github-client.ts'
import type { GitHubApp } from './api/github-client.ts'
import { ConnectionStore } from './stores/connection-store.ts'
import { EnvironmentStore } from './stores/environment-store.ts'
import { DeploymentStore } from './stores/deployment-store.ts'
import type { GitHubParts, GitHubLimits } from './own-route.ts'
import { InstallFlow } from './install-flow.ts'
import { InstallStates, installSeconds, InstallationStore, digestOf } from './stores/installation-store.ts'
import { RepositoryAccess } from './repository-access.ts'
import { githubLimits, RequestLimits, addOwnRoute } from './own-route.ts'
import { addChangingRoutes } from './changing-routes.ts'
import { addConnectionRoutes } from './connection-routes.ts'
import { addReadingRoutes } from './reading-routes.ts'
import { addWebhookRoutes } from './webhook-routes.ts'
import { DeliveryStore } from './handle-webhook.ts'

export interface GitHubOptions {
  readonly app: GitHubApp
  readonly pool: Pool
  readonly log: Logger
  /** EDITOR_URL: GitHub sends people and events there. */
  readonly editorUrl: string
  readonly projects: ProjectAccess
  readonly authenticate: Authenticate
  readonly holdUser: HoldUser
  readonly clientOf: (request: IncomingMessage) => Client
  /** Default: `githubLimits`. */
  readonly limits?: GitHubLimits
}

export interface GitHub {
  /** Answers everything below `/github`; leaves all other paths alone. */
  readonly middleware: Middleware<RequestState>
  /** What a page has to know of it. */
  readonly installUrl: string
  /** Removes what is of no use any more; to be called every hour or so. */
  prune(): Promise<void>
}

/** For how long a deployment is listed. */
const deploymentDays = 400
const pageSize = 500

/**
 * Repositories of projects, by a GitHub App: `/github/…`.
 * @throws FatalError `bad-github-key`
 */
export function createGitHub({
  app,
  pool,
  log,
  editorUrl: url,
  projects,
  authenticate,
  holdUser,
  clientOf,
  limits = githubLimits,
}: GitHubOptions): GitHub {
  const editorUrl = url.replace(/\/$/, '')
  const github = createGitHubClient(app, { log })
  const [states, installations, connections, deliveries] = [
    new InstallStates(pool),
    new InstallationStore(pool, holdUser),
    new ConnectionStore(pool),
    new DeliveryStore(pool),
  ]
  const parts: GitHubParts = {
    app,
    pool,
    log,
    editorUrl,
    authenticate,
    clientOf,
    github,
    installations,
    connections,
    deliveries,
    limits: new RequestLimits(limits),
    flow: new InstallFlow({ app, github, states, installations, callbackUrl: `${editorUrl}/github/callback` }),
    access: new RepositoryAccess({ projects, github, installations, connections }),
    environments: new EnvironmentStore(pool),
    deployments: new DeploymentStore(pool),
  }
  const router = new Router<RequestState>({ prefix: '/github' })
  for (const add of [addInstallRoutes, addReadingRoutes, addConnectionRoutes, addChangingRoutes, addWebhookRoutes])
    add(router, parts)
  const routes = router.routes() as unknown as Middleware<RequestState>
  return {
    middleware: async (context, next) => {
      if (context.path !== '/github' && !context.path.startsWith('/github/')) {
        await next()
        return
      }
      await routes(context, () => Promise.resolve())
      refuseMethod(context, router, false)
    },
    installUrl: `${app.url.replace(/\/$/, '')}/apps/${encodeURIComponent(app.slug)}/installations/new`,
    prune: async () => {
      await states.prune()
      await deliveries.prune()
      await parts.deployments.prune(deploymentDays)
      await forgetProjects(connections, projects)
    },
  }
}

/** Nobody tells us of a project that was deleted, or that has another owner now: what it was connected with goes. */
async function forgetProjects(connections: ConnectionStore, projects: ProjectAccess): Promise<void> {
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

/** The way to GitHub and back, and what somebody has shown to be theirs. */
function addInstallRoutes(router: Router<RequestState>, parts: GitHubParts): void {
  const { flow, access, installations, editorUrl, limits, clientOf, log } = parts
  const isSecure = editorUrl.startsWith('https:')
  /** One for each time, since several tabs may be on their way. */
  const cookieName = (state: string): string =>
    `${isSecure ? '__Host-' : ''}flowfarm-github-${digestOf(state).toString('hex').slice(0, 16)}`
  const cookie = (state: string, value: string, seconds: number): string =>
    `${cookieName(state)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

  addOwnRoute(router, parts, {
    method: 'post',
    path: '/install',
    schema: z.strictObject({ project_id: z.uuid('has to be the id of a project').optional() }),
    run: async ({ context, userId, input: { project_id: projectId } }) => {
      if (projectId !== undefined) await access.requireProject(userId, projectId)
      const { url, authorizeUrl, state, browser } = await flow.begin({ userId, projectId })
      context.set('Set-Cookie', cookie(state, browser, installSeconds))
      return { url, authorize_url: authorizeUrl, expires_in: installSeconds }
    },
  })

  // GitHub sends browsers here: there is no token, and the answer is the editor's page.
  router.get('/callback', async (context) => {
    context.state.route = '/github/callback'
    const query = context.URL.searchParams
    const state = query.get('state') ?? ''
    const told: Record<string, string> = {}
    context.set({ 'Cache-Control': 'no-store', 'Set-Cookie': cookie(state, '', 0) })
    try {
      limits.ofClient(clientOf(context.req).address, 'client')
      const { projectId, count } = await flow.end(
        state,
        context.cookies.get(cookieName(state)) ?? '',
        query.get('code') ?? undefined,
      )
      if (projectId !== undefined) told['project_id'] = projectId
      told['github'] = count === undefined ? 'asked' : count === 0 ? 'none' : 'connected'
      // Neither a code nor a request to an owner: the person said no.
      if (count === undefined && query.get('setup_action') !== 'request')
        Object.assign(told, { github: 'failed', reason: 'github-denied' })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      log.info({ code: error.code }, 'somebody came back from GitHub in vain')
      told['github'] = 'failed'
      told['reason'] = error.code
    }
    context.status = 302
    context.set('Location', `${editorUrl}/?${new URLSearchParams(told).toString()}`)
    context.body = ''
  })

  addOwnRoute(router, parts, {
    method: 'get',
    path: '/installations',
    schema: z.strictObject({}),
    run: async ({ userId }) => ({
      installations: (await installations.list(userId)).map((one) => ({
        installation_id: one.installationId,
        account: one.accountLogin,
        account_type: one.accountType,
        github_login: one.githubLogin,
        is_suspended: one.isSuspended,
      })),
    }),
  })
}
