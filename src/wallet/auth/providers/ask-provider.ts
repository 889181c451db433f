import { ApiError } from '../../../base/errors.ts'
import { responseText } from '../../../base/response-text.ts'
import { authError } from '../auth-error.ts'

const patienceMs = 10_000
const mostBytes = 1024 * 1024

/**
 * The answer of a provider as JSON. What it says in an error stays here: it may repeat what it was asked with.
 * @throws ApiError 502 `unexpected_failure`
 */
export async function askProvider(url: string, init: RequestInit): Promise<unknown> {
  try {
    const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(patienceMs) })
    const text = await responseText(response, mostBytes, () => new Error('too long'))
    // Those of OAuth come as 400, and are told apart by who asked.
    if (!response.ok && response.status !== 400) throw providerAway(`it answered ${response.status}`)
    return JSON.parse(text) as unknown
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw providerAway(error instanceof SyntaxError ? 'its answer is no JSON' : 'it did not answer')
  }
}

/** Trades a code for tokens (RFC 6749 §4.1.3, RFC 7636 §4.5). @throws ApiError 400 `bad_oauth_callback`, 502 */
export async function tradeCode(
  url: string,
  form: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, unknown>>> {
  const answer = asRecord(
    await askProvider(url, {
      method: 'POST',
      headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ grant_type: 'authorization_code', ...form }).toString(),
    }),
  )
  // GitHub says so with status 200.
  const { error } = answer
  if (error === undefined) return answer
  // Such as incorrect_client_credentials: for the operator, who has to know which it is.
  const reason = typeof error === 'string' && /^[a-z_]{1,60}$/.test(error) ? error : 'no word of OAuth'
  throw authError(400, 'bad_oauth_callback', 'The provider did not take its code back: begin again.', { reason })
}

export function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw providerAway('its answer is no object')
}

export function providerAway(reason: string): ApiError {
  return authError(
    502,
    'unexpected_failure',
    `The provider cannot tell who you are at the moment (${reason}): try again.`,
  )
}

export function emailUnverified(provider: string): ApiError {
  return authError(
    422,
    'provider_email_needs_verification',
    `Your account at ${provider} has no verified e-mail address: verify it there, or sign in by e-mail here.`,
  )
}

/** The texts among some fields, cut to a length that a profile needs. */
export function shortTexts(
  from: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, string>>,
): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, source] of Object.entries(names)) {
    const value = from[source]
    if (typeof value === 'string' && value !== '')
      found[name] = value.toWellFormed().replaceAll('\0', '').slice(0, 500).toWellFormed()
  }
  return found
}
