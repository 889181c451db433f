import type pg from 'pg'
import { commitEmptyRanges } from '../commit/commit-empty-ranges.ts'
import type { EmptyCommit } from '../commit/commit-empty-ranges.ts'
import type { CommitOutcome } from '../commit/commit-range.ts'
import { Gathered } from './gathered.ts'

interface EmptyRange extends EmptyCommit {
  readonly chainVersion: number
}

/** Ends the leases of ranges without rows, many in one transaction: most ranges of most workers are such. */
export class EmptyRanges {
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

  /** @returns undefined when the range must be committed by itself */
  commit(range: EmptyRange): Promise<CommitOutcome | undefined> {
    return this.#commits.ask(range)
  }
}
