import { DatabaseError } from 'pg'
import { asError, FlowfarmError, RetryableError } from '../platform/errors.ts'
import type { HeightRange } from '../platform/ranges.ts'

/** SQLSTATE classes: data exceptions, constraint violations, program limits. */
const refusals: ReadonlySet<string> = new Set(['22', '23', '54'])

/** Only the block of another node may be correct. */
export class BadBlockError extends RetryableError {
  /** Several heights while the bad one is unknown. */
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
 * A duplicate counts only if the id belongs to another block: rows of the same height are those of
 * another ingester (`RowsExistError`).
 */
export function isRefusal(error: unknown): boolean {
  const thrown = databaseErrorOf(error)
  if (thrown?.code === undefined) return false
  return thrown.code === uniqueViolation ? thrown.table === 'block_lookup' : refusals.has(thrown.code.slice(0, 2))
}

export const uniqueViolation = '23505'

/** As thrown by `pg` or `copyInto`. */
export function databaseErrorOf(error: unknown): DatabaseError | undefined {
  const thrown = error instanceof FlowfarmError ? error.cause : error
  return thrown instanceof DatabaseError ? thrown : undefined
}

/** The node's chain and the stored one diverge at or below `height`. */
export class ForkError extends FlowfarmError {
  readonly height: number
  readonly endpoint: string | undefined

  constructor(height: number, message: string, endpoint?: string) {
    super('fork', message)
    this.height = height
    this.endpoint = endpoint
  }
}

/**
 * Rows of a batch already exist: the commit of an ingester that was just killed. The next read of
 * the coverage shows it.
 */
export class RowsExistError extends RetryableError {
  constructor({ from, to }: HeightRange, cause: unknown) {
    super('rows-exist', `rows of heights ${from} to ${to - 1} are already stored`, { cause, details: { from, to } })
  }
}
