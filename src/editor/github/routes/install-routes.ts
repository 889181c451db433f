import type { Router } from '@koa/router'
import { z } from 'zod'
import { ApiError } from '../../../base/errors.ts'
import type { RequestState } from '../../../base/http/requests.ts'
import type { GitHubParts } from '../github-parts.ts'
import { digestOf } from '../installs/random-token.ts'
import { installSeconds } from '../installs/install-states.ts'
import { addOwnRoute } from './own-route.ts'

/** The way to GitHub and back, and what somebody has shown to be theirs. */
export function addInstallRoutes(router: Router<RequestState>, parts: GitHubParts): void {
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
