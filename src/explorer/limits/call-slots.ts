import { ApiError } from '../../platform/errors.ts'
import type { Client } from '../../platform/client-address.ts'
import { clientNetwork } from '../../platform/client-network.ts'

export interface CallSlotsOptions {
  /** What is limited, in words: `expensive calls`. */
  readonly what: string
  /** Calls that run at the same time. */
  readonly max: number
  /** The same of one client network; programs on this machine, which may call for many clients, have no limit of their own. */
  readonly maxOfClient: number
  /** Calls that wait for a slot, of all clients and of one. 0: none does. */
  readonly maxWaiting: number
  readonly maxWaitingOfClient: number
  /** Longest wait for a slot, in milliseconds. */
  readonly maxWaitMs: number
}

interface Waiting {
  readonly client: string | undefined
  readonly begin: () => void
}

/** Seconds after which a client that is refused should try again. */
export const retrySeconds = 2

/** Slots for calls that cost much, shared fairly: a slot that is free goes to the waiting client with the fewest running calls. */
export class CallSlots {
  readonly #options: CallSlotsOptions
  readonly #running = new Map<string | undefined, number>()
  readonly #waiting: Waiting[] = []
  #all = 0

  constructor(options: CallSlotsOptions) {
    this.#options = options
  }

  /**
   * Waits for a slot. The function that is returned frees it and may be called more than once.
   * @throws ApiError 429 `too-many-calls` for a client that has too many, 503 `busy` where all slots are taken
   */
  async enter({ address, isLocal }: Client): Promise<() => void> {
    const client = isLocal ? undefined : clientNetwork(address)
    const { what, max, maxOfClient, maxWaiting, maxWaitingOfClient, maxWaitMs } = this.#options
    if (!this.#mayBegin(client)) {
      const own = this.#waiting.filter((waiting) => waiting.client === client).length
      const hasSome = own > 0 || (this.#running.get(client) ?? 0) >= maxOfClient
      if (client !== undefined && hasSome && own >= maxWaitingOfClient) throw tooMany(what, maxOfClient)
      if (this.#waiting.length >= maxWaiting) throw busy(what, max)
      await this.#wait(client, maxWaitMs)
    } else this.#begin(client)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#end(client)
    }
  }

  #mayBegin(client: string | undefined): boolean {
    const { max, maxOfClient } = this.#options
    return this.#all < max && (client === undefined || (this.#running.get(client) ?? 0) < maxOfClient)
  }

  #begin(client: string | undefined): void {
    this.#all++
    this.#running.set(client, (this.#running.get(client) ?? 0) + 1)
  }

  async #wait(client: string | undefined, maxWaitMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting = { client, begin: resolve }
    this.#waiting.push(waiting)
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      reject(busy(this.#options.what, this.#options.max))
    }, maxWaitMs).unref()
    try {
      await promise
    } finally {
      clearTimeout(timer)
    }
  }

  #end(client: string | undefined): void {
    this.#all--
    const left = (this.#running.get(client) ?? 1) - 1
    if (left > 0) this.#running.set(client, left)
    else this.#running.delete(client)
    const runs = (waiting: Waiting): number => this.#running.get(waiting.client) ?? 0
    const [next] = this.#waiting
      .filter((waiting) => this.#mayBegin(waiting.client))
      .toSorted((a, b) => runs(a) - runs(b))
    if (next === undefined) return
    this.#waiting.splice(this.#waiting.indexOf(next), 1)
    this.#begin(next.client)
    next.begin()
  }
}

function tooMany(what: string, max: number): ApiError {
  return refused(
    429,
    'too-many-calls',
    `Too many ${what}: ${max} run at the same time for one client. Wait for their answers, or try again in ${retrySeconds} s.`,
  )
}

function busy(what: string, max: number): ApiError {
  return refused(
    503,
    'busy',
    `Too many ${what}: ${max} run at the same time for all clients. Try again in ${retrySeconds} s.`,
  )
}

function refused(status: number, code: string, text: string): ApiError {
  return new ApiError(status, code, text, { details: { retryAfterSeconds: retrySeconds } })
}
