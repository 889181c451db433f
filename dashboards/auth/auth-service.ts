import { ApiProblem, retryAfterOf } from '../kit/api.ts'

export function isRetryable(error: unknown): boolean {
  return (
    error instanceof ApiProblem &&
    (error.status === 0 || error.status === 408 || error.status === 429 || error.status >= 500)
  )
}

const dismissedNames = new Set(['NotAllowedError', 'AbortError'])

export function problemText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (wasDismissed(error)) return 'No passkey was used: the request was cancelled or timed out. Try again.'
  if (error.name === 'InvalidStateError') return 'This device already has one of your passkeys.'
  if (error.name === 'SecurityError') return 'Passkeys do not work at this address. Open the wallet at its own address.'
  return error.message
}

export function wasDismissed(error: unknown): boolean {
  return error instanceof Error && dismissedNames.has(error.name)
}

/**
 * Reads errors as problem details (RFC 9457), and in the forms of GoTrue and of the passkey
 * function. @throws ApiProblem
 */
export async function callJson<Answer>(url: string, init: RequestInit = {}): Promise<Answer> {
  let response: Response
  try {
    response = await fetch(url, init)
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    throw new ApiProblem(
      0,
      'no-answer',
      'The server is not reachable. Check your network connection and that flowfarm is running.',
    )
  }
  const body = await readBody(response)
  if (!response.ok) throw refusalOf(response, body)
  return body as Answer
}

export function jsonBody(value: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

async function readBody(response: Response): Promise<unknown> {
  if (response.headers.get('content-type')?.includes('json') !== true) return undefined
  try {
    return await response.json()
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError)
      throw new ApiProblem(0, 'cut-off', 'The response was cut off. Try again.')
    throw error
  }
}

function refusalOf(response: Response, body: unknown): ApiProblem {
  const all = objectOf(body)
  const inner = objectOf(all['error'])
  const text = (...values: readonly unknown[]): string | undefined =>
    values.find((value): value is string => typeof value === 'string' && value !== '')
  return new ApiProblem(
    response.status,
    text(inner['code'], all['error_code'], all['code']) ?? `http-${response.status}`,
    text(inner['message'], all['detail'], all['msg'], all['message']) ??
      `The server returned status ${response.status}.`,
    retryAfterOf(response),
  )
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}

export interface AuthOptions {
  readonly gotrueUrl: string
  readonly passkeyAuthUrl: string
  /** Relying party of the passkeys: a domain. */
  readonly rpId: string
  readonly rpName: string
  /**
   * Domain of the session cookie for several hosts of one site; must match the setting of the
   * service at `sessionUrl`. Pages on hosts outside it have no session.
   */
  readonly cookieDomain?: string | undefined
  readonly sessionUrl?: string | undefined
  /** Polls for a sign-out elsewhere. Tabs of one host notify each other anyway. Default: true. */
  readonly enableLogoutDetection?: boolean | undefined
  /** From app_metadata, which users cannot change. Default: true. */
  readonly enableRoles?: boolean | undefined
  /** Target of OAuth providers and e-mail links. Default: /developer/callback. */
  readonly callbackPath?: string | undefined
}

export type FullAuthOptions = {
  readonly [Name in Exclude<keyof AuthOptions, 'cookieDomain'>]-?: NonNullable<AuthOptions[Name]>
} & Pick<AuthOptions, 'cookieDomain'>

export function fullOptions(options: AuthOptions): FullAuthOptions {
  const {
    sessionUrl = '/session',
    enableLogoutDetection = true,
    enableRoles = true,
    callbackPath = '/developer/callback',
  } = options
  return {
    ...options,
    sessionUrl,
    enableLogoutDetection,
    enableRoles,
    callbackPath,
    gotrueUrl: options.gotrueUrl.replace(/\/$/, ''),
  }
}

export function callbackUrl({ callbackPath }: Pick<FullAuthOptions, 'callbackPath'>, origin: string): string {
  return new URL(callbackPath, origin).href
}

/** @throws ApiProblem with the code of the function */
export async function callFunction<Data>(
  { passkeyAuthUrl }: Pick<FullAuthOptions, 'passkeyAuthUrl'>,
  endpoint: string,
  data: unknown,
  accessToken?: string,
): Promise<Data> {
  const call = jsonBody({ endpoint, data })
  const answer = await callJson<{
    readonly success?: boolean
    readonly data?: Data
    readonly error?: { readonly code?: string; readonly message?: string }
  }>(passkeyAuthUrl, {
    ...call,
    headers: {
      'content-type': 'application/json',
      ...(accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }),
    },
  })
  // Third-party functions may return errors with status 200.
  if (answer.success !== true || answer.data === undefined)
    throw new ApiProblem(
      400,
      answer.error?.code ?? 'UNKNOWN_ERROR',
      answer.error?.message ?? 'The passkey function returned no data.',
    )
  return answer.data
}
