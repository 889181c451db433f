import { escapeIdentifier } from 'pg'
import type pg from 'pg'
import { query } from '../../platform/db/pool.ts'
import { ownTableOf } from '../events.ts'
import type { OwnEventType } from '../events.ts'
import { placeOf } from './event-source.ts'
import type { EventSource, PlacedRow } from './event-source.ts'

interface OwnRow extends PlacedRow, Readonly<Record<string, unknown>> {
  readonly row_index: number
}

/** The rows of a table of a worker of WORKERS_DIR. None if the table was removed. */
export function ownTableSource(type: OwnEventType): EventSource {
  const { worker, table } = ownTableOf(type)
  return {
    types: [type],
    workers: [worker],
    read: async (client, { from, to }) => {
      const columns = await readColumns(client, worker, table)
      if (!columns.some(({ name }) => name === 'row_index')) return []
      const { rows } = await query<OwnRow>(
        client,
        `select ${columns.map(presented).join(', ')} from ${escapeIdentifier(worker)}.${escapeIdentifier(table)}
         where block_height >= $1 and block_height < $2`,
        [from, to],
      )
      return rows.map(({ block_height, tx_index, block_timestamp: _timestamp, ...data }) => ({
        types: [type],
        place: placeOf({ block_height, tx_index, event_index: data.event_index }, data.row_index),
        data,
        facets: { columns: data },
      }))
    },
  }
}

interface TableColumn {
  readonly name: string
  readonly type: string
}

/** A table of another version may have others. */
async function readColumns(client: pg.ClientBase, schema: string, table: string): Promise<readonly TableColumn[]> {
  const { rows } = await query<TableColumn>(
    client,
    `select attname::text as name, format_type(atttypid, null) as type from pg_attribute
     where attrelid = to_regclass(format('%I.%I', $1::text, $2::text)) and attnum > 0 and not attisdropped
     order by attnum`,
    [schema, table],
  )
  return rows
}

/** As in the API: numbers beyond 32 bits as text, ids as hex digits, times with milliseconds. */
function presented({ name, type }: TableColumn): string {
  const column = escapeIdentifier(name)
  switch (type) {
    case 'bytea':
      return `encode(${column}, 'hex') as ${column}`
    case 'bigint':
    case 'numeric':
    case 'date':
      return `${column}::text as ${column}`
    case 'timestamp with time zone':
      return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ${column}`
    default:
      return column
  }
}
