import { ApiError } from '../errors.ts'

/** Memory limit for request bodies in one process. */
export class ByteBudget {
  #free: number

  constructor(bytes: number) {
    this.#free = bytes
  }

  /** @throws ApiError 503 `busy` */
  take(bytes: number): void {
    if (bytes > this.#free)
      throw new ApiError(503, 'busy', 'Too many large request bodies at once. Try again in a moment.', {
        details: { retryAfterSeconds: 2 },
      })
    this.#free -= bytes
  }

  release(bytes: number): void {
    this.#free += bytes
  }

  /** Releases afterwards whatever `fn` took. */
  async during<Result>(fn: (take: (bytes: number) => void) => Promise<Result>): Promise<Result> {
    let taken = 0
    try {
      return await fn((bytes) => {
        this.take(bytes)
        taken += bytes
      })
    } finally {
      this.release(taken)
    }
  }
}
