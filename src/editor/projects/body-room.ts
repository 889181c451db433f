import { ByteBudget } from '../../platform/limits/byte-budget.ts'
import { ApiError } from '../../platform/errors.ts'

/** So much of each body is always taken: most saves are smaller, and are not kept waiting by those who send large ones. */
const smallBytes = 256_000

/** Large bodies of one account that may be under way: who sends them slowly, on purpose, holds no more. */
const mostLarge = 2

/** Room in memory for bodies of requests, of all accounts together. */
export class BodyRoom {
  readonly #budget: ByteBudget
  readonly #large = new Map<string, number>()

  /** @param bytes what there is room for beside small bodies */
  constructor(bytes: number) {
    this.#budget = new ByteBudget(bytes)
  }

  /**
   * Runs `fn`, which says by its argument how many bytes have come, and gives back the room in the end.
   * @param who has sent it
   * @throws what `fn` throws; in `take` ApiError 503 `busy` where there is no room
   */
  async during<Result>(who: string, fn: (take: (bytes: number) => void) => Promise<Result>): Promise<Result> {
    let [come, isLarge] = [0, false]
    try {
      return await this.#budget.during((take) =>
        fn((bytes) => {
          come += bytes
          if (come <= smallBytes) return
          if (isLarge) {
            take(bytes)
            return
          }
          this.#begin(who)
          isLarge = true
          take(come)
        }),
      )
    } finally {
      if (isLarge) this.#end(who)
    }
  }

  #begin(who: string): void {
    const running = this.#large.get(who) ?? 0
    if (running >= mostLarge) {
      throw new ApiError(503, 'busy', `${mostLarge} large requests of this account are under way; wait for them.`, {
        details: { retryAfterSeconds: 2 },
      })
    }
    this.#large.set(who, running + 1)
  }

  #end(who: string): void {
    const left = (this.#large.get(who) ?? 1) - 1
    if (left === 0) this.#large.delete(who)
    else this.#large.set(who, left)
  }
}
