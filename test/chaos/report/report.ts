import type { Measure } from '../acts/underway.ts'
import type { WalletCounts } from '../wallet/wallet-people.ts'
import type { Breach } from './findings.ts'

/** An act as it went. */
export interface ActReport {
  readonly number: number
  /** Seconds since the run began. */
  readonly at: number
  readonly words: string
  readonly measures: readonly Measure[]
  /** From the end of the act until work went on; null: it did not. */
  readonly recoveredMs: number | null
  /** Processes that wanted a core, on average over the last minute; above the number of cores all takes longer. */
  readonly load: number
}

/** What became of the requests of one who reads all the time. */
export interface ReaderCounts {
  readonly answered: number
  readonly unavailable: number
  readonly unreachable: number
  readonly slowestMs: number
}

/** What a chaos run did and found. */
export interface ChaosReport {
  readonly isGood: boolean
  readonly seed: number
  readonly minutes: number
  /** What makes the same plan again. */
  readonly command: string
  readonly startedAt: string
  readonly seconds: number
  readonly conditions: {
    readonly node: string
    readonly cores: number
    readonly queue: string
    readonly intervalMs: number
    readonly history: number
    /** How far the times of blocks were from the machine's clock. */
    readonly chainOffsetMs: number
    /** Null: the database lay on a small file system, which could be full. */
    readonly noSmallDisk: string | null
  }
  readonly firstDerivedMs: number
  readonly acts: readonly ActReport[]
  /** Of what was promised: the longest. */
  readonly worst: readonly Measure[]
  readonly chain: { readonly head: number; readonly branch: string; readonly forks: number }
  readonly checks: readonly { readonly name: string; readonly compared: string }[]
  readonly listeners: {
    readonly feedConnections: number
    readonly webhooks: number
    readonly webhooksRefused: number
    readonly api: ReaderCounts
    /** Of the query service and the MCP server together. */
    readonly queries: ReaderCounts
    readonly wallet: ReaderCounts & WalletCounts
  }
  readonly processes: readonly {
    readonly name: string
    readonly starts: number
    readonly peakMiB: number
    readonly stopMs: number
  }[]
  readonly databaseMiB: number | null
  readonly breaches: readonly Breach[]
  /** Promised times that were missed while the machine was busy with other things: no breaches. */
  readonly excused: readonly Breach[]
}

/** The longest of each kind of measure, those for which something is promised by themselves, and of the recoveries. */
export function worstOf(acts: readonly ActReport[]): Measure[] {
  const all = acts.flatMap(({ measures, recoveredMs }) => [
    ...measures,
    ...(recoveredMs === null ? [] : [{ what: 'work went on', ms: recoveredMs }]),
  ])
  return [...Map.groupBy(all, ({ what, limitMs }) => `${what} ${limitMs}`).values()].flatMap((same) =>
    same.toSorted((a, b) => b.ms - a.ms).slice(0, 1),
  )
}
