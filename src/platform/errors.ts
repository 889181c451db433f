/**
 * The one error tree. Code that decides whether to try again asks the class, never the message:
 * `RetryableError` may go away by itself, `FatalError` needs a person, `ApiError` is an answer to a client.
 */

/** A fault with a stable, machine-readable `code` (lower case, dashes) and optional facts for the log. */
export abstract class FlowfarmError extends Error {
  readonly code: string
  readonly details: Record<string, unknown>

  constructor(code: string, message: string, options: { cause?: unknown; details?: Record<string, unknown> } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = new.target.name
    this.code = code
    this.details = options.details ?? {}
  }
}

/** Trying again later may work: a node that is busy, a connection that broke, a full disk. Exit code 75. */
export class RetryableError extends FlowfarmError {}

/** Only a person can mend it: bad configuration, a fork deeper than allowed, a newer database. Exit code 1. */
export class FatalError extends FlowfarmError {}

/** An answer of the API: `status` is the HTTP status, `field` names the parameter at fault, if one is. */
export class ApiError extends FlowfarmError {
  readonly status: number
  readonly field: string | undefined

  constructor(
    status: number,
    code: string,
    message: string,
    options: { field?: string; cause?: unknown; details?: Record<string, unknown> } = {},
  ) {
    super(code, message, options)
    this.status = status
    this.field = options.field
  }
}

/** Exit codes that a supervisor can act on. */
export const exitCodes = { done: 0, needsPerson: 1, restartMayHelp: 75 } as const

/**
 * The exit code for an error that ended the process or a command; errors from outside the tree may pass with a
 * restart.
 */
export function exitCodeOf(error: unknown): number {
  const isRefusal = error instanceof ApiError && error.status < 500
  return error instanceof FatalError || isRefusal ? exitCodes.needsPerson : exitCodes.restartMayHelp
}

/**
 * Makes sure that whatever was thrown is an Error with a message and a stack; libraries throw plain copies of
 * errors too.
 */
export function asError(thrown: unknown): Error {
  if (thrown instanceof Error) return thrown
  if (typeof thrown !== 'object' || thrown === null) return new Error(String(thrown))
  if ('message' in thrown && typeof thrown.message === 'string') return Object.assign(new Error(thrown.message), thrown)
  return new Error(jsonOf(thrown))
}

function jsonOf(value: object): string {
  try {
    return JSON.stringify(value)
  } catch {
    return Object.prototype.toString.call(value)
  }
}
