import type pg from 'pg'
import type { Logger } from '../../base/log.ts'
import type { DedicatedConnectionOptions } from '../../db/dedicated-connection.ts'
import type { EndedRun } from '../leases/lease.ts'
import type { RetryPolicy } from '../leases/retry-policy.ts'
import type { Enqueue } from './hand-over.ts'
import type { WorkerPlan } from './worker-plan.ts'

export interface CoordinatorOptions {
  /** For the lock and LISTEN, which need connections of their own. */
  readonly databaseUrl: string
  readonly pool: pg.Pool
  readonly log: Logger
  /** Ends the coordinator. */
  readonly signal: AbortSignal
  /** The workers that are on, asked anew in every round; ranges of others stay as they are. */
  readonly workers: () => readonly WorkerPlan[]
  readonly enqueue: Enqueue
  /** ENABLE_LIVE_DERIVERS. False: the head is given out like history. Default true. */
  readonly isLiveEnabled?: boolean
  /** ENABLE_HISTORY_DERIVERS. False: only what is near the head, or newer than anything the worker has. Default true. */
  readonly isHistoryEnabled?: boolean
  /** HISTORY_DERIVERS_SLEEP_MS. Above 0 each worker has one range of history at a time. Default 0. */
  readonly historySleepMs?: number
  /** HISTORY_DERIVERS_GATHER_MS: least time between two times at which a worker gets ranges of history. Default 0. */
  readonly historyGatherMs?: number
  /** LIVE_DERIVERS_HEAD_BACKFILL_BLOCKS: the newest stored heights, which are given out in live chunks; at least one chunk. Default 100. */
  readonly liveBlocks?: number
  /** Most leases of a worker, queued and active, in history and as many again near the head. Default 64. */
  readonly maxOpen?: number
  /** A worker with so many failed and flagged leases gets no new ones: it is broken, not its ranges. Default 1,000. */
  readonly maxTroubled?: number
  readonly retryPolicy?: RetryPolicy
  /** Longest time between two rounds. Default 500 ms. */
  readonly roundMs?: number
  /** Time between two looks for expired, due and forgotten leases. Default 250 ms. */
  readonly tidyMs?: number
  /** Least time between two folds; it grows to ten times what a fold takes. Default 500 ms. */
  readonly foldMs?: number
  /** A queued lease that nobody claimed for so long is handed to the queue again. Default 5,000 ms. */
  readonly staleMs?: number
  /** How far below the highest stored height the search for owed heights begins. Default 100,000 heights. */
  readonly span?: number
  /** When the connections for the lock and LISTEN are taken for dead. Default: after 20 s of silence. */
  readonly connection?: Pick<DedicatedConnectionOptions, 'heartbeatMs' | 'answerTimeoutMs'>
  /** After so long in which the queues took nothing, another process may coordinate: perhaps they answer there. Default 10,000 ms. */
  readonly queuePatienceMs?: number
  /** Told what every round did. */
  readonly onRound?: (report: RoundReport) => void
}

export interface RoundReport {
  /** New leases. */
  readonly cut: number
  /** Leases that were taken from processes, and what became of them. */
  readonly expired: readonly EndedRun[]
  /** Failed leases whose pause was over. */
  readonly requeued: number
  /** Leases that were handed to the queue again, or for the first time after a person requeued them. */
  readonly handedOver: number
  /** Done leases that became coverage. */
  readonly folded: number
  readonly seconds: number
}
