import { ApiError } from '../../../platform/errors.ts'

export type RefusalCode =
  | 'sql-keyword'
  | 'sql-not-select'
  | 'sql-syntax'
  /** A form of SELECT that writes or locks: INTO, FOR UPDATE, a parameter. */
  | 'sql-clause'
  | 'sql-function'
  | 'sql-operator'
  | 'sql-type'
  | 'sql-relation'
  /** Empty, too long, too deeply nested, or with invalid characters. */
  | 'sql-text'

/** Refused by the gate and not sent to the database. */
export class SqlRefusal extends ApiError {
  constructor(code: RefusalCode, message: string, options: { cause?: unknown } = {}) {
    super(400, code, message, { field: 'sql', ...options })
  }
}

export interface StatementFault {
  readonly sqlState: string
  /** In characters, from 1. */
  readonly position?: number
  readonly hint?: string
}

export class SqlStatementError extends ApiError {
  readonly sqlState: string
  readonly position: number | undefined
  readonly hint: string | undefined

  constructor(message: string, fault: StatementFault, cause: unknown) {
    super(400, 'sql-failed', message, { field: 'sql', cause, details: { ...fault } })
    this.sqlState = fault.sqlState
    this.position = fault.position
    this.hint = fault.hint
  }
}

export function timedOut(seconds: number, cause?: unknown): ApiError {
  return new ApiError(
    504,
    'sql-timeout',
    `The statement timed out after ${seconds} s. Reduce its work, for example to fewer blocks or days.`,
    { field: 'sql', cause },
  )
}

export function outOfMemory(cause: unknown): ApiError {
  return new ApiError(400, 'sql-memory', 'The statement exceeded its memory limit. Select fewer or shorter values.', {
    field: 'sql',
    cause,
  })
}

/** Proxies log 499. */
export function clientLeft(cause?: unknown): ApiError {
  return new ApiError(499, 'sql-cancelled', 'The statement was cancelled.', { cause })
}

export function tooBusy(retryAfterSeconds: number): ApiError {
  return new ApiError(503, 'sql-busy', `Too many queued statements. Try again in ${retryAfterSeconds} s.`, {
    details: { retryAfterSeconds },
  })
}

export function tooManyStatements(waiting: number, retryAfterSeconds: number): ApiError {
  const text = `Too many queued statements of this client (${waiting}).`
  return new ApiError(429, 'too-many-statements', `${text} Try again in ${retryAfterSeconds} s.`, {
    details: { retryAfterSeconds },
  })
}

export function slotsStuck(retryAfterSeconds: number): ApiError {
  const text = 'No free slot: some or all are held by database sessions that do not terminate.'
  return new ApiError(503, 'sql-stuck', `${text} The operator has been alerted. Try again later.`, {
    details: { retryAfterSeconds },
  })
}

export function rowTooLarge(maxBytes: number): ApiError {
  return new ApiError(
    400,
    'sql-row-too-large',
    `A single row exceeds the result limit of ${maxBytes} bytes. Select fewer columns, or parts of them with ` +
      'left() or substr().',
    { field: 'sql' },
  )
}

export function databaseUnavailable(cause: unknown): ApiError {
  return new ApiError(503, 'sql-unavailable', 'The database is unreachable. Try again in 5 s.', {
    cause,
    details: { retryAfterSeconds: 5 },
  })
}
