import type { Pool } from 'pg'
import { pause, retryWhile } from '../retry.ts'
import { query } from './pool.ts'

/** Calls `act` once the read pool sees everything committed so far. Calls run in order. */
export type OnReplicaCaughtUp = (act: () => void) => void

/** For services that read from the primary: notifications arrive after the commit. */
export const noReplica: OnReplicaCaughtUp = (act) => act()

export interface ReplicaCatchUpOptions {
  readonly primary: Pool
  readonly reads: Pool
  readonly signal: AbortSignal
  /** Called for the first of several failures in a row. */
  readonly onError: (error: unknown) => void
}

/** ms; the usual lag is a few ms. */
const firstPauseMs = 2
const maxPauseMs = 100

/** Delays calls that follow a NOTIFY from the primary until the standby has replayed the commit. */
export function replicaCatchUp(options: ReplicaCatchUpOptions): OnReplicaCaughtUp {
  const { signal, onError } = options
  let waiting: (() => void)[] = []
  let isRunning = false
  const run = async (): Promise<void> => {
    isRunning = true
    try {
      while (waiting.length > 0) {
        const acts = waiting
        waiting = []
        await retryWhile(() => untilReplicaCaughtUp(options), {
          signal,
          isRetryable: () => true,
          maxMs: 1000,
          onRetry: (error, attempt) => {
            if (attempt === 1) onError(error)
          },
        })
        for (const act of acts) act()
      }
    } finally {
      isRunning = false
    }
  }
  return (act) => {
    waiting.push(act)
    if (!isRunning) run().catch(() => (waiting = []))
  }
}

/** @throws a database error, or the reason of the signal */
export async function untilReplicaCaughtUp({
  primary,
  reads,
  signal,
}: Omit<ReplicaCatchUpOptions, 'onError'>): Promise<void> {
  const {
    rows: [now],
  } = await query<{ lsn: string }>(primary, 'select pg_current_wal_lsn()::text as lsn')
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    const {
      rows: [replica],
    } = await query<{ isCaughtUp: boolean }>(
      reads,
      `select not pg_is_in_recovery() or coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) as "isCaughtUp"`,
      [now?.lsn],
    )
    if (replica?.isCaughtUp === true) return
    await pause(pauseMs, signal)
  }
}
