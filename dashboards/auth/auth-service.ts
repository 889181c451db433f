import { ApiProblem, retryAfterOf } from '../kit/api.ts'

/** Whether the same may work at another time: nobody is at fault, and nothing has ended. */
export function mayPass(error: unknown): boolean {
  return (
    error instanceof ApiProblem &&
    (error.status === 0 || error.status === 408 || error.status === 429 || error.status >= 500)
  )
}

/** The names of errors with which browsers end a question for a passkey that nobody answered, or answered with no. */
const notGiven = new Set(['NotAllowedError', 'AbortError'])

/** Puts whatever was thrown into words. */
export function problemText(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (wasNotGiven(error)) return 'No passkey was used: the browser was told no, or nobody answered in time.'
  if (error.name === 'InvalidStateError') return 'This device has a passkey of yours already.'
  if (error.name === 'SecurityError')
    return 'The browser gives this page no passkeys, because of the address at which it was opened.'
  return error.message
}

/** Whether the person let a question for a passkey pass. */
export function wasNotGiven(error: unknown): boolean {
  return error instanceof Error && notGiven.has(error.name)
}

/**
 * Asks a service, and reads its refusals: problems (RFC 9457), those of GoTrue, and those of the passkey function.
 * @throws ApiProblem
 */
export async function callJson<Answer>(url: string, init: RequestInit = {}): Promise<Answer> {
  let response: Response
  try {
    response = await fetch(url, init)
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    throw new ApiProblem(0, 'no-answer', 'There is no answer. Is the network there, and is flowfarm running?')
  }
  const body = await readBody(response)
  if (!response.ok) throw refusalOf(response, body)
  return body as Answer
}

/** A body of JSON, and how to say that it is one. */
export function jsonBody(value: unknown): RequestInit {
  return { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) }
}

async function readBody(response: Response): Promise<unknown> {
  if (response.headers.get('content-type')?.includes('json') !== true) return undefined
  try {
    return await response.json()
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError)
      throw new ApiProblem(0, 'cut-off', 'The answer broke off. Try again.')
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
      `The service answered with status ${response.status}.`,
    retryAfterOf(response),
  )
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}

/** How a page signs people in. */
export interface AuthOptions {
  /** Base URL of the auth endpoint: GoTrue's, or one that speaks as it does. */
  readonly gotrueUrl: string
  /** URL of the passkey-auth function. */
  readonly passkeyAuthUrl: string
  /** Relying party of the passkeys: a domain, without protocol. */
  readonly rpId: string
  /** Name that browsers show when a passkey is made. */
  readonly rpName: string
  /**
   * Domain of the cookie for sessions over several hosts of one site. The cookie itself is set by the service at
   * `sessionUrl`, whose setting has to say the same. Pages of hosts that are not at or below it take no part in the
   * session. Default: whatever that service has set.
   */
  readonly cookieDomain?: string | undefined
  /** Where the cookie is kept: see the service's `/session`. Default: `/session` here. */
  readonly sessionUrl?: string | undefined
  /** Polls for a sign-out elsewhere, also on focus; tabs of a host notify each other anyway. Default: true. */
  readonly enableLogoutDetection?: boolean | undefined
  /** Reads roles and teams from the session: from app_metadata alone, which users cannot change. Default: true. */
  readonly enableRoles?: boolean | undefined
  /** Path or URL to which sign-in with others and links in e-mails come back. Default: /developer/callback. */
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

/** The address to come back to. */
export function callbackUrl({ callbackPath }: Pick<FullAuthOptions, 'callbackPath'>, origin: string): string {
  return new URL(callbackPath, origin).href
}

/**
 * Calls the passkey function.
 * @param accessToken of who asks, where the endpoint wants a session
 * @throws ApiProblem with the code of the function
 */
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
  // A function of somebody else may answer refusals with status 200.
  if (answer.success !== true || answer.data === undefined)
    throw new ApiProblem(
      400,
      answer.error?.code ?? 'UNKNOWN_ERROR',
      answer.error?.message ?? 'The passkey function gave no answer.',
    )
  return answer.data
}
