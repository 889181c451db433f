import { RetryableError } from '../platform/errors.ts'
import type { HeightRange } from '../platform/ranges.ts'

/**
 * Rows of a batch are there already, although its heights were not covered when it was planned. That is a commit of an
 * ingester that was killed a moment ago, which the server still finished: the next look at the coverage shows it.
 */
export class RowsThereError extends RetryableError {
  constructor({ from, to }: HeightRange, cause: unknown) {
    super('rows-there', `rows of heights ${from} to ${to - 1} are stored already`, { cause, details: { from, to } })
  }
}
