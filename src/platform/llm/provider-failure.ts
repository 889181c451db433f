import { APICallError } from 'ai'
import { ApiError, asError } from '../errors.ts'
import { maskedError, type MaskSecrets } from './mask-secrets.ts'
import type { ModelState } from './model-state.ts'

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
