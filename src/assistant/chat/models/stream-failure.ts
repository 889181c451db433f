import { APICallError } from 'ai'

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
