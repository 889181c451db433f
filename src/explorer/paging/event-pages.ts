import { sql } from 'slonik'
import type { FragmentSqlToken } from 'slonik'
import type { Bounds } from './bounds.ts'
import { keyCursor, keyParts } from './pages.ts'

/** Cursors of lists of events: an event index alone restarts with each transaction. */
export const eventCursor = keyCursor({
  block_height: keyParts.height,
  tx_index: keyParts.index,
  event_index: keyParts.index,
})

/** A place in the order of events. */
export interface EventKey {
  readonly height: number
  readonly txIndex: number
  readonly eventIndex: number
}

/** @param cursor a text that the parameter of `eventCursor` accepts */
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

/** A part of a page: the heights, both inclusive, the place before which it begins, and its size. */
export interface EventSpan<Key extends { readonly height: number } = EventKey> {
  readonly low: number
  readonly high: number
  readonly before: Key | undefined
  readonly count: number
}

/** Heights that are looked at first: they touch one partition or two. */
export const firstWindow = 100_000

/** By how much each window is larger than the one above it: five of them hold the chain. */
export const windowGrowth = 32

/**
 * Reads a page downwards, window by window of heights, so that a page of what happens often is planned for one
 * partition and one of what is rare takes a few statements.
 * @param read gives the rows of a span, newest first
 * @param first heights of the first window
 * @returns up to `count` rows
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

/** The order of lists of events. */
export const newestEventFirst = sql.fragment`block_height desc, tx_index desc, event_index desc`

/** The comparison of rows leaves out no partitions; the range of heights does. */
export function withinEvents({ low, high, before }: EventSpan): FragmentSqlToken {
  const heights = sql.fragment`block_height between ${low} and ${high}`
  if (before === undefined || before.height > high) return heights
  return sql.fragment`
    ${heights} and (block_height, tx_index, event_index) < (${before.height}, ${before.txIndex}, ${before.eventIndex})
  `
}

/**
 * Rows between two heights, both inclusive, for a statement that another index than that of heights is to serve.
 *
 * It leaves out partitions as `between` does. But of `between` with values that it does not see the planner thinks
 * that it leaves one row in two hundred, wherever these heights are. A page begins with a window that is larger than
 * a short chain, so that all rows are between them; then the planner has read them all, by their heights, and thrown
 * away what is not of the account. Bounds that come in lists of one are guessed one by one, to leave a third each.
 */
export function wideHeights(low: number, high: number): FragmentSqlToken {
  return sql.fragment`block_height >= any (array[${low}::int8]) and block_height <= any (array[${high}::int8])`
}
