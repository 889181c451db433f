/** Why something was not done, in words for people. `status` 0: nothing came back at all. */
export class WalletProblem extends Error {
  readonly status: number
  /** Of the passkey function, the auth server or a problem, as it was written there. */
  readonly code: string
  /** How long to wait before another try, where the service says so. */
  readonly retryAfterS: number | undefined

  constructor(status: number, code: string, message: string, retryAfterS?: number) {
    super(message)
    this.name = 'WalletProblem'
    this.status = status
    this.code = code
    this.retryAfterS = retryAfterS
  }
}

/** Whether the same may work at another time: nobody is at fault, and nothing has ended. */
export function mayPass(error: unknown): boolean {
  return (
    error instanceof WalletProblem &&
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
 * @throws WalletProblem
 */
export async function callJson<Answer>(url: string, init: RequestInit = {}): Promise<Answer> {
  let response: Response
  try {
    response = await fetch(url, init)
  } catch (error) {
    if (init.signal?.aborted === true) throw error
    throw new WalletProblem(0, 'no-answer', 'There is no answer. Is the network there, and is flowfarm running?')
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
      throw new WalletProblem(0, 'cut-off', 'The answer broke off. Try again.')
    throw error
  }
}

function refusalOf(response: Response, body: unknown): WalletProblem {
  const all = objectOf(body)
  const inner = objectOf(all['error'])
  const text = (...values: readonly unknown[]): string | undefined =>
    values.find((value): value is string => typeof value === 'string' && value !== '')
  const wait = Number(response.headers.get('retry-after'))
  return new WalletProblem(
    response.status,
    text(inner['code'], all['error_code'], all['code']) ?? `http-${response.status}`,
    text(inner['message'], all['detail'], all['msg'], all['message']) ??
      `The service answered with status ${response.status}.`,
    wait > 0 ? wait : undefined,
  )
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {}
}
