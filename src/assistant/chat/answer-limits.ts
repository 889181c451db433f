import type { Client } from '../../platform/client-address.ts'
import { clientNetwork } from '../../platform/client-network.ts'
import { ApiError } from '../../platform/errors.ts'
import { SlidingWindow } from '../../platform/sliding-window.ts'

/** The place of one who asks, from the request until the answer has its end. */
export interface AnswerPlace {
  /** Counts the answer, which is what costs. @throws ApiError 429 `rate-limited`, with `retryAfterSeconds` */
  count(): void
  leave(): void
}

export interface AnswerLimitOptions {
  /** CHAT_CONCURRENCY */
  readonly most: number
  /** CHAT_CLIENT_CONCURRENCY */
  readonly mostOfClient: number
  /** CHAT_RATE_LIMIT */
  readonly perMinute: number
  /** Default: that of the process. Milliseconds. */
  readonly clock?: () => number
}

/** When to try again where nobody knows how long an answer will take, s. */
const retrySeconds = 5

/**
 * How many answers are given, in all and to one client, which is an address or a network of IPv6. Nobody waits: who is refused is told
 * when to come again. Programs of this machine have a limit in all alone.
 */
export class AnswerLimits {
  readonly #options: AnswerLimitOptions
  readonly #window: SlidingWindow
  readonly #ofClient = new Map<string, number>()
  #running = 0

  constructor(options: AnswerLimitOptions) {
    this.#options = options
    this.#window = new SlidingWindow({
      most: options.perMinute,
      ...(options.clock === undefined ? {} : { clock: options.clock }),
    })
  }

  /** Answers that are being given, to those too whose question is still on its way. */
  get running(): number {
    return this.#running
  }

  /** @throws ApiError 503 `chat-busy`, 429 `too-many-answers`, both with `retryAfterSeconds` */
  enter({ address, isLocal }: Client): AnswerPlace {
    const { most, mostOfClient, perMinute } = this.#options
    const client = clientNetwork(address)
    const own = this.#ofClient.get(client) ?? 0
    if (!isLocal && own >= mostOfClient) {
      throw refused(
        429,
        'too-many-answers',
        `You are being given ${own} answers, and ${mostOfClient} at the same time is the most: wait for one of them, or stop it.`,
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
          `You have asked ${perMinute} questions within a minute, which is the most: try again in ${retryAfterSeconds} s.`,
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
