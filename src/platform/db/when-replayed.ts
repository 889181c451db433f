import type { Pool } from 'pg'
import { pause, retryWhile } from '../retry.ts'
import { query } from './pool.ts'

/** Calls `act` once what is committed now can be read. What is called so is called in the order in which it came. */
export type WhenReadable = (act: () => void) => void

/** For who reads where the announcements come from: they come after the commit. */
export const readableAtOnce: WhenReadable = (act) => act()

export interface WhenReplayedOptions {
  /** Where commits are made, and announced. */
  readonly primary: Pool
  /** Where they are read: a standby of it, or the same server by another way. */
  readonly reads: Pool
  /** Ends the waiting: what waits then is not called any more. */
  readonly signal: AbortSignal
  /** Told of each first failure to find out, which is tried again. */
  readonly onTrouble: (error: unknown) => void
}

/**
 * The first pause between two looks at a standby, and the longest, ms. It is behind by a few milliseconds as a
 * rule.
 */
const firstPauseMs = 2
const longestPauseMs = 100

/**
 * For who hears announcements from the primary and reads from a standby, which has what they tell of a moment
 * later. All that came meanwhile waits together, for one place in the WAL.
 */
export function whenReplayed(options: WhenReplayedOptions): WhenReadable {
  const { signal, onTrouble } = options
  let waiting: (() => void)[] = []
  let isRunning = false
  /** Rejects only when the signal is aborted: everything else is tried again. */
  const run = async (): Promise<void> => {
    isRunning = true
    try {
      while (waiting.length > 0) {
        const acts = waiting
        waiting = []
        await retryWhile(() => untilReplayed(options), {
          signal,
          isRetryable: () => true,
          maxMs: 1000,
          onRetry: (error, attempt) => {
            if (attempt === 1) onTrouble(error)
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

/**
 * Resolves when the server of `reads` has all that the primary has written by now; at once where it is a primary
 * itself.
 * @throws errors of our tree, or the signal's reason
 */
export async function untilReplayed({ primary, reads, signal }: Omit<WhenReplayedOptions, 'onTrouble'>): Promise<void> {
  const {
    rows: [now],
  } = await query<{ place: string }>(primary, 'select pg_current_wal_lsn()::text as place')
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    const {
      rows: [there],
    } = await query<{ is_there: boolean }>(
      reads,
      'select not pg_is_in_recovery() or coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) as is_there',
      [now?.place],
    )
    if (there?.is_there === true) return
    await pause(pauseMs, signal)
  }
}
