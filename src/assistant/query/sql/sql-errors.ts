import { ApiError } from '../../../platform/errors.ts'

/** Why a statement is refused. */
export type RefusalCode =
  /** A word that the specification forbids anywhere. */
  | 'sql-keyword'
  /** Not exactly one SELECT. */
  | 'sql-not-select'
  /** Not SQL that PostgreSQL can parse. */
  | 'sql-syntax'
  /** A form of SELECT that writes or locks: INTO, FOR UPDATE, a parameter. */
  | 'sql-clause'
  | 'sql-function'
  | 'sql-operator'
  | 'sql-type'
  | 'sql-relation'
  /** Empty, too long, too deep, or with characters that no statement has. */
  | 'sql-text'

/**
 * A statement that the gate refuses and that was not sent to the database. The message names the reason and the
 * remedy.
 */
export class SqlRefusal extends ApiError {
  constructor(code: RefusalCode, message: string, options: { cause?: unknown } = {}) {
    super(400, code, message, { field: 'sql', ...options })
  }
}

/** The server's error. */
export interface StatementFault {
  /** SQLSTATE, such as 42703 for a column that does not exist. */
  readonly sqlState: string
  /** Position in the statement, in characters from 1. */
  readonly position?: number
  readonly hint?: string
}

/** A statement that passed the gate and failed in the database: a wrong column, a division by zero. */
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

/** QUERY_TIMEOUT_S was exceeded. */
export function timedOut(seconds: number, cause?: unknown): ApiError {
  return new ApiError(
    504,
    'sql-timeout',
    `The statement took longer than ${seconds} s and was ended: ask for less, such as fewer blocks or days.`,
    { field: 'sql', cause },
  )
}

/** The session reached its memory limit (see `session-memory.ts`), or the server is out of memory. */
export function outOfMemory(cause: unknown): ApiError {
  return new ApiError(
    400,
    'sql-memory',
    'The statement took more memory than the database gives to one: ask for fewer or shorter values at once.',
    { field: 'sql', cause },
  )
}

/** The client disconnected. 499 is what proxies log. */
export function askerLeft(cause?: unknown): ApiError {
  return new ApiError(499, 'sql-cancelled', 'The statement was cancelled.', { cause })
}

/** All slots are in use and the queue is full. */
export function tooBusy(retryAfterSeconds: number): ApiError {
  return new ApiError(503, 'sql-busy', 'Too many statements are waiting for their turn. Try again shortly.', {
    details: { retryAfterSeconds },
  })
}

/** The client's queue is full. */
export function tooManyStatements(waiting: number, retryAfterSeconds: number): ApiError {
  const text = `Too many statements: ${waiting} of this client are waiting, which is the limit.`
  return new ApiError(429, 'too-many-statements', `${text} Try again in ${retryAfterSeconds} s.`, {
    details: { retryAfterSeconds },
  })
}

/** Sessions that do not end hold all slots of the client. Waiting does not help: the operator has to end them. */
export function slotsStuck(retryAfterSeconds: number): ApiError {
  const text = 'No slot for statements is left: database sessions that do not end hold all of them.'
  return new ApiError(503, 'sql-stuck', `${text} The operator has been alerted. Try again later.`, {
    details: { retryAfterSeconds },
  })
}

/** Not even one row fits into an answer. */
export function rowTooLarge(maxBytes: number): ApiError {
  return new ApiError(
    400,
    'sql-row-too-large',
    `A single row is larger than the ${maxBytes} bytes of an answer: select fewer columns, or parts of them ` +
      'with left() or substr().',
    { field: 'sql' },
  )
}

/** The database does not answer. The cause is for the log. */
export function databaseUnavailable(cause: unknown): ApiError {
  return new ApiError(503, 'sql-unavailable', 'The database cannot be reached at the moment. Try again shortly.', {
    cause,
    details: { retryAfterSeconds: 5 },
  })
}
