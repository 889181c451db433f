import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
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

const heightRow = z.looseObject({ block_height: z.number(), '#number': z.number(), '#id': z.string() })

/** Whole heights, in order. @returns the end of the read heights, exclusive */
export async function readRowsOfHeights(
  database: DatabasePool,
  table: ServedTable,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<{ readonly rows: readonly HeightRow[]; readonly to: number }> {
  const read = async (end: number, limit: FragmentSqlToken): Promise<readonly HeightRow[]> => {
    const rows = await database.any(sql.type(heightRow)`
      select ${presentedColumns(table)}, "#number", encode(b.id, 'hex') as "#id"
      from (
        select *, row_number() over (
          partition by block_height order by tx_index, event_index, row_index
        ) - 1 as "#number"
        from ${qualifiedName(table)} where block_height >= ${from} and block_height < ${end}
        order by block_height, tx_index, event_index, row_index ${limit}
      ) as t join raw.blocks b on b.height = t.block_height and b.height >= ${from} and b.height < ${end}
      order by t.block_height, "#number"
    `)
    return rows.map((row) => ({
      height: row.block_height,
      number: row['#number'],
      id: row['#id'],
      row: Object.fromEntries(table.columns.map(({ name }) => [name, row[name] ?? null])),
    }))
  }
  const rows = await read(to, sql.fragment`limit ${maxRows + 1}`)
  const last = rows.at(-1)?.height
  if (rows.length <= maxRows || last === undefined) return { rows, to }
  if (last > from) return { rows: rows.filter(({ height }) => height < last), to: last }
  return { rows: await read(from + 1, sql.fragment``), to: from + 1 }
}
