import { sql } from 'slonik'
import type { FragmentSqlToken } from 'slonik'

/** A place in a list that is ordered by a count, the highest first, and where that is the same by a key. */
export interface Rank {
  /** A whole number, or an amount as decimal text. */
  readonly count: number | string
  readonly key: string
}

/** What is ranked: an index on (what `where` compares, count desc, key) serves it. */
interface Ranking {
  /** The columns to give; `count` and `key` must be among their names. */
  readonly columns: FragmentSqlToken
  readonly from: FragmentSqlToken
  readonly where: FragmentSqlToken
  readonly count: FragmentSqlToken
  readonly key: FragmentSqlToken
}

/**
 * The statement that gives up to `limit` rows after a place. Most rows of such lists share a count with many others
 * (an account has one item, as most do), so that those with the same count and those with a lower one are read by a
 * range of the index each: one comparison for both would read all that share it.
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

/**
 * One order of a catalogue of tokens: a table with a row for each `token`, and the column of `o`, the highest first.
 */
export interface CatalogueOrder {
  readonly table: FragmentSqlToken
  readonly count: FragmentSqlToken
}

interface CatalogueSelection {
  /** The table of what contracts say of their tokens; joined as `n` where there are conditions. */
  readonly metadata: FragmentSqlToken
  /** Of `o` and `n`; all must hold. */
  readonly conditions: readonly FragmentSqlToken[]
}

/**
 * The statement that gives `key` and `count` of up to `limit` tokens after a place of an order. With conditions the
 * catalogue is looked through, which has some thousands of rows.
 */
export function selectCatalogue(
  { table, count }: CatalogueOrder,
  { metadata, conditions }: CatalogueSelection,
  after: Rank | undefined,
  limit: number,
): FragmentSqlToken {
  const isWhole = conditions.length === 0
  return selectRanked(
    {
      columns: sql.fragment`o.token as key, ${count} as count`,
      from: isWhole ? sql.fragment`${table} o` : sql.fragment`${table} o left join ${metadata} n on n.token = o.token`,
      where: isWhole ? sql.fragment`true` : sql.fragment`${sql.join(conditions, sql.fragment` and `)}`,
      count,
      key: sql.fragment`o.token`,
    },
    after,
    limit,
  )
}
