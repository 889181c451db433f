import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import type pg from 'pg'
import type { Authenticate } from '../auth/authenticate.ts'
import type { HoldUser } from '../auth/hold-user.ts'
import type { Client } from '../base/client-address.ts'
import { clientNetwork } from '../base/client-network.ts'
import { ApiError } from '../base/errors.ts'
import { bearerToken } from '../base/http/bearer-token.ts'
import { endpointCall, endpointFunction } from '../base/http/endpoint-function.ts'
import type { RequestContext, RequestState } from '../base/http/requests.ts'
import type { Logger } from '../base/log.ts'
import { readJson } from '../base/read-json.ts'
import { query } from '../db/pool.ts'
import { BodyRoom } from './body-room.ts'
import { allEndpoints } from './endpoints/all-endpoints.ts'
import type { ProjectParts } from './endpoints/endpoint.ts'
import { readData } from './endpoints/read-data.ts'
import { notSignedIn, projectError } from './project-error.ts'
import { mostBodyBytes } from './project-quotas.ts'
import type { ProjectQuotas } from './project-quotas.ts'
import { projectRateLimits, ProjectRates } from './project-rates.ts'
import type { ProjectRateLimits } from './project-rates.ts'

export interface ProjectsFunctionOptions {
  readonly pool: pg.Pool
  readonly log: Logger
  readonly authenticate: Authenticate
  readonly holdUser: HoldUser
  /** Whether pages of an origin, such as `https://editor.example.com`, may call the function. Those of the editor itself say theirs too. */
  readonly allowsOrigin: (origin: string) => boolean
  /** Who asks, as far as limits are concerned. */
  readonly clientOf: (request: IncomingMessage) => Client
  readonly quotas: ProjectQuotas
  /** Default: `projectRateLimits`. */
  readonly limits?: ProjectRateLimits
  /** Bytes of bodies that are read or worked with at the same time, of all accounts together. Default: 128 MB, and no less than one body may have. */
  readonly bodyBytesAtOnce?: number
}

export interface ProjectsFunction {
  /** Answers `POST /functions/v1/projects` and what browsers ask before it; leaves all other paths alone. */
  readonly middleware: Middleware<RequestState>
  /** Removes what is of no use any more; to be called every hour or so. */
  prune(): Promise<void>
}

export const projectsFunctionPath = '/functions/v1/projects'

const codes: Readonly<Record<number, string>> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  413: 'TOO_LARGE',
  429: 'RATE_LIMITED',
  503: 'BUSY',
}

/** Whoever has not signed in reads, and names no more than a project. */
const mostOpenBodyBytes = 16 * 1024

/** A body takes up some four times its bytes until it is in the database. */
const usualBodyBytesAtOnce = 128_000_000

/**
 * The projects function: one POST with `{endpoint, data}`, answered by `{success: true, data}` or `{success: false, error: {code, message, …}}` under the
 * HTTP status that says the same.
 */
export function createProjectsFunction(options: ProjectsFunctionOptions): ProjectsFunction {
  const { pool, log, limits = projectRateLimits } = options
  const most = mostBodyBytes(options.quotas)
  const counted: Counted = {
    rates: new ProjectRates(limits),
    room: new BodyRoom(Math.max(options.bodyBytesAtOnce ?? usualBodyBytesAtOnce, most)),
  }
  return {
    middleware: endpointFunction({
      path: projectsFunctionPath,
      failed: 'a projects request failed',
      log,
      codes,
      allowsOrigin: options.allowsOrigin,
      notAllowed: () => projectError('ORIGIN_NOT_ALLOWED', 'Pages of this origin may not use the projects.'),
      run: (context) => answer(context, options, counted),
    }),
    prune: async () => {
      await query(pool, `delete from projects.saves where saved_at < now() - interval '1 day'`)
    },
  }
}

/** What all requests of a process share. */
interface Counted {
  readonly rates: ProjectRates
  readonly room: BodyRoom
}

async function answer(
  context: RequestContext,
  { pool, quotas, authenticate, clientOf, holdUser }: ProjectsFunctionOptions,
  counted: Counted,
): Promise<unknown> {
  const network = clientNetwork(clientOf(context.req).address)
  const { rates, room } = counted
  rates.takeClient(network)
  const parts = { pool, quotas, holdUser }
  // Known before the body is read: only who has signed in may send a large one.
  const token = bearerToken(context.get('Authorization'))
  const userId = token === undefined ? undefined : (await authenticate(token)).userId
  return await rates.during(userId ?? network, () =>
    room.during(userId ?? network, (take) => call(context, parts, rates, userId, take)),
  )
}

async function call(
  context: RequestContext,
  parts: ProjectParts,
  rates: ProjectRates,
  userId: string | undefined,
  take: (bytes: number) => void,
): Promise<unknown> {
  const body =
    userId === undefined ? await readSmallBody(context) : await readJson(context.req, mostBodyBytes(parts.quotas), take)
  const { endpoint: name, data } = readData(endpointCall, body)
  const endpoint = allEndpoints.get(name)
  if (endpoint === undefined) {
    const text = `Field "endpoint" names nothing that there is; there are ${[...allEndpoints.keys()].join(', ')}.`
    throw projectError('NOT_FOUND', text, { field: 'endpoint', facts: { field: 'endpoint' } })
  }
  if (userId !== undefined) rates.takeAccount(endpoint.kind, userId)
  if (endpoint.access === 'open') return await endpoint.run({ userId, data, parts })
  if (userId === undefined) throw notSignedIn()
  return await endpoint.run({ userId, data, parts })
}

/** Of whoever has not signed in. Nothing that is larger can be done without that. */
async function readSmallBody(context: RequestContext): Promise<unknown> {
  try {
    return await readJson(context.req, mostOpenBodyBytes)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 413) throw error
    context.set('Connection', 'close')
    throw notSignedIn()
  }
}
