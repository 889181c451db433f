import { sql } from 'slonik'
import type { FragmentSqlToken } from 'slonik'
import { ApiError } from '../../platform/errors.ts'

/** By count, ties by key. */
export interface Rank {
  /** Decimal if a string. */
  readonly count: number | string | FragmentSqlToken
  readonly key: string
}

/** Requires an index on (columns of `where`, count desc, key). */
interface Ranking {
  readonly isAscending?: boolean | undefined
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
  const { columns, from, where, count, key, isAscending = false } = ranking
  const [direction, beyond] = isAscending ? [sql.fragment`asc`, sql.fragment`>`] : [sql.fragment`desc`, sql.fragment`<`]
  const select = (condition: FragmentSqlToken): FragmentSqlToken => sql.fragment`
    select ${columns} from ${from} where ${where} and ${condition} order by ${count} ${direction}, ${key} limit ${limit}
  `
  if (after === undefined) return select(sql.fragment`true`)
  return sql.fragment`
    (${select(sql.fragment`${count} = ${after.count} and ${key} > ${after.key}`)})
    union all
    (${select(sql.fragment`${count} ${beyond} ${after.count}`)})
    order by count ${direction}, key
    limit ${limit}
  `
}

/** By the sort column of `o`. */
export interface CatalogueOrder {
  readonly isAscending?: boolean
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
  { table, count, isAscending }: CatalogueOrder,
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
      isAscending,
      key: sql.fragment`o.token`,
    },
    after,
    limit,
  )
}

/** Published name, else contract name. */
export function namedTokens(tokens: FragmentSqlToken, metadata: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    (
      select t.token, lower(coalesce(m.name, split_part(t.token, '.', 3))) as sort_name
      from ${tokens} t left join ${metadata} m on m.token = t.token
    )
  `
}

/**
 * Names may contain the separator of cursors, so a page by name continues after the name that the
 * token has now.
 */
export function rankAfter(
  sort: string,
  named: FragmentSqlToken,
  after: { readonly count: string; readonly token: string } | undefined,
): Rank | undefined {
  if (after === undefined) return undefined
  const { count, token } = after
  if (sort === 'name') {
    return { count: sql.fragment`(select sort_name from ${named} as n where token = ${token})`, key: token }
  }
  if (!['volume', 'supply'].includes(sort) && !/^\d{1,18}$/.test(count)) {
    const detail = `Parameter "cursor" does not match the sort order ${sort}.`
    throw new ApiError(400, 'invalid-parameter', detail, { field: 'cursor' })
  }
  return { count, key: token }
}
