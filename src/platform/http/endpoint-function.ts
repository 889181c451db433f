import type { Middleware } from 'koa'
import { z } from 'zod'
import { ApiError, asError, RetryableError } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { RequestContext, RequestState } from './requests.ts'

export const endpointCall = z.object({ endpoint: z.string().max(100), data: z.unknown().optional() })

export interface EndpointFunctionOptions {
  readonly path: string
  readonly failed: string
  readonly log: Logger
  readonly allowsOrigin: (origin: string) => boolean
  readonly notAllowed: () => ApiError
  /** By status, for errors without an upper-case code. */
  readonly codes: Readonly<Record<number, string>>
  /** Returns the `data` of the response. */
  readonly run: (context: RequestContext) => Promise<unknown>
}

/**
 * An RPC endpoint: POST `{endpoint, data}`, answered by `{success: true, data}` or `{success:
 * false, error: {code, message, …}}` with the matching HTTP status.
 */
export function endpointFunction(options: EndpointFunctionOptions): Middleware<RequestState> {
  const { path } = options
  return async (context, next) => {
    if (context.path !== path) {
      await next()
      return
    }
    context.state.route = path
    context.set({ 'Cache-Control': 'no-store', Vary: 'Origin' })
    try {
      allowOrigin(context, options)
      if (context.method === 'OPTIONS') answerPreflight(context)
      else await answer(context, options)
    } catch (error) {
      answerError(context, error, options)
    }
  }
}

async function answer(context: RequestContext, { path, run }: EndpointFunctionOptions): Promise<void> {
  if (context.method !== 'POST') {
    context.set('Allow', 'OPTIONS, POST')
    throw new ApiError(405, 'INVALID_INPUT', `${path} accepts POST, not ${context.method}.`)
  }
  const data = await run(context)
  context.status = 200
  send(context, { success: true, data })
}

function allowOrigin(context: RequestContext, { allowsOrigin, notAllowed }: EndpointFunctionOptions): void {
  const origin = context.get('Origin')
  if (origin === '') return
  if (!allowsOrigin(origin)) throw notAllowed()
  context.set('Access-Control-Allow-Origin', origin)
  context.set('Access-Control-Expose-Headers', 'Retry-After, X-Request-Id')
}

function answerPreflight(context: RequestContext): void {
  context.set({
    'Access-Control-Allow-Methods': 'POST',
    // Clients of Supabase functions send the last two.
    'Access-Control-Allow-Headers': 'authorization, content-type, apikey, x-client-info',
    'Access-Control-Max-Age': '600',
  })
  context.status = 204
}

function answerError(context: RequestContext, thrown: unknown, { log, failed, codes }: EndpointFunctionOptions): void {
  if (context.res.destroyed) return
  const { requestId } = context.state
  const error = toApiError(thrown)
  const isBusy = error.code === 'busy'
  // Outages and overload are frequent, so they are not logged as errors.
  if (error.status === 500) log.error({ err: asError(thrown), requestId, path: context.path }, failed)
  else if (error.status > 500 && !isBusy) log.warn({ err: asError(thrown), requestId, path: context.path }, failed)
  context.status = error.status
  const { retryAfterSeconds, facts } = error.details
  if (typeof retryAfterSeconds === 'number') context.set('Retry-After', String(retryAfterSeconds))
  if (error.status === 401) context.set('WWW-Authenticate', 'Bearer realm="flowfarm"')
  // The rest of the body is not read.
  if (error.status === 413 || isBusy) context.set('Connection', 'close')
  send(context, {
    success: false,
    error: { ...(typeof facts === 'object' ? facts : {}), code: codeOf(error, codes), message: error.message },
  })
}

function send(context: RequestContext, answered: unknown): void {
  context.body = JSON.stringify(answered)
  context.type = 'application/json'
}

/** Other errors reveal nothing. */
function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof RetryableError) {
    return new ApiError(503, 'INTERNAL', 'The service is temporarily unavailable. Try again.', {
      cause: thrown,
      details: { retryAfterSeconds: 1 },
    })
  }
  return new ApiError(500, 'INTERNAL', 'Internal error. See the log.', { cause: thrown })
}

/** Clients expect upper-case codes. */
function codeOf({ code, status }: ApiError, codes: Readonly<Record<number, string>>): string {
  if (/^[A-Z_]+$/.test(code)) return code
  return codes[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_INPUT')
}
