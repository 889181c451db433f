import type pg from 'pg'
import type { HeightRange } from '../../platform/ranges.ts'
import type { ChainEvent, EventType } from '../events.ts'
import type { Conditions } from '../conditions.ts'

/** Where events of some types come from. */
export interface EventSource {
  readonly types: readonly EventType[]
  /**
   * Workers whose rows are read: events of a height are told when all of them have done it. `[]`: the raw tables
   * are enough.
   */
  readonly workers: readonly string[]
  /**
   * The events of a range of heights, in any order.
   * @param wanted the conditions of all subscriptions that ask for one of the types: what none of them asks for may
   * be left out
   */
  readonly read: (
    client: pg.ClientBase,
    range: HeightRange,
    wanted: readonly Conditions[],
  ) => Promise<readonly ChainEvent[]>
}

/** Where a row says that something happened; heights and numbers as `pg` gives them. */
export interface PlacedRow {
  readonly block_height: string | number
  readonly tx_index: number
  readonly event_index: number
}

export function placeOf(row: PlacedRow, leg = 0): ChainEvent['place'] {
  return { height: Number(row.block_height), txIndex: row.tx_index, eventIndex: row.event_index, leg }
}

/** A list without what is null. */
export function present(...values: readonly (string | null)[]): readonly string[] {
  return values.filter((value) => value !== null)
}

/** For a column of hex digits without 0x. */
export function prefixed(hex: string | null): string | null {
  return hex === null ? null : `0x${hex}`
}
