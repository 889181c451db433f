import { sql } from 'slonik'
import type { FragmentSqlToken } from 'slonik'

/**
 * Rows between two heights, both inclusive, for a statement that another index than that of heights is to serve.
 *
 * It leaves out partitions as `between` does. But of `between` with values that it does not see the planner thinks that it leaves one row in
 * two hundred, wherever these heights are. A page begins with a window that is larger than a short chain, so that all rows are between them;
 * then the planner has read them all, by their heights, and thrown away what is not of the account. Bounds that come in lists of one are
 * guessed one by one, to leave a third each.
 */
export function wideHeights(low: number, high: number): FragmentSqlToken {
  return sql.fragment`block_height >= any (array[${low}::int8]) and block_height <= any (array[${high}::int8])`
}
