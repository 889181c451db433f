import type pg from 'pg'
import { commitEmptyRanges } from '../commit/commit-range.ts'
import type { EmptyCommit, CommitOutcome } from '../commit/commit-range.ts'

/**
 * Turns many small questions into few large ones: whatever is asked in one turn of the event loop, and while an answer is
 * awaited, goes together into the next. One is under way at a time.
 */
export class Gathered<Question, Answer> {
  readonly #ask: (questions: readonly Question[]) => Promise<readonly Answer[]>
  readonly #mostAtOnce: number
  readonly #waiting: { question: Question; resolve: (answer: Answer) => void; reject: (error: unknown) => void }[] = []
  #isBusy = false

  /** @param ask answers by the place of the question */
  constructor(ask: (questions: readonly Question[]) => Promise<readonly Answer[]>, mostAtOnce = 500) {
    this.#ask = ask
    this.#mostAtOnce = mostAtOnce
  }

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject })
      if (this.#isBusy) return
      this.#isBusy = true
      setImmediate(() => void this.#run())
    })
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#mostAtOnce)
      try {
        const answers = await this.#ask(batch.map(({ question }) => question))
        for (const [i, { resolve }] of batch.entries()) resolve(answers[i] as Answer)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#isBusy = false
  }
}

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
