import { ApiError } from '../errors.ts'

/** Bytes that request bodies may take up together, in one process. */
export class ByteBudget {
  #free: number

  constructor(bytes: number) {
    this.#free = bytes
  }

  /** @throws ApiError 503 `busy` */
  take(bytes: number): void {
    if (bytes > this.#free)
      throw new ApiError(503, 'busy', 'There are too many large bodies at once: send it again in a moment.', {
        details: { retryAfterSeconds: 2 },
      })
    this.#free -= bytes
  }

  giveBack(bytes: number): void {
    this.#free += bytes
  }

  /** Runs `fn`, and gives back in the end what it took by its argument. @throws what `fn` throws */
  async during<Result>(fn: (take: (bytes: number) => void) => Promise<Result>): Promise<Result> {
    let taken = 0
    try {
      return await fn((bytes) => {
        this.take(bytes)
        taken += bytes
      })
    } finally {
      this.giveBack(taken)
    }
  }
}
