import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { presentedColumns, qualifiedName } from './queries.ts'
import type { OwnRow } from './queries.ts'
import type { ServedTable } from './tables.ts'

export interface HeightRow {
  readonly height: number
  /** Among the rows of the height. */
  readonly number: number
  /** Block id. */
  readonly id: string
  readonly row: OwnRow
}

const maxRows = 500
/** Limit of one height. The rest is read by REST. */
const maxRowsOfHeight = 5000
const maxBytes = 4 * 1024 * 1024

const heightRow = z.looseObject({
  block_height: z.number(),
  '#number': z.number(),
  '#id': z.string(),
  '#count': z.number(),
})

export interface RowsOfHeights {
  readonly rows: readonly HeightRow[]
  /** End of the read heights, exclusive. */
  readonly to: number
  /** The height has more rows. */
  readonly isTruncated: boolean
}

/** Whole heights, in order. A height above the limits is truncated, and read alone. */
export async function readRowsOfHeights(
  database: DatabasePool,
  table: ServedTable,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<RowsOfHeights> {
  const { rows, isCut } = await readRows(database, table, from, to, maxRows)
  if (!isCut) return { rows, to, isTruncated: false }
  const last = rows.at(-1)?.height ?? from
  if (last > from) return { rows: rows.filter(({ height }) => height < last), to: last, isTruncated: false }
  const first = await readRows(database, table, from, from + 1, maxRowsOfHeight)
  return { rows: first.rows, to: from + 1, isTruncated: first.isCut }
}

/** Ends with the row that exceeds `maxBytes`. */
async function readRows(
  database: DatabasePool,
  table: ServedTable,
  from: number,
  to: number,
  limit: number,
): Promise<{ readonly rows: readonly HeightRow[]; readonly isCut: boolean }> {
  const order = sql.fragment`block_height, tx_index, event_index, row_index`
  const found = await database.any(sql.type(heightRow)`
    with found as materialized (
      select * from ${qualifiedName(table)} where block_height >= ${from} and block_height < ${to}
      order by ${order} limit ${limit + 1}
    ), sized as (
      select t.*, count(*) over () as "#count",
        row_number() over (partition by block_height order by ${order}) - 1 as "#number",
        sum(octet_length(t::text)) over (order by ${order} rows between unbounded preceding and 1 preceding) as "#bytes"
      from found as t
    )
    select ${presentedColumns(table)}, "#count", "#number", encode(b.id, 'hex') as "#id"
    from sized as t join raw.blocks b on b.height = t.block_height and b.height >= ${from} and b.height < ${to}
    where coalesce("#bytes", 0) < ${maxBytes} order by t.block_height, "#number" limit ${limit}
  `)
  const rows = found.map((row) => ({
    height: row.block_height,
    number: row['#number'],
    id: row['#id'],
    row: Object.fromEntries(table.columns.map(({ name }) => [name, row[name] ?? null])),
  }))
  return { rows, isCut: found.length < (found[0]?.['#count'] ?? 0) }
}
