import type pg from 'pg'
import { commitEmptyRanges } from '../commit/commit-empty-ranges.ts'
import type { EmptyCommit } from '../commit/commit-empty-ranges.ts'
import type { CommitOutcome } from '../commit/commit-range.ts'
import { Gathered } from './gathered.ts'

interface EmptyRange extends EmptyCommit {
  readonly chainVersion: number
}

/** So many ranges may wait to be ended before their jobs wait too. */
const mostPending = 512

/**
 * Ends the leases of ranges without rows, many in one transaction: most ranges of most workers are such. Their jobs need not
 * wait for it: what a process takes with it when it dies is in the lease, not in the job.
 */
export class EmptyRanges {
  readonly #pending = new Set<Promise<void>>()
  readonly #commits: Gathered<EmptyRange, CommitOutcome | undefined>

  constructor(pool: pg.Pool) {
    this.#commits = new Gathered(async (ranges) => {
      const outcomes = new Map<EmptyRange, CommitOutcome | undefined>()
      for (const [chainVersion, commits] of Map.groupBy(ranges, (range) => range.chainVersion)) {
        const found = await commitEmptyRanges(pool, chainVersion, commits)
        for (const [i, commit] of commits.entries()) outcomes.set(commit, found?.[i])
      }
      return ranges.map((range) => outcomes.get(range))
    })
  }

  /** Resolves when the next may come. `end` never rejects. */
  async add(end: Promise<void>): Promise<void> {
    this.#pending.add(end)
    void end.then(() => this.#pending.delete(end))
    while (this.#pending.size >= mostPending) await Promise.race(this.#pending)
  }

  /** Resolves when all have ended. */
  async idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending)
  }

  /** @returns undefined when the range must be committed by itself */
  commit(range: EmptyRange): Promise<CommitOutcome | undefined> {
    return this.#commits.ask(range)
  }
}
