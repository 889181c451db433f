import { APICallError } from 'ai'
import { ApiError, asError } from '../base/errors.ts'
import type { ModelState } from './model-state.ts'

/** Longest words of a provider that are passed on. */
const mostReasonCharacters = 300

/**
 * A call of a provider that failed for good, in words for whoever asked and for whoever runs the service.
 * @param variable the one that names the model
 */
export function providerFailed({ provider, name }: ModelState, error: unknown, variable = 'LLM_MODEL'): ApiError {
  const waitMs = retryAfterMs(error)
  const details = waitMs === undefined ? {} : { retryAfterSeconds: Math.ceil(waitMs / 1000) }
  const remedy = details.retryAfterSeconds === undefined ? remedyOf(error, variable) : ` It may be asked again in ${details.retryAfterSeconds} s.`
  return new ApiError(502, 'model-failed', `The model ${provider}/${name} failed: ${reasonOf(error)}.${remedy}`, { cause: error, details })
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
function reasonOf(error: unknown): string {
  const status = statusOf(error)
  if (status === undefined || status >= 300) return `${status === undefined ? '' : `HTTP ${status}, `}${wordsOf(error)}`
  const { cause } = asError(error)
  return `its reply cannot be read, ${wordsOf(cause ?? error)}`
}

function wordsOf(error: unknown): string {
  return asError(error).message.trim().replace(/\.$/, '').slice(0, mostReasonCharacters)
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
