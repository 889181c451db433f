import type { Fold, SqlColumn } from './worker.ts'

const token: SqlColumn = { column: 'token', type: 'text' }

interface CatalogueOptions {
  /** `schema.name` of the table of the first sightings. */
  readonly firstSeen: string
  /** `schema.name` of the table of the sums. */
  readonly totals: string
  /** The transfers: with an index on token and height for those rows that count. */
  readonly of: string
  /** SQL condition on a row `h` of `of`; others do not count. */
  readonly where: string
  /** What adds up beside the number of transfers, with the SQL that adds it up over rows `h`, never to null. */
  readonly sums: ReadonlyArray<SqlColumn & { readonly sum: string }>
}

/**
 * Which tokens there are, as far as transfers show: when each was first seen, and what adds up over its transfers. New
 * rows of a token that is known change nothing of the first, so that those that all ranges have are not fought over.
 */
export function catalogueFolds({ firstSeen, totals, of, where, sums }: CatalogueOptions): readonly Fold[] {
  // A rollback takes all heights from one on: more than the column may hold.
  const inRange = `h.block_height >= $1::bigint and h.block_height < $2::bigint and ${where}`
  const first: Fold = {
    kind: 'state',
    name: firstSeen,
    key: [token],
    reads: [of],
    touched: `select distinct h.token from ${of} h where ${inRange}`,
    fold: `
      with keys as (select * from unnest($1::text[]) as k (token)),
      first as (
        select k.token, f.block_height as first_height
        from keys k cross join lateral (
          select h.block_height from ${of} h where h.token = k.token and ${where} order by h.block_height limit 1
        ) f
      ), gone as (
        delete from ${firstSeen} t using keys k
        where t.token = k.token and not exists (select from first f where f.token = k.token)
      )
      insert into ${firstSeen} as t (token, first_height) select token, first_height from first
      on conflict (token) do update set first_height = excluded.first_height
      where t.first_height <> excluded.first_height`,
    merge: `
      insert into ${firstSeen} as t (token, first_height)
      select f.token, f.first_height
      from (select h.token, min(h.block_height) as first_height from ${of} h where ${inRange} group by h.token) f
      where not exists (select from ${firstSeen} k where k.token = f.token and k.first_height <= f.first_height)
      on conflict (token) do update set first_height = excluded.first_height
      where t.first_height > excluded.first_height`,
  }
  return [
    first,
    {
      kind: 'sum',
      name: totals,
      key: [token],
      sums: [{ column: 'transfer_count', type: 'bigint' }, ...sums.map(({ column, type }) => ({ column, type }))],
      presence: 'transfer_count',
      of,
      touched: first.touched,
      counted: `
      select h.token, count(*) as transfer_count${sums.map(({ column, sum }) => `, ${sum} as ${column}`).join('')}
      from ${of} h where ${inRange} group by h.token`,
    },
  ]
}
