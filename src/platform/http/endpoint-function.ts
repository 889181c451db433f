import type { Middleware } from 'koa'
import { z } from 'zod'
import { ApiError, asError, RetryableError } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { RequestContext, RequestState } from './requests.ts'

/** The body of every call: which endpoint, and what it is given. */
export const endpointCall = z.object({ endpoint: z.string().max(100), data: z.unknown().optional() })

export interface EndpointFunctionOptions {
  readonly path: string
  /** What the log says of a call that failed here, such as `a passkey request failed`. */
  readonly failed: string
  readonly log: Logger
  /** Whether pages of an origin, such as `https://wallet.example.com`, may call it. */
  readonly allowsOrigin: (origin: string) => boolean
  /** What other pages are told, also those that have their own name lead here. */
  readonly notAllowed: () => ApiError
  /**
   * Codes of errors that have none in upper case, by status; others are `INTERNAL` from 500 on, and `INVALID_INPUT`
   * below.
   */
  readonly codes: Readonly<Record<number, string>>
  /**
   * Does what a POST asks, and gives the `data` of the answer. What it throws is answered, with `facts` of its
   * details beside code and message.
   */
  readonly run: (context: RequestContext) => Promise<unknown>
}

/**
 * A function at one path: POST with `{endpoint, data}`, answered by `{success: true, data}` or `{success: false,
 * error: {code, message, …}}` under the HTTP status that says the same. Leaves all other paths alone.
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
    throw new ApiError(405, 'INVALID_INPUT', `${path} takes POST, not ${context.method}.`)
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
    // Clients of other servers of such functions send the last two.
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
  // What is away, or not set up, may be asked for by anybody and often; and how much is asked of it is no fault.
  if (error.status === 500) log.error({ err: asError(thrown), requestId, path: context.path }, failed)
  else if (error.status > 500 && !isBusy) log.warn({ err: asError(thrown), requestId, path: context.path }, failed)
  context.status = error.status
  const { retryAfterSeconds, facts } = error.details
  if (typeof retryAfterSeconds === 'number') context.set('Retry-After', String(retryAfterSeconds))
  if (error.status === 401) context.set('WWW-Authenticate', 'Bearer realm="flowfarm"')
  // What is left of the body is not read.
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

/** What is no answer of ours says nothing of itself. */
function toApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown
  if (thrown instanceof RetryableError) {
    return new ApiError(503, 'INTERNAL', 'This does not work at the moment; try again.', {
      cause: thrown,
      details: { retryAfterSeconds: 1 },
    })
  }
  return new ApiError(500, 'INTERNAL', 'Something went wrong here; the log tells what.', { cause: thrown })
}

/** Errors of what a function works with have codes in lower case, which clients of it do not know. */
function codeOf({ code, status }: ApiError, codes: Readonly<Record<number, string>>): string {
  if (/^[A-Z_]+$/.test(code)) return code
  return codes[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_INPUT')
}
