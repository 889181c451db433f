import { APICallError } from 'ai'
import { ApiError, asError } from '../errors.ts'
import { maskedError } from './mask-secrets.ts'
import type { MaskSecrets } from './mask-secrets.ts'
import type { ModelState } from './settings.ts'

/** Longest words of a provider that are passed on. */
const mostReasonCharacters = 300

/**
 * A call of a provider that failed for good, in words for whoever asked and for whoever runs the service.
 * @param maskText `maskSecrets` of the model, for what callers and the log get
 * @param variable the one that names the model
 */
export function providerFailed(
  { provider, name }: ModelState,
  error: unknown,
  maskText: MaskSecrets,
  variable = 'LLM_MODEL',
): ApiError {
  const waitMs = retryAfterMs(error)
  const details = waitMs === undefined ? {} : { retryAfterSeconds: Math.ceil(waitMs / 1000) }
  const remedy =
    details.retryAfterSeconds === undefined
      ? remedyOf(error, variable)
      : ` It may be asked again in ${details.retryAfterSeconds} s.`
  const text = `The model ${provider}/${name} failed: ${reasonOf(error, maskText)}.${remedy}`
  return new ApiError(502, 'model-failed', text, { cause: maskedError(error, maskText), details })
}

/** What the provider's `Retry-After` says, ms: seconds or a date. */
export function retryAfterMs(error: unknown): number | undefined {
  if (!APICallError.isInstance(error)) return undefined
  const text = error.responseHeaders?.['retry-after']
  if (text === undefined) return undefined
  const ms = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** Without the address and the body of the call, which are nobody's business, and without the full stop at its end. */
function reasonOf(error: unknown, maskText: MaskSecrets): string {
  const status = statusOf(error)
  if (status === undefined) return wordsOf(error, maskText)
  if (status >= 300) return `HTTP ${status}, ${wordsOf(error, maskText)}`
  const { cause } = asError(error)
  return `its reply cannot be read, ${wordsOf(cause ?? error, maskText)}`
}

function wordsOf(error: unknown, maskText: MaskSecrets): string {
  // Masked before it is cut, which could leave half of a key.
  return maskText(asError(error).message).trim().replace(/\.$/, '').slice(0, mostReasonCharacters)
}

function statusOf(error: unknown): number | undefined {
  return APICallError.isInstance(error) ? error.statusCode : undefined
}

/** What to look at, where the status tells. */
function remedyOf(error: unknown, variable: string): string {
  const status = statusOf(error)
  if (status === 401 || status === 403) return ' Check LLM_API_KEY.'
  if (status === 404) return ` Check ${variable} and LLM_BASE_URL.`
  if (status !== undefined && status >= 400) return ''
  return status === undefined ? ' Check LLM_BASE_URL and the network.' : ' Check LLM_BASE_URL.'
}

/** A reply that failed after it had begun: by an error that the provider sent within it, or by its connection. */
export class StreamFailure extends Error {
  /** Whether the same call may go well in a moment. */
  readonly mayPass: boolean

  constructor(message: string, { mayPass, cause }: { readonly mayPass: boolean; readonly cause?: unknown }) {
    super(message, { cause })
    this.mayPass = mayPass
  }
}

/** What providers call errors that nobody has to mend. */
const passing = /overloaded|rate_limit|api_error|server_error|internal_error|unavailable|timeout/i

/** What came in place of a stream's next part, in a form of its own. */
export function streamBroke(error: unknown): Error {
  if (error instanceof StreamFailure) return error
  if (isDisconnect(error)) return brokenOff(error)
  if (APICallError.isInstance(error)) return error
  const { message, type, code } = detailsOf(error)
  return message === undefined
    ? brokenOff(error)
    : new StreamFailure(message, { mayPass: passing.test(`${type ?? ''} ${code ?? ''}`), cause: error })
}

/** The reply ended without saying so. */
export function brokenOff(cause?: unknown): StreamFailure {
  return new StreamFailure('the connection ended before the answer did', { mayPass: true, cause })
}

/** A reply without a word that was none from the beginning, as of a page at a wrong address. @returns undefined: it was a stream, or may have been */
export function noStream(contentType: string | undefined): Error | undefined {
  const kind = contentType?.split(';')[0]?.trim().toLowerCase() ?? ''
  if (!/^[\w.+-]{1,40}\/[\w.+-]{1,40}$/.test(kind) || kind === 'text/event-stream') return undefined
  return new APICallError({
    message: `it is ${kind} and no stream of events`,
    url: '',
    requestBodyValues: {},
    statusCode: 200,
    isRetryable: false,
  })
}

/**
 * `fetch` tells of a connection that ended within a body by a TypeError `terminated`, which the SDK may have put into another error. Of one
 * that ended in order, but too early, some of its providers tell by words of their own.
 */
export function isDisconnect(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    (error instanceof TypeError && error.message === 'terminated') ||
    error.message.includes('ended without a finish reason') ||
    isDisconnect(error.cause)
  )
}

/** Whether the same call may go well in a moment. */
export function isWorthAnotherTry(error: unknown): boolean {
  return APICallError.isInstance(error) ? error.isRetryable : error instanceof StreamFailure && error.mayPass
}

interface Details {
  readonly message?: string | undefined
  readonly type?: string | undefined
  readonly code?: string | undefined
}

/** Errors within a stream are objects of each provider's own form, some with another one in them. */
function detailsOf(error: unknown): Details {
  if (typeof error === 'string') return { message: error }
  if (typeof error !== 'object' || error === null) return {}
  const { error: inner, message, type, code, data } = error as Record<string, unknown>
  if (typeof inner === 'object' && inner !== null) return detailsOf(inner)
  return { message: textOr(message), type: textOr(type) ?? detailsOf(data).type, code: textOr(code) }
}

function textOr(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
