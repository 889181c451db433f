import { sql } from 'slonik'
import type { FragmentSqlToken } from 'slonik'

/** A place in a list that is ordered by a count, the highest first, and where that is the same by a key. */
export interface Rank {
  /** A whole number, or an amount as decimal text. */
  readonly count: number | string
  readonly key: string
}

/** What is ranked: an index on (what `where` compares, count desc, key) serves it. */
export interface Ranking {
  /** The columns to give; `count` and `key` must be among their names. */
  readonly columns: FragmentSqlToken
  readonly from: FragmentSqlToken
  readonly where: FragmentSqlToken
  readonly count: FragmentSqlToken
  readonly key: FragmentSqlToken
}

/**
 * The statement that gives up to `limit` rows after a place. Most rows of such lists share a count with many others (an
 * account has one item, as most do), so that those with the same count and those with a lower one are read by a range of
 * the index each: one comparison for both would read all that share it.
 */
export function selectRanked(ranking: Ranking, after: Rank | undefined, limit: number): FragmentSqlToken {
  const { columns, from, where, count, key } = ranking
  const select = (condition: FragmentSqlToken): FragmentSqlToken => sql.fragment`
    select ${columns} from ${from} where ${where} and ${condition} order by ${count} desc, ${key} limit ${limit}
  `
  if (after === undefined) return select(sql.fragment`true`)
  return sql.fragment`
    (${select(sql.fragment`${count} = ${after.count} and ${key} > ${after.key}`)})
    union all
    (${select(sql.fragment`${count} < ${after.count}`)})
    order by count desc, key
    limit ${limit}
  `
}
