import type { Pool } from 'pg'
import { z } from 'zod'
import type { GitHubApp, GitHubClient } from './api/github-client.ts'
import type { DeliveryStore } from './handle-webhook.ts'
import type { InstallFlow } from './install-flow.ts'
import type { RepositoryAccess } from './repository-access.ts'
import type { ConnectionStore } from './stores/connection-store.ts'
import type { DeploymentStore } from './stores/deployment-store.ts'
import type { EnvironmentStore } from './stores/environment-store.ts'
import type { InstallationStore } from './stores/installation-store.ts'
import type { Authenticate } from '../../platform/auth/authenticate.ts'
import { ApiError } from '../../platform/errors.ts'
import { bearerToken } from '../../platform/http/guards.ts'
import { routesOf } from '../../platform/http/route.ts'
import { guard } from '../../platform/http/router.ts'
import type { Guard } from '../../platform/http/router.ts'
import { clientNetwork } from '../../platform/limits/clients.ts'
import { SlidingWindow } from '../../platform/limits/sliding-window.ts'
import type { Logger } from '../../platform/log.ts'

export interface GitHubParts {
  readonly app: GitHubApp
  readonly pool: Pool
  readonly log: Logger
  readonly editorUrl: string
  readonly github: GitHubClient
  readonly flow: InstallFlow
  readonly access: RepositoryAccess
  readonly installations: InstallationStore
  readonly connections: ConnectionStore
  readonly environments: EnvironmentStore
  readonly deployments: DeploymentStore
  readonly deliveries: DeliveryStore
  /** @throws ApiError 429 */
  readonly takeWebhook: (address: string) => void
  readonly takeCallback: (address: string) => void
}

/** `user`: handlers get the id of the user. */
export const route = routesOf<GitHubParts, { user: string }>({ unknownParameters: 'refused' })

export const githubRoute = routesOf<GitHubParts>()

export const projectId = z.uuid('must be the id of a project')

/** Requests per minute and process. */
export const githubLimits = {
  client: 600,
  /** Each may take several GitHub calls, of which an installation has about 5,000 an hour. */
  read: 240,
  write: 30,
  /** GitHub sends from few addresses. */
  webhook: 3000,
} as const

export type GitHubLimits = Readonly<Record<keyof typeof githubLimits, number>>

/** @throws ApiError 429 `rate-limited` */
export function createGitHubLimits(limits: GitHubLimits): (kind: keyof GitHubLimits, key: string) => void {
  const windows: Readonly<Record<keyof GitHubLimits, SlidingWindow>> = {
    client: new SlidingWindow({ max: limits.client }),
    read: new SlidingWindow({ max: limits.read }),
    write: new SlidingWindow({ max: limits.write }),
    webhook: new SlidingWindow({ max: limits.webhook }),
  }
  return (kind, key) => {
    const { isAllowed, retryAfterSeconds } = windows[kind].take(key)
    if (!isAllowed)
      throw new ApiError(429, 'rate-limited', `Too many requests. Try again in ${retryAfterSeconds} s.`, {
        details: { retryAfterSeconds },
      })
  }
}

/** @throws ApiError 401 `missing-token`, 429 */
export function userGuard(take: ReturnType<typeof createGitHubLimits>, authenticate: Authenticate): Guard<string> {
  return guard(async ({ client, header }, { method }) => {
    take('client', clientNetwork(client.address))
    const token = bearerToken(header('Authorization'))
    if (token === undefined)
      throw new ApiError(401, 'missing-token', 'Authentication required. Send `Authorization: Bearer <access token>`.')
    const { userId } = await authenticate(token)
    take(method === 'GET' ? 'read' : 'write', userId)
    return userId
  })
}
