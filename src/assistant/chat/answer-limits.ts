import type { Client } from '../../platform/limits/clients.ts'
import { clientNetwork } from '../../platform/limits/clients.ts'
import { ApiError } from '../../platform/errors.ts'
import { SlidingWindow } from '../../platform/limits/sliding-window.ts'

/** A slot for one answer, from the request until the answer ends. */
export interface AnswerPlace {
  /** Counts the answer. @throws ApiError 429 `rate-limited`, with `retryAfterSeconds` */
  count(): void
  leave(): void
}

export interface AnswerLimitOptions {
  /** CHAT_CONCURRENCY */
  readonly most: number
  /** CHAT_CLIENT_CONCURRENCY */
  readonly maxPerClient: number
  /** CHAT_RATE_LIMIT */
  readonly perMinute: number
  /** Default: `performance.now`, ms. */
  readonly clock?: () => number
}

/** Retry-After where the duration of an answer is unknown, s. */
const retrySeconds = 5

/**
 * Limits the concurrent answers, in total and per client (an address, or a network of IPv6), and the answers per
 * minute and client. Nothing queues. Programs on this machine have the total limit only.
 */
export class AnswerLimits {
  readonly #options: AnswerLimitOptions
  readonly #window: SlidingWindow
  readonly #ofClient = new Map<string, number>()
  #running = 0

  constructor(options: AnswerLimitOptions) {
    this.#options = options
    this.#window = new SlidingWindow({
      max: options.perMinute,
      ...(options.clock === undefined ? {} : { clock: options.clock }),
    })
  }

  /** Answers in progress, including requests whose body is still arriving. */
  get running(): number {
    return this.#running
  }

  /** @throws ApiError 503 `chat-busy`, 429 `too-many-answers`, both with `retryAfterSeconds` */
  enter({ address, isLocal }: Client): AnswerPlace {
    const { most, maxPerClient, perMinute } = this.#options
    const client = clientNetwork(address)
    const own = this.#ofClient.get(client) ?? 0
    if (!isLocal && own >= maxPerClient) {
      throw refused(
        429,
        'too-many-answers',
        `You are being given ${own} answers, and ${maxPerClient} at the same time is the most: wait for one ` +
          'of them, or stop it.',
        retrySeconds,
      )
    }
    if (this.#running >= most)
      throw refused(
        503,
        'chat-busy',
        `${most} answers are being given at this moment, which is the most: try again in ${retrySeconds} s.`,
        retrySeconds,
      )
    this.#running++
    if (!isLocal) this.#ofClient.set(client, own + 1)
    let hasLeft = false
    return {
      count: () => {
        if (isLocal) return
        const { isAllowed, retryAfterSeconds } = this.#window.take(client)
        if (isAllowed) return
        throw refused(
          429,
          'rate-limited',
          `You have asked ${perMinute} questions within a minute, which is the most: try again in ` +
            `${retryAfterSeconds} s.`,
          retryAfterSeconds,
        )
      },
      leave: () => {
        if (hasLeft) return
        hasLeft = true
        this.#running--
        if (isLocal) return
        const left = (this.#ofClient.get(client) ?? 1) - 1
        if (left === 0) this.#ofClient.delete(client)
        else this.#ofClient.set(client, left)
      },
    }
  }
}

function refused(status: number, code: string, text: string, retryAfterSeconds: number): ApiError {
  return new ApiError(status, code, text, { details: { retryAfterSeconds } })
}
