import { ApiError } from '../../platform/errors.ts'
import { limitKey } from '../../platform/limits/clients.ts'
import type { Client } from '../../platform/limits/clients.ts'
import { SlidingWindow } from '../../platform/limits/sliding-window.ts'
import { Slots } from '../../platform/limits/slots.ts'

export interface AnswerPlace {
  /** @throws ApiError 429 `rate-limited`, with `retryAfterSeconds` */
  readonly count: () => void
  readonly leave: () => void
}

export interface AnswerLimitOptions {
  readonly max: number
  readonly maxPerClient: number
  readonly perMinute: number
  readonly clock?: () => number
}

const retrySeconds = 5

/**
 * Limits concurrent answers, in total and per client, and answers per minute and client. Nothing
 * queues. Programs on this machine have only the total limit.
 */
export class AnswerLimits {
  readonly #options: AnswerLimitOptions
  readonly #slots: Slots
  readonly #window: SlidingWindow

  constructor(options: AnswerLimitOptions) {
    const { max, maxPerClient, perMinute, clock } = options
    this.#options = options
    this.#window = new SlidingWindow({ max: perMinute, ...(clock === undefined ? {} : { clock }) })
    this.#slots = new Slots({
      what: 'answers',
      max,
      maxPerClient,
      refusals: {
        client: () =>
          refused(
            429,
            'too-many-answers',
            `Too many concurrent answers: the limit is ${maxPerClient} per client. Wait for one to finish, or stop it.`,
          ),
        busy: () =>
          refused(
            503,
            'chat-busy',
            `The chat is busy: ${max} answers are running, which is the limit. Try again in ${retrySeconds} s.`,
          ),
      },
    })
  }

  get running(): number {
    return this.#slots.running
  }

  /** @throws ApiError 503 `chat-busy`, 429 `too-many-answers`, both with `retryAfterSeconds` */
  async enter(client: Client): Promise<AnswerPlace> {
    const key = limitKey(client)
    const { leave } = await this.#slots.enter(key)
    return {
      leave,
      count: () => {
        if (key === undefined) return
        this.#window.require(
          key,
          (seconds) =>
            `Too many questions: the limit is ${this.#options.perMinute} a minute. Try again in ${seconds} s.`,
        )
      },
    }
  }
}

function refused(status: number, code: string, text: string): ApiError {
  return new ApiError(status, code, text, { details: { retryAfterSeconds: retrySeconds } })
}
