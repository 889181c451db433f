import { DatabaseError } from 'pg'
import { asError, FlowfarmError, RetryableError } from '../platform/errors.ts'
import type { HeightRange } from '../platform/ranges.ts'

/**
 * Data exceptions, constraint violations, limits of the program: PostgreSQL will refuse these rows again. SQLSTATE
 * classes.
 */
const refusals: ReadonlySet<string> = new Set(['22', '23', '54'])

/** A block was fetched but cannot be stored, and fetching it again helps only where a node gives another. */
export class BadBlockError extends RetryableError {
  /** Where the block is: more than one height while it is not known which of them is bad. */
  readonly range: HeightRange
  readonly endpoint: string

  constructor(
    code: 'rows-refused' | 'wrong-parent',
    range: HeightRange,
    message: string,
    { endpoint = '', cause }: { endpoint?: string; cause?: unknown } = {},
  ) {
    super(code, message, { cause, details: { from: range.from, to: range.to } })
    this.range = range
    this.endpoint = endpoint
  }
}

/** What was thrown while the rows of a range were made or sent, as the fault of a block. */
export function rowsRefused(range: HeightRange, cause: unknown): BadBlockError {
  const heights = range.to - range.from === 1 ? `height ${range.from}` : `heights ${range.from} to ${range.to - 1}`
  return new BadBlockError(
    'rows-refused',
    range,
    `the rows of ${heights} cannot be stored: ${asError(cause).message}`,
    { cause },
  )
}

/**
 * Whether PostgreSQL refuses the rows for what is in them. A duplicate is that only where a block has the id of
 * another: rows of the same height are those of another ingester (`RowsThereError`).
 */
export function isRefusal(error: unknown): boolean {
  const thrown = databaseErrorOf(error)
  if (thrown?.code === undefined) return false
  return thrown.code === uniqueViolation ? thrown.table === 'block_lookup' : refusals.has(thrown.code.slice(0, 2))
}

export const uniqueViolation = '23505'

/** The server's own error, as `pg` or `copyInto` throws it. */
export function databaseErrorOf(error: unknown): DatabaseError | undefined {
  const thrown = error instanceof FlowfarmError ? error.cause : error
  return thrown instanceof DatabaseError ? thrown : undefined
}

/** The node's chain does not continue the stored one: at or below `height` they part. */
export class ForkError extends FlowfarmError {
  readonly height: number
  /** The node that gave the block that does not fit, where it was a block. */
  readonly endpoint: string | undefined

  constructor(height: number, message: string, endpoint?: string) {
    super('fork', message)
    this.height = height
    this.endpoint = endpoint
  }
}

/**
 * Rows of a batch are there already, although its heights were not covered when it was planned. That is a commit of an
 * ingester that was killed a moment ago, which the server still finished: the next look at the coverage shows it.
 */
export class RowsThereError extends RetryableError {
  constructor({ from, to }: HeightRange, cause: unknown) {
    super('rows-there', `rows of heights ${from} to ${to - 1} are stored already`, { cause, details: { from, to } })
  }
}
