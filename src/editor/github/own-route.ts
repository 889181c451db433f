import type { IncomingMessage } from 'node:http'
import type { Router } from '@koa/router'
import type { Pool } from 'pg'
import type { z } from 'zod'
import type { GitHubApp, GitHubClient } from './api/github-client.ts'
import type { DeliveryStore } from './handle-webhook.ts'
import type { InstallFlow } from './install-flow.ts'
import type { RepositoryAccess } from './repository-access.ts'
import type { ConnectionStore } from './stores/connection-store.ts'
import type { DeploymentStore } from './stores/deployment-store.ts'
import type { EnvironmentStore } from './stores/environment-store.ts'
import type { InstallationStore } from './stores/installation-store.ts'
import type { Authenticate } from '../../platform/auth/authenticate.ts'
import type { Client } from '../../platform/limits/clients.ts'
import { clientNetwork } from '../../platform/limits/clients.ts'
import { ApiError } from '../../platform/errors.ts'
import { bearerToken } from '../../platform/http/guards.ts'
import type { RequestContext, RequestState } from '../../platform/http/requests.ts'
import type { Logger } from '../../platform/log.ts'
import { parseBody, parseQuery } from '../../platform/http/parse-input.ts'
import { readJson } from '../../platform/http/read-json.ts'
import { SlidingWindow } from '../../platform/limits/sliding-window.ts'

/** What the routes of repositories work with. */
export interface GitHubParts {
  readonly app: GitHubApp
  readonly pool: Pool
  readonly log: Logger
  /** EDITOR_URL, without a slash at its end. */
  readonly editorUrl: string
  readonly authenticate: Authenticate
  readonly clientOf: (request: IncomingMessage) => Client
  readonly limits: RequestLimits
  readonly github: GitHubClient
  readonly flow: InstallFlow
  readonly access: RepositoryAccess
  readonly installations: InstallationStore
  readonly connections: ConnectionStore
  readonly environments: EnvironmentStore
  readonly deployments: DeploymentStore
  readonly deliveries: DeliveryStore
}

/** A request of somebody who has signed in. */
interface OwnRequest<Input> {
  readonly context: RequestContext & { readonly params: Readonly<Record<string, string>> }
  readonly userId: string
  readonly input: Input
}

interface OwnRoute<Schema extends z.ZodObject> {
  readonly method: 'get' | 'post' | 'delete'
  readonly path: string
  /** Of the query where the method is not POST, else of the body. */
  readonly schema: Schema
  /** Default: `read` for GET, `write` for others. */
  readonly limit?: 'read' | 'write'
  /** Default 64 KB. */
  readonly maxBodyBytes?: number
  /** @returns the body of the answer, JSON */
  readonly run: (request: OwnRequest<z.output<Schema>>) => Promise<unknown>
}

/** Adds a route below `/github` that wants `Authorization: Bearer` with an access token. */
export function addOwnRoute<Schema extends z.ZodObject>(
  router: Router<RequestState>,
  parts: GitHubParts,
  route: OwnRoute<Schema>,
): void {
  const { method, path, schema, run, maxBodyBytes = 64 * 1024, limit = method === 'get' ? 'read' : 'write' } = route
  router[method](path, async (context) => {
    context.state.route = `/github${path.replaceAll(/[:*](\w+)/g, '{$1}')}`
    context.set('Cache-Control', 'no-store')
    const userId = await signedIn(context, parts)
    parts.limits.ofUser(userId, limit)
    const input =
      method === 'post'
        ? parseBody(schema, await readJson(context.req, maxBodyBytes))
        : parseQuery(schema, context.URL.searchParams)
    const answer = await run({ context, userId, input })
    context.status = 200
    context.type = 'application/json'
    context.body = JSON.stringify(answer)
  })
}

/** @throws ApiError 401, 429 */
async function signedIn(context: RequestContext, { limits, clientOf, authenticate }: GitHubParts): Promise<string> {
  limits.ofClient(clientOf(context.req).address, 'client')
  const token = bearerToken(context.get('Authorization'))
  if (token === undefined)
    throw new ApiError(401, 'missing-token', 'Sign in, and send the access token as `Authorization: Bearer <token>`.')
  return (await authenticate(token)).userId
}

/** Requests in a minute; each process counts for itself. */
export const githubLimits = {
  /** All of one client, signed in or not. */
  client: 600,
  /** What one user reads: each may be several calls of GitHub, which gives an installation some 5,000 an hour. */
  read: 240,
  /** What one user changes. */
  write: 30,
  /** Webhooks of one client: GitHub sends from few addresses. */
  webhook: 3000,
} as const

export type GitHubLimits = Readonly<Record<keyof typeof githubLimits, number>>

/** Counts requests of clients and of users. */
export class RequestLimits {
  readonly #windows: Readonly<Record<keyof GitHubLimits, SlidingWindow>>

  constructor(limits: GitHubLimits) {
    const window = (name: keyof GitHubLimits): SlidingWindow => new SlidingWindow({ max: limits[name] })
    this.#windows = {
      client: window('client'),
      read: window('read'),
      write: window('write'),
      webhook: window('webhook'),
    }
  }

  /** @throws ApiError 429 `rate-limited` */
  ofClient(address: string, kind: 'client' | 'webhook'): void {
    this.#take(kind, clientNetwork(address))
  }

  /** @throws ApiError 429 `rate-limited` */
  ofUser(userId: string, kind: 'read' | 'write'): void {
    this.#take(kind, userId)
  }

  #take(kind: keyof GitHubLimits, key: string): void {
    const { isAllowed, retryAfterSeconds } = this.#windows[kind].take(key)
    if (!isAllowed)
      throw new ApiError(429, 'rate-limited', `That was too often; try again in ${retryAfterSeconds} s.`, {
        details: { retryAfterSeconds },
      })
  }
}
