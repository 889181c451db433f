import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import type pg from 'pg'
import { z } from 'zod'
import type { Authenticate } from '../auth/authenticate.ts'
import type { Client } from '../base/client-address.ts'
import { clientNetwork } from '../base/client-network.ts'
import { ApiError, asError, RetryableError } from '../base/errors.ts'
import type { RequestContext, RequestState } from '../base/http/requests.ts'
import type { Logger } from '../base/log.ts'
import { readJson } from '../base/read-json.ts'
import { query } from '../db/pool.ts'
import { allEndpoints } from './endpoints/all-endpoints.ts'
import type { ProjectParts } from './endpoints/endpoint.ts'
import { readData } from './endpoints/read-data.ts'
import type { HoldUser } from './hold-user.ts'
import { notSignedIn, projectError } from './project-error.ts'
import { mostBodyBytes } from './project-quotas.ts'
import type { ProjectQuotas } from './project-quotas.ts'
import { projectRateLimits, ProjectRates } from './project-rates.ts'
import type { ProjectRateLimits } from './project-rates.ts'

export interface ProjectsFunctionOptions {
  readonly pool: pg.Pool
  readonly log: Logger
  readonly authenticate: Authenticate
  /** Whether pages of an origin, such as `https://editor.example.com`, may call the function. Those of the editor itself say theirs too. */
  readonly allowsOrigin: (origin: string) => boolean
  /** Who asks, as far as limits are concerned. */
  readonly clientOf: (request: IncomingMessage) => Client
  readonly quotas: ProjectQuotas
  /** Default: users are kept elsewhere, and who has signed in is there. */
  readonly holdUser?: HoldUser | undefined
  /** Default: `projectRateLimits`. */
  readonly limits?: ProjectRateLimits
}

export interface ProjectsFunction {
  /** Answers `POST /functions/v1/projects` and what browsers ask before it; leaves all other paths alone. */
  readonly middleware: Middleware<RequestState>
  /** Removes what is of no use any more; to be called every hour or so. */
  prune(): Promise<void>
}

export const projectsFunctionPath = '/functions/v1/projects'

const keptElsewhere: HoldUser = () => Promise.resolve(true)

/** Whoever has not signed in reads, and names no more than a project. */
const mostOpenBodyBytes = 16 * 1024

const bodySchema = z.object({ endpoint: z.string().max(100), data: z.unknown().optional() })

/**
 * The projects function: one POST with `{endpoint, data}`, answered by `{success: true, data}` or `{success: false, error: {code, message, …}}` under the
 * HTTP status that says the same.
 */
export function createProjectsFunction(options: ProjectsFunctionOptions): ProjectsFunction {
  const { pool, log, limits = projectRateLimits } = options
  const rates = new ProjectRates(limits)
  return {
    middleware: async (context, next) => {
      if (context.path !== projectsFunctionPath) {
        await next()
        return
      }
      context.state.route = projectsFunctionPath
      context.set({ 'Cache-Control': 'no-store', 'Vary': 'Origin' })
      try {
        allowOrigin(context, options.allowsOrigin)
        if (context.method === 'OPTIONS') answerPreflight(context)
        else await answer(context, options, rates)
      } catch (error) {
        answerError(context, error, log)
      }
    },
    prune: async () => {
      await query(pool, `delete from projects.saves where saved_at < now() - interval '1 day'`)
    },
  }
}

async function answer(context: RequestContext, { pool, quotas, authenticate, clientOf, holdUser = keptElsewhere }: ProjectsFunctionOptions, rates: ProjectRates): Promise<void> {
  if (context.method !== 'POST') {
    context.set('Allow', 'OPTIONS, POST')
    throw new ApiError(405, 'INVALID_INPUT', `${projectsFunctionPath} takes POST, not ${context.method}.`)
  }
  const network = clientNetwork(clientOf(context.req).address)
  rates.takeClient(network)
  const parts = { pool, quotas, holdUser }
  // Known before the body is read: only who has signed in may send a large one.
  const token = bearerOf(context.get('Authorization'))
  const userId = token === undefined ? undefined : (await authenticate(token)).userId
  const given = await rates.during(userId ?? network, () => call(context, parts, rates, userId))
  context.status = 200
  send(context, { success: true, data: given })
}

async function call(context: RequestContext, parts: ProjectParts, rates: ProjectRates, userId: string | undefined): Promise<unknown> {
  const body = userId === undefined ? await readSmallBody(context) : await readJson(context.req, mostBodyBytes(parts.quotas))
  const { endpoint: name, data } = readData(bodySchema, body)
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

function bearerOf(header: string): string | undefined {
  return /^Bearer +(\S+)\s*$/i.exec(header)?.[1]
}

/** @throws ApiError 403 `ORIGIN_NOT_ALLOWED` for pages of other sites, also of those that have their own name lead here */
function allowOrigin(context: RequestContext, allows: (origin: string) => boolean): void {
  const origin = context.get('Origin')
  if (origin === '') return
  if (!allows(origin)) throw projectError('ORIGIN_NOT_ALLOWED', 'Pages of this origin may not use the projects.')
  context.set('Access-Control-Allow-Origin', origin)
  context.set('Access-Control-Expose-Headers', 'Retry-After, X-Request-Id')
}

function answerPreflight(context: RequestContext): void {
  context.set({
    'Access-Control-Allow-Methods': 'POST',
    // Clients of other servers of this function send the last two.
    'Access-Control-Allow-Headers': 'authorization, content-type, apikey, x-client-info',
    'Access-Control-Max-Age': '600',
  })
  context.status = 204
}

function answerError(context: RequestContext, thrown: unknown, log: Logger): void {
  if (context.res.destroyed) return
  const { requestId } = context.state
  const error = toApiError(thrown)
  if (error.status >= 500) log.error({ err: asError(thrown), requestId, path: context.path }, 'a projects request failed')
  context.status = error.status
  const { retryAfterSeconds, facts } = error.details
  if (typeof retryAfterSeconds === 'number') context.set('Retry-After', String(retryAfterSeconds))
  if (error.status === 401) context.set('WWW-Authenticate', 'Bearer realm="flowfarm"')
  // What is left of the body is not read.
  if (error.status === 413) context.set('Connection', 'close')
  send(context, { success: false, error: { ...(typeof facts === 'object' ? facts : {}), code: codeOf(error), message: error.message } })
}

function send(context: RequestContext, answer: unknown): void {
  context.body = JSON.stringify(answer)
  context.type = 'application/json'
}

/** What is no answer of ours says nothing of itself. */
function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof RetryableError) {
    return new ApiError(503, 'INTERNAL', 'This does not work at the moment; try again.', { cause: thrown, details: { retryAfterSeconds: 1 } })
  }
  return new ApiError(500, 'INTERNAL', 'Something went wrong here; the log tells what.', { cause: thrown })
}

const codes: Readonly<Record<number, string>> = { 401: 'UNAUTHORIZED', 403: 'FORBIDDEN', 404: 'NOT_FOUND', 413: 'TOO_LARGE', 429: 'RATE_LIMITED' }

/** Those of the function are in upper case. Errors of what it works with have others. */
function codeOf({ code, status }: ApiError): string {
  if (/^[A-Z_]+$/.test(code)) return code
  return codes[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_INPUT')
}
