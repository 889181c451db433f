import { ApiError, asError, RetryableError } from '../../../base/errors.ts'
import type { RequestContext } from '../../../base/http/requests.ts'
import type { Logger } from '../../../base/log.ts'
import { asDatabaseError } from '../../../db/errors.ts'
import { authError } from '../auth-error.ts'

const versionHeader = 'X-Supabase-Api-Version'
/** From this version on errors have their code as `code`. */
const codeVersion = '2024-01-01'

/** Answers an error as GoTrue does, in the form of the version that the client asks for. */
export function answerError(context: RequestContext, thrown: unknown, log: Logger): void {
  if (context.res.destroyed) return
  const { status, code, message, details } = asAuthError(thrown)
  const { requestId } = context.state
  if (status === 500) log.error({ err: asError(thrown), requestId, path: context.path }, 'a request failed')
  else if (status > 500) log.warn({ requestId, path: context.path, code, reason: message }, 'a request failed')
  const isNew = context.get(versionHeader) >= codeVersion
  if (isNew) context.set(versionHeader, codeVersion)
  context.set({ 'Cache-Control': 'no-store', 'X-Sb-Error-Code': code })
  const { retryAfterSeconds, facts } = details
  if (typeof retryAfterSeconds === 'number') context.set('Retry-After', String(retryAfterSeconds))
  if (status === 401) context.set('WWW-Authenticate', 'Bearer realm="flowfarm"')
  // What is left of the body is not read.
  if (status === 413) context.set('Connection', 'close')
  context.status = status
  context.body = JSON.stringify({
    ...(typeof facts === 'object' ? facts : {}),
    ...(isNew ? { code, message } : { code: status, error_code: code, msg: message }),
  })
  context.type = 'application/json'
}

/** Whatever was thrown, in the words of GoTrue. */
export function asAuthError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) {
    // Errors of other rooms have dashes in their codes.
    if (!thrown.code.includes('-')) return thrown
    const code =
      thrown.code === 'bad-json' ? 'bad_json' : thrown.code === 'unknown-path' ? 'not_found' : 'validation_failed'
    return authError(thrown.status, code, thrown.message, thrown.details)
  }
  if (asDatabaseError(thrown) instanceof RetryableError) {
    return authError(503, 'unexpected_failure', 'The database does not answer at the moment; try again.', {
      retryAfterSeconds: 1,
    })
  }
  return authError(500, 'unexpected_failure', 'Something went wrong here; the log tells what.')
}
