import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'

/** The position of a transaction, as derived tables name it. */
export interface MarkedPlace {
  readonly block_height: number
  readonly tx_index: number
}

const markRow = z.object({
  block_height: z.number(),
  tx_index: z.number(),
  id: z.string(),
  timestamp: z.string(),
  error_message: z.string().nullable(),
})

/** What rows of derived tables do not repeat of their transaction. */
export type TransactionMark = z.output<typeof markRow>

/** Heights of one statement at least: within one partition or two of each table. */
const leastWindow = 200_000

/** Statements at most: rows that are far from each other are looked up in more partitions at once rather than by more statements. */
const mostStatements = 4

/**
 * Reads by position, in statements that each stay within few partitions: the rows of one page may be years apart, and a
 * statement over years is planned for all partitions between.
 * @param most statements at most; 1 for one that is prepared, which leaves partitions out when it begins and is not planned again
 */
export async function readByPlaces<Place extends { readonly block_height: number }, Row>(
  places: readonly Place[],
  read: (places: readonly Place[], low: number, high: number) => Promise<readonly Row[]>,
  most = mostStatements,
): Promise<readonly Row[]> {
  if (places.length === 0) return []
  const [lowest, highest] = endsOf(places)
  const width = Math.max(leastWindow, Math.ceil((highest - lowest + 1) / most))
  const windows = Map.groupBy(places, ({ block_height: height }) => Math.floor((height - lowest) / width))
  const found = await Promise.all([...windows.values()].map((ofWindow) => read(ofWindow, ...endsOf(ofWindow))))
  return found.flat()
}

function endsOf(places: ReadonlyArray<{ readonly block_height: number }>): readonly [lowest: number, highest: number] {
  const heights = places.map((place) => place.block_height)
  return [Math.min(...heights), Math.max(...heights)]
}

/**
 * Ids of transactions and the times of their blocks, by position. What is not stored is not in it. The places of a page may
 * lie anywhere: their heights given as values leave out all partitions but theirs, which a join would not.
 */
export async function readTransactionMarks(
  database: DatabasePool,
  places: readonly MarkedPlace[],
): Promise<ReadonlyMap<string, TransactionMark>> {
  const distinct = [...new Map(places.map((place) => [markKey(place), place])).values()]
  if (distinct.length === 0) return new Map()
  const heights = sql.array(
    distinct.map((place) => place.block_height),
    'int8',
  )
  const rows = await database.any(sql.type(markRow)`
    select t.block_height, t.tx_index, encode(t.id, 'hex') as id, b.timestamp, t.error_message
    from unnest(${heights}, ${sql.array(
      distinct.map((place) => place.tx_index),
      'int4',
    )}) as place (height, index)
    join raw.transactions t on t.block_height = place.height and t.tx_index = place.index
      and t.block_height = any (${heights})
    join raw.blocks b on b.height = t.block_height and b.height = any (${heights})
  `)
  return new Map(rows.map((row) => [markKey(row), row]))
}

/** Of a place in the map that `readTransactionMarks` gives. */
export function markKey({ block_height: height, tx_index: index }: MarkedPlace): string {
  return `${height}:${index}`
}

/** A row with its transaction. */
export interface Marked<Row> {
  readonly row: Row
  readonly mark: TransactionMark
}

/** Joins rows to their transactions. Rows are derived from stored blocks, so that each has one, unless it is rolled back now. */
export async function withMarks<Row extends MarkedPlace>(
  database: DatabasePool,
  rows: readonly Row[],
): Promise<ReadonlyArray<Marked<Row>>> {
  const marks = await readTransactionMarks(database, rows)
  return rows.flatMap((row) => {
    const mark = marks.get(markKey(row))
    return mark === undefined ? [] : [{ row, mark }]
  })
}
