import { askerLeft, slotsStuck, tooBusy, tooManyStatements } from './sql-errors.ts'

/** Statements of one client that may wait for a slot. */
export const maxWaitingPerClient = 100

/** Retry-After where the wait is unknown, s. */
const retrySeconds = 5
/** Retry-After where stuck sessions hold the slots, s. */
const stuckRetrySeconds = 60

export interface Slot {
  /** Releases it; idempotent. */
  readonly end: () => void
  /** Its session is stuck: until it ends, no statement waits for this slot. */
  readonly hold: () => void
}

interface Waiting {
  readonly start: () => void
  readonly refuse: (error: Error) => void
}

interface ClientQueue {
  running: number
  /** Slots of stuck sessions. */
  held: number
  readonly waiting: Set<Waiting>
}

/**
 * Slots for statements, shared round robin by clients and in order within a client. A client has at most all slots
 * but one, so another client never waits behind its long statements, and a queue of its own. When the whole queue is
 * full, the client with the most waiting statements loses its newest.
 */
export class Turns {
  readonly #most: number
  readonly #maxWaiting: number
  /** In round-robin order. */
  readonly #clients = new Map<string, ClientQueue>()
  #running = 0
  #held = 0
  #waiting = 0

  constructor(most: number, maxWaiting: number) {
    this.#most = most
    this.#maxWaiting = maxWaiting
  }

  /**
   * Waits for a slot.
   * @param client network address of the client (`clientNetwork`); undefined: the program itself, which may have all
   * slots
   * @throws ApiError 429 `too-many-statements` when the queue of the client is full; 503 `sql-busy` when all of it is,
   * or when no slot was free within `maxWaitMs`; 503 `sql-stuck` when all slots that it may have are held;
   * `sql-cancelled`
   */
  async take(maxWaitMs: number, signal?: AbortSignal, client = ''): Promise<Slot> {
    if (signal?.aborted === true) throw askerLeft(signal.reason)
    const queue = this.#clients.get(client) ?? { running: 0, held: 0, waiting: new Set() }
    this.#clients.set(client, queue)
    try {
      if (this.#mayStart(client, queue)) this.#start(client, queue)
      else await this.#wait(client, queue, maxWaitMs, signal)
    } finally {
      this.#dropIdle(client, queue)
    }
    let [hasEnded, isHeld] = [false, false]
    const setHeld = (held: boolean): void => {
      if (hasEnded || isHeld === held) return
      isHeld = held
      this.#held += held ? 1 : -1
      queue.held += held ? 1 : -1
      if (held) this.#refuseStuck()
    }
    return {
      hold: () => setHeld(true),
      end: () => {
        setHeld(false)
        if (hasEnded) return
        hasEnded = true
        this.#running -= 1
        queue.running -= 1
        this.#dropIdle(client, queue)
        this.#startNext()
      },
    }
  }

  #mayStart(client: string, { running }: ClientQueue): boolean {
    return this.#running < this.#most && running < this.#maxSlotsOf(client)
  }

  #maxSlotsOf(client: string): number {
    return client === '' ? this.#most : Math.max(1, this.#most - 1)
  }

  #isStuck(client: string, { held }: ClientQueue): boolean {
    return this.#held >= this.#most || held >= this.#maxSlotsOf(client)
  }

  #refuseStuck(): void {
    for (const [client, queue] of this.#clients) {
      if (!this.#isStuck(client, queue)) continue
      for (const waiting of queue.waiting) {
        this.#remove(queue, waiting)
        waiting.refuse(slotsStuck(stuckRetrySeconds))
      }
    }
  }

  #start(client: string, queue: ClientQueue): void {
    this.#running += 1
    queue.running += 1
    // Moves to the end of the order.
    this.#clients.delete(client)
    this.#clients.set(client, queue)
  }

  #startNext(): void {
    for (const [client, queue] of this.#clients) {
      const [next] = queue.waiting
      if (next === undefined || !this.#mayStart(client, queue)) continue
      this.#remove(queue, next)
      this.#start(client, queue)
      next.start()
      return
    }
  }

  #remove(queue: ClientQueue, waiting: Waiting): void {
    if (queue.waiting.delete(waiting)) this.#waiting -= 1
  }

  #dropIdle(client: string, queue: ClientQueue): void {
    const isIdle = queue.running === 0 && queue.waiting.size === 0
    if (isIdle && this.#clients.get(client) === queue) this.#clients.delete(client)
  }

  async #wait(client: string, queue: ClientQueue, maxWaitMs: number, signal: AbortSignal | undefined): Promise<void> {
    if (this.#isStuck(client, queue)) throw slotsStuck(stuckRetrySeconds)
    if (client !== '' && queue.waiting.size >= maxWaitingPerClient) {
      throw tooManyStatements(queue.waiting.size, retrySeconds)
    }
    if (this.#waiting >= this.#maxWaiting) this.#makeRoom(queue)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiting = { start: resolve, refuse: reject }
    queue.waiting.add(waiting)
    this.#waiting += 1
    const timer = setTimeout(() => reject(tooBusy(retrySeconds)), maxWaitMs).unref()
    const leave = (): void => reject(askerLeft(signal?.reason))
    signal?.addEventListener('abort', leave)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
      this.#remove(queue, waiting)
    }
  }

  /** @throws ApiError `sql-busy` when no other client has more statements waiting */
  #makeRoom(queue: ClientQueue): void {
    const largest = [...this.#clients.values()].reduce(
      (most, each) => (each.waiting.size > most.waiting.size ? each : most),
      queue,
    )
    const newest = [...largest.waiting].at(-1)
    if (newest === undefined || largest.waiting.size <= queue.waiting.size + 1) throw tooBusy(1)
    this.#remove(largest, newest)
    newest.refuse(tooBusy(retrySeconds))
  }
}
