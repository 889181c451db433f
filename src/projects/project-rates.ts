import { SlidingWindow } from '../base/sliding-window.ts'
import { projectError } from './project-error.ts'

/** How often the function may be called in a minute, and how often at once; 0 is no limit. Each process counts for itself. */
export interface ProjectRateLimits {
  /** By one address on the net, or one network of IPv6. */
  readonly client: number
  /** For one account, from wherever: what reads, */
  readonly read: number
  /** and what changes something. Editors save some seconds after each change. */
  readonly write: number
  /** Requests of one account, or of one client that has not signed in, that are answered at the same time: each may hold a whole project in memory. */
  readonly atOnce: number
}

/** What holds unless other limits are given. */
export const projectRateLimits: ProjectRateLimits = { client: 600, read: 300, write: 120, atOnce: 8 }

/** Counts who asks how often, in memory. */
export class ProjectRates {
  readonly #client: SlidingWindow
  readonly #account: Readonly<Record<'read' | 'write', SlidingWindow>>
  readonly #atOnce: number
  readonly #running = new Map<string, number>()

  constructor({ client, read, write, atOnce }: ProjectRateLimits) {
    this.#client = new SlidingWindow({ most: client })
    this.#account = { read: new SlidingWindow({ most: read }), write: new SlidingWindow({ most: write }) }
    this.#atOnce = atOnce
  }

  /** @throws ApiError 429 `RATE_LIMITED` */
  takeClient(network: string): void {
    take(this.#client, network)
  }

  /** @throws ApiError 429 `RATE_LIMITED` */
  takeAccount(kind: 'read' | 'write', userId: string): void {
    take(this.#account[kind], userId)
  }

  /** Runs `fn` while its account or client has no more than its number of requests. @throws ApiError 429 `RATE_LIMITED`, and what `fn` throws */
  async during<Result>(who: string, fn: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(who) ?? 0
    if (this.#atOnce > 0 && running >= this.#atOnce) {
      throw projectError('RATE_LIMITED', `There may be ${this.#atOnce} requests at a time; wait for the others.`, {
        retryAfterSeconds: 1,
      })
    }
    this.#running.set(who, running + 1)
    try {
      return await fn()
    } finally {
      const left = (this.#running.get(who) ?? 1) - 1
      if (left === 0) this.#running.delete(who)
      else this.#running.set(who, left)
    }
  }
}

function take(window: SlidingWindow, key: string): void {
  const { isAllowed, retryAfterSeconds } = window.take(key)
  if (!isAllowed)
    throw projectError('RATE_LIMITED', `That was too often; try again in ${retryAfterSeconds} s.`, {
      retryAfterSeconds,
    })
}
