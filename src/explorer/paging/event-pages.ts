import { sql } from 'slonik'
import type { FragmentSqlToken } from 'slonik'
import type { Bounds } from './bounds.ts'
import { keyCursor, keyParts } from './pages.ts'

/** The event index restarts with each transaction. */
export const eventCursor = keyCursor({
  block_height: keyParts.height,
  tx_index: keyParts.index,
  event_index: keyParts.index,
})

export interface EventKey {
  readonly height: number
  readonly txIndex: number
  readonly eventIndex: number
}

export function parseEventCursor(cursor: string | undefined): EventKey | undefined {
  const key = eventCursor.parse(cursor)
  return key === undefined
    ? undefined
    : {
        height: Number(key.block_height),
        txIndex: Number(key.tx_index),
        eventIndex: Number(key.event_index),
      }
}

/** Inclusive heights. */
export interface EventSpan<Key extends { readonly height: number } = EventKey> {
  readonly low: number
  readonly high: number
  readonly before: Key | undefined
  readonly count: number
}

/** One or two partitions. */
export const firstWindow = 100_000

/** Five windows cover the chain. */
export const windowGrowth = 32

/**
 * Reads in growing windows of heights: frequent events touch one partition, and rare ones take a
 * few statements.
 *
 * @param read returns rows newest first
 */
export async function readEventPage<Row, Key extends { readonly height: number } = EventKey>(
  bounds: Bounds | undefined,
  before: Key | undefined,
  count: number,
  read: (span: EventSpan<Key>) => Promise<readonly Row[]>,
  first = firstWindow,
): Promise<readonly Row[]> {
  if (bounds === undefined) return []
  const rows: Row[] = []
  let high = Math.min(bounds.max, before?.height ?? bounds.max)
  for (let window = first; high >= bounds.min && rows.length < count; window *= windowGrowth) {
    const low = Math.max(bounds.min, high - window + 1)
    rows.push(...(await read({ low, high, before, count: count - rows.length })))
    high = low - 1
  }
  return rows
}

export const newestEventFirst = sql.fragment`block_height desc, tx_index desc, event_index desc`

/** The row comparison does not prune partitions. */
export function withinEvents({ low, high, before }: EventSpan): FragmentSqlToken {
  const heights = sql.fragment`block_height between ${low} and ${high}`
  if (before === undefined || before.height > high) return heights
  return sql.fragment`
    ${heights} and (block_height, tx_index, event_index) < (${before.height}, ${before.txIndex}, ${before.eventIndex})
  `
}

/**
 * Inclusive; for statements that should not use the height index.
 *
 * For `between` with unknown values the planner assumes one row in 200, although the first window
 * may cover a whole short chain, and would scan by height. Bounds in one-element lists are
 * estimated at a third each.
 */
export function wideHeights(low: FragmentSqlToken | number, high: FragmentSqlToken | number): FragmentSqlToken {
  return sql.fragment`block_height >= any (array[${low}::int8]) and block_height <= any (array[${high}::int8])`
}
