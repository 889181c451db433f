/**
 * Carries a stable machine `code` (lower case, dashes). Code that decides whether to retry tests
 * the class, never the message.
 */
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

/** A retry may succeed. Exit code 75. */
export class RetryableError extends FlowfarmError {}

/** The operator must act. Exit code 1. */
export class FatalError extends FlowfarmError {}

/** `status` is the HTTP status, `field` the invalid parameter. */
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

export const exitCodes = { success: 0, operatorActionRequired: 1, temporaryFailure: 75 } as const

/** Unknown errors count as temporary. */
export function exitCodeOf(error: unknown): number {
  const isRefusal = error instanceof ApiError && error.status < 500
  return error instanceof FatalError || isRefusal ? exitCodes.operatorActionRequired : exitCodes.temporaryFailure
}

/** Some libraries throw plain objects with the fields of an error. */
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
