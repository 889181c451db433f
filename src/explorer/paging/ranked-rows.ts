import { sql } from 'slonik'
import type { FragmentSqlToken } from 'slonik'

/** By descending count, ties by key. */
export interface Rank {
  /** Decimal if a string. */
  readonly count: number | string
  readonly key: string
}

/** Requires an index on (columns of `where`, count desc, key). */
interface Ranking {
  /** Must include `count` and `key`. */
  readonly columns: FragmentSqlToken
  readonly from: FragmentSqlToken
  readonly where: FragmentSqlToken
  readonly count: FragmentSqlToken
  readonly key: FragmentSqlToken
}

/**
 * Most rows share their count with many others, so ties and lower counts use separate index ranges:
 * a single comparison would scan all ties.
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

/** Descending by the sort column of `o`. */
export interface CatalogueOrder {
  readonly table: FragmentSqlToken
  readonly count: FragmentSqlToken
}

interface CatalogueSelection {
  /** Joined as `n` if there are conditions. */
  readonly metadata: FragmentSqlToken
  /** On `o` and `n`, combined with AND. */
  readonly conditions: readonly FragmentSqlToken[]
}

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
