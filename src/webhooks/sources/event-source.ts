import type pg from 'pg'
import type { HeightRange } from '../../platform/ranges.ts'
import type { ChainEvent, EventType } from '../events.ts'
import type { Conditions } from '../conditions.ts'

export interface EventSource {
  readonly types: readonly EventType[]
  /** A height is dispatched once all of them have derived it. */
  readonly workers: readonly string[]
  /** @param wanted conditions of all subscriptions; non-matching events may be omitted */
  readonly read: (
    client: pg.ClientBase,
    range: HeightRange,
    wanted: readonly Conditions[],
  ) => Promise<readonly ChainEvent[]>
}

/** As returned by `pg`. */
export interface PlacedRow {
  readonly block_height: string | number
  readonly tx_index: number
  readonly event_index: number
}

export function placeOf(row: PlacedRow, leg = 0): ChainEvent['place'] {
  return { height: Number(row.block_height), txIndex: row.tx_index, eventIndex: row.event_index, leg }
}

export function present(...values: readonly (string | null)[]): readonly string[] {
  return values.filter((value) => value !== null)
}

export function prefixed(hex: string | null): string | null {
  return hex === null ? null : `0x${hex}`
}
