import type { Measure } from '../acts/running-act.ts'
import type { WalletCounts } from '../wallet/wallet-users.ts'
import type { Violation } from './findings.ts'

/** A completed act. */
export interface ActReport {
  readonly number: number
  /** Seconds since the start of the run. */
  readonly at: number
  readonly words: string
  readonly measures: readonly Measure[]
  /** Time from the end of the act to recovery; null without recovery. */
  readonly recoveredMs: number | null
  /** Load average of the last minute; above the number of cores all durations increase. */
  readonly load: number
}

/** Outcomes of the requests of a continuous reader. */
export interface ReaderCounts {
  readonly answered: number
  readonly unavailable: number
  readonly unreachable: number
  readonly slowestMs: number
}

/** Acts and results of a chaos run. */
export interface ChaosReport {
  readonly isGood: boolean
  readonly seed: number
  readonly minutes: number
  /** Reproduces the plan. */
  readonly command: string
  readonly startedAt: string
  readonly seconds: number
  readonly conditions: {
    readonly node: string
    readonly cores: number
    readonly queue: string
    readonly intervalMs: number
    readonly history: number
    /** Offset between block times and the machine's clock. */
    readonly chainOffsetMs: number
    /** Null if the database was on a small file system that could be filled. */
    readonly noSmallDisk: string | null
  }
  readonly firstDerivedMs: number
  readonly acts: readonly ActReport[]
  /** The maxima of guaranteed durations. */
  readonly worst: readonly Measure[]
  readonly chain: { readonly head: number; readonly branch: string; readonly forks: number }
  readonly checks: readonly { readonly name: string; readonly compared: string }[]
  readonly listeners: {
    readonly feedConnections: number
    readonly webhooks: number
    readonly webhooksRefused: number
    readonly api: ReaderCounts
    /** Query service and MCP server combined. */
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
  readonly violations: readonly Violation[]
  /** Missed time limits while the machine was overloaded; not violations. */
  readonly excused: readonly Violation[]
}

/** The maximum of each measured duration, and of recoveries. */
export function worstOf(acts: readonly ActReport[]): Measure[] {
  const all = acts.flatMap(({ measures, recoveredMs }) => [
    ...measures,
    ...(recoveredMs === null ? [] : [{ what: 'recovery', ms: recoveredMs }]),
  ])
  return [...Map.groupBy(all, ({ what, limitMs }) => `${what} ${limitMs}`).values()].flatMap((same) =>
    same.toSorted((a, b) => b.ms - a.ms).slice(0, 1),
  )
}
