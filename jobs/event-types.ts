import type { RowWriter } from '../src/platform/row-writer.ts'
import type { DecodedBlock } from '../src/flow/decoded-block.ts'
import type { HeightTable, SumFold } from './worker.ts'

/** One row for each block with events: which types, and how many of each. */
export const eventTypesOfBlocks: HeightTable = {
  name: 'app.block_event_types',
  columns: ['block_height', 'types', 'event_counts'],
  heightColumn: 'block_height',
  partitionHeights: 1_000_000,
}

/** Heights of a piece in which a type is looked for. `src/explorer/transactions/events.ts` reads by the same. */
export const heightsPerPiece = 100

const ofRange = `
  from app.block_event_types b cross join lateral unnest(b.types, b.event_counts) as t (type, event_count)
  where b.block_height >= $1 and b.block_height < $2`

/** The catalogue of the types, and the pieces of the chain in which there are events of each. */
export const eventTypeFolds: readonly SumFold[] = [
  {
    kind: 'sum',
    name: 'app.event_types',
    key: [{ column: 'type', type: 'text' }],
    sums: [{ column: 'event_count', type: 'bigint' }],
    presence: 'event_count',
    of: eventTypesOfBlocks.name,
    touched: `select distinct t.type ${ofRange}`,
    counted: `select t.type, sum(t.event_count)::bigint as event_count ${ofRange} group by t.type`,
  },
  {
    kind: 'sum',
    name: 'app.event_type_pieces',
    key: [
      { column: 'type', type: 'text' },
      { column: 'piece', type: 'bigint' },
    ],
    sums: [{ column: 'block_count', type: 'bigint' }],
    presence: 'block_count',
    of: eventTypesOfBlocks.name,
    touched: `select distinct t.type, b.block_height / ${heightsPerPiece} as piece ${ofRange}`,
    counted: `
      select t.type, b.block_height / ${heightsPerPiece} as piece, count(*) as block_count ${ofRange}
      group by t.type, b.block_height / ${heightsPerPiece}`,
  },
]

/** Counts the events of a block by type, the types sorted. */
export function writeEventTypes(rows: RowWriter, { height, transactions }: DecodedBlock): void {
  const counts = new Map<string, number>()
  for (const { events } of transactions) for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1)
  if (counts.size === 0) return
  const types = [...counts.keys()].toSorted()
  rows.row(eventTypesOfBlocks.columns.length)
  rows.int8(height)
  rows.textArray(types)
  rows.int4Array(types.map((type) => counts.get(type) ?? 0))
}
