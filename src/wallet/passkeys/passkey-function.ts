import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import type pg from 'pg'
import { z } from 'zod'
import type { Client } from '../../base/client-address.ts'
import { clientNetwork } from '../../base/client-network.ts'
import { ApiError, asError, RetryableError } from '../../base/errors.ts'
import { leftSignal } from '../../base/http/left-signal.ts'
import type { RequestContext, RequestState } from '../../base/http/requests.ts'
import type { Logger } from '../../base/log.ts'
import type { StatementRunner } from '../../db/named-query.ts'
import { readJson } from '../../base/read-json.ts'
import type { AuthSessions } from '../auth/auth-sessions.ts'
import { RateLimits } from '../limits/rate-limits.ts'
import { allEndpoints } from './endpoints/all-endpoints.ts'
import type { ClientTurn, Endpoint, OpenCall, PasskeyParts, SessionEndpoint } from './endpoints/endpoint.ts'
import { readData } from './endpoints/read-data.ts'
import { functionError } from './function-error.ts'
import { passkeyLimits } from './passkey-limits.ts'
import type { PasskeyLimits } from './passkey-limits.ts'
import type { RelyingParty } from './relying-party.ts'
import type { Caller } from './stores/caller.ts'
import { ChallengeStore } from './stores/challenge-store.ts'
import { PasskeyAudit } from './stores/passkey-audit.ts'
import type { PasskeyNote } from './stores/passkey-audit.ts'
import { PasskeyStore } from './stores/passkey-store.ts'
import { SignInStore } from './stores/sign-in-store.ts'

export interface PasskeyFunctionOptions {
  readonly pool: pg.Pool
  /** For the statements of sign-ins. Default: the pool. */
  readonly statements?: StatementRunner
  readonly log: Logger
  /** Asked at each request: a port that is picked when the service listens may be part of it. */
  readonly relyingParty: () => RelyingParty
  readonly sessions: AuthSessions
  /** Who asks, as far as limits and the audit log are concerned. */
  readonly clientOf: (request: IncomingMessage) => Client
  /** What else the function does for those who are signed in, by the name in `endpoint`. Default: nothing. */
  readonly endpoints?: Readonly<Record<string, SessionEndpoint>>
  /** Told of every line of the audit log. */
  readonly onNote?: ((note: PasskeyNote) => void) | undefined
  /** Default: `passkeyLimits`. */
  readonly limits?: PasskeyLimits
}

export interface PasskeyFunction {
  /** Answers `POST /functions/v1/passkey-auth` and what browsers ask before it; leaves all other paths alone. */
  readonly middleware: Middleware<RequestState>
  /** Removes what is of no use any more; to be called every hour or so. */
  prune(): Promise<void>
}

export const passkeyFunctionPath = '/functions/v1/passkey-auth'

/** The largest response of an authenticator with all that is around it, several times over. */
const mostBodyBytes = 64 * 1024

const body = z.object({ endpoint: z.string().max(100), data: z.unknown().optional() })

/**
 * The passkey function: one POST with `{endpoint, data}`, answered by `{success: true, data}` or `{success: false, error: {code, message}}`
 * under the HTTP status that says the same. Pages of the relying party's origins may call it, and those of no other.
 */
export function createPasskeyFunction(options: PasskeyFunctionOptions): PasskeyFunction {
  const { pool, statements = pool, log, sessions, clientOf, limits = passkeyLimits } = options
  const endpoints = allEndpoints(options.endpoints ?? {})
  const rates = new RateLimits(pool, statements)
  const stores = {
    passkeys: new PasskeyStore(pool, statements), challenges: new ChallengeStore(pool), audit: new PasskeyAudit(pool, options.onNote), signIns: new SignInStore(statements, rates), rates,
  }
  return {
    middleware: async (context, next) => {
      if (context.path !== passkeyFunctionPath) {
        await next()
        return
      }
      context.state.route = passkeyFunctionPath
      context.set({ 'Cache-Control': 'no-store', 'Vary': 'Origin' })
      try {
        const parts: PasskeyParts = { relyingParty: options.relyingParty(), sessions, ...stores, limits, log }
        allowOrigin(context, parts.relyingParty)
        if (context.method === 'OPTIONS') answerPreflight(context)
        else await answer(context, endpoints, { parts, address: clientOf(context.req).address })
      } catch (error) {
        answerError(context, error, log)
      }
    },
    prune: async () => {
      await stores.challenges.prune()
      await stores.rates.prune()
      await stores.audit.prune()
    },
  }
}

async function answer(
  context: RequestContext, endpoints: ReadonlyMap<string, Endpoint>, { parts, address }: { readonly parts: PasskeyParts; readonly address: string },
): Promise<void> {
  if (context.method !== 'POST') {
    context.set('Allow', 'OPTIONS, POST')
    throw new ApiError(405, 'INVALID_INPUT', `${passkeyFunctionPath} takes POST, not ${context.method}.`)
  }
  const { endpoint: name, data } = readData(body, await readJson(context.req, mostBodyBytes))
  const endpoint = endpoints.get(name)
  if (endpoint === undefined) throw functionError('NOT_FOUND', 'Field "endpoint" names nothing that there is.', { field: 'endpoint' })
  const caller: Caller = { address, origin: context.get('Origin') || undefined, userAgent: context.get('User-Agent') || undefined }
  const given = await call(endpoint, name, { caller, data, parts, token: bearerOf(context.get('Authorization')), signal: leftSignal(context.res) })
  context.status = 200
  send(context, { success: true, data: given })
}

interface Called {
  readonly caller: Caller
  readonly data: unknown
  readonly parts: PasskeyParts
  readonly token: string | undefined
  readonly signal: AbortSignal
}

async function call(endpoint: Endpoint, name: string, { token, ...called }: Called): Promise<unknown> {
  const { caller, parts: { rates, limits, audit, sessions } } = called
  const limit = limits[endpoint.limits]
  let userId: string | undefined
  try {
    const turn: ClientTurn = { action: `passkey ${name}`, subject: clientNetwork(caller.address), limit: limit.client, isCounted: false }
    if (endpoint.access === 'open') return await runOpen(endpoint, { ...called, turn })
    await rates.take(turn.action, turn.subject, turn.limit)
    turn.isCounted = true
    if (token === undefined) throw functionError('UNAUTHORIZED', 'Sign in, and send the access token as `Authorization: Bearer <token>`.')
    const signedIn = await sessions.authenticate(token)
    userId = signedIn.user.id
    await rates.take(`passkey ${name} of account`, userId, limit.account)
    return await endpoint.run({ ...called, turn, signedIn })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'RATE_LIMITED') await audit.noteLimited(caller, name, userId)
    throw error
  }
}

/** What is refused before it was counted counts too, and who did it too often is told so. */
async function runOpen(endpoint: Extract<Endpoint, { readonly access: 'open' }>, call: OpenCall): Promise<unknown> {
  try {
    return await endpoint.run(call)
  } catch (error) {
    const { turn, parts: { rates } } = call
    if (!turn.isCounted) await rates.take(turn.action, turn.subject, turn.limit)
    throw error
  }
}

function bearerOf(header: string): string | undefined {
  return /^Bearer +(\S+)\s*$/i.exec(header)?.[1]
}

/** @throws ApiError 403 `ORIGIN_NOT_ALLOWED` for pages of other sites, also of those that have their own name lead here */
function allowOrigin(context: RequestContext, relyingParty: RelyingParty): void {
  const origin = context.get('Origin')
  if (origin === '') return
  if (!relyingParty.allows(origin)) throw functionError('ORIGIN_NOT_ALLOWED', 'Pages of this origin may not use the passkeys.')
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
  // What is away, or not set up, may be asked for by anybody and often.
  if (error.status === 500) log.error({ err: asError(thrown), requestId, path: context.path }, 'a passkey request failed')
  else if (error.status > 500) log.warn({ err: asError(thrown), requestId, path: context.path }, 'a passkey request failed')
  context.status = error.status
  const { retryAfterSeconds } = error.details
  if (typeof retryAfterSeconds === 'number') context.set('Retry-After', String(retryAfterSeconds))
  if (error.status === 401) context.set('WWW-Authenticate', 'Bearer realm="flowfarm"')
  // What is left of the body is not read.
  if (error.status === 413) context.set('Connection', 'close')
  send(context, { success: false, error: { code: codeOf(error), message: error.message } })
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

const codes: Readonly<Record<number, string>> = { 401: 'UNAUTHORIZED', 404: 'NOT_FOUND', 429: 'RATE_LIMITED' }

/** Those of the function are in upper case. Errors of what it works with have others. */
function codeOf({ code, status }: ApiError): string {
  if (/^[A-Z_]+$/.test(code)) return code
  return codes[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_INPUT')
}
