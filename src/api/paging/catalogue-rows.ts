import { sql } from 'slonik'
import type { FragmentSqlToken } from 'slonik'
import { selectRanked } from './ranked-rows.ts'
import type { Rank } from './ranked-rows.ts'

/** One order of a catalogue of tokens: a table with a row for each `token`, and the column of `o`, the highest first. */
export interface CatalogueOrder {
  readonly table: FragmentSqlToken
  readonly count: FragmentSqlToken
}

export interface CatalogueSelection {
  /** The table of what contracts say of their tokens; joined as `n` where there are conditions. */
  readonly metadata: FragmentSqlToken
  /** Of `o` and `n`; all must hold. */
  readonly conditions: readonly FragmentSqlToken[]
}

/**
 * The statement that gives `key` and `count` of up to `limit` tokens after a place of an order. With conditions the catalogue is
 * looked through, which has some thousands of rows.
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
