import { ApiError } from '../errors.ts'

export interface SlotsOptions {
  /** For messages: `expensive calls`. */
  readonly what: string
  readonly max: number
  readonly maxPerClient: number
  /** Limit of waiting calls, overall and per client. */
  readonly maxWaiting?: number
  readonly maxWaitingPerClient?: number
  readonly maxWaitMs?: number
  readonly refusals?: Partial<SlotRefusals>
}

export interface SlotRefusals {
  /** @param waiting calls of the client */
  readonly client: (waiting: number) => Error
  readonly busy: () => Error
  /** The queue is full and no other client has more waiting calls. Default: `busy`. */
  readonly full: () => Error
  /** All slots available to the client are held by calls that do not end, or some are and none was free in time. */
  readonly stuck: () => Error
  readonly left: (reason: unknown) => Error
}

export interface Slot {
  readonly leave: () => void
  /** Marks the call as never ending: other calls are refused instead of waiting for this slot. */
  readonly hold: () => void
}

interface Waiting {
  readonly begin: () => void
  readonly refuse: (error: Error) => void
}

interface Calls {
  running: number
  held: number
  /** Sequence number of the client's last started call. */
  startedAt: number
  readonly waiting: Set<Waiting>
}

const retrySeconds = 2

/**
 * A fair semaphore: a free slot goes to the waiting client with the fewest running calls, then to
 * the one whose last call started longest ago. When the queue is full, the client with the most
 * waiting calls loses its newest.
 */
export class Slots {
  readonly #options: Required<Omit<SlotsOptions, 'refusals' | 'what'>>
  readonly #refusals: SlotRefusals
  readonly #clients = new Map<string | undefined, Calls>()
  #running = 0
  #held = 0
  #waiting = 0
  #started = 0

  constructor({ what, refusals, ...options }: SlotsOptions) {
    this.#options = { maxWaiting: 0, maxWaitingPerClient: 0, maxWaitMs: 0, ...options }
    const defaults = defaultRefusals(what, options)
    this.#refusals = { ...defaults, full: refusals?.busy ?? defaults.busy, ...refusals }
  }

  get running(): number {
    return this.#running
  }

  /**
   * @param client `limitKey` of the client; undefined for programs on this machine, which may use
   *   all slots
   * @throws ApiError 429 `too-many-calls`, 503 `busy`; or the errors of `refusals`
   */
  async enter(
    client: string | undefined,
    { signal, maxWaitMs = this.#options.maxWaitMs }: { signal?: AbortSignal | undefined; maxWaitMs?: number } = {},
  ): Promise<Slot> {
    if (signal?.aborted === true) throw this.#refusals.left(signal.reason)
    const calls = this.#callsOf(client)
    try {
      if (this.#mayBegin(client, calls)) this.#begin(calls)
      else await this.#wait(client, calls, maxWaitMs, signal)
    } finally {
      this.#dropIdle(client, calls)
    }
    return this.#slotOf(client, calls)
  }

  /** Without waiting. @throws as `enter` */
  enterNow(client: string | undefined): Slot {
    const calls = this.#callsOf(client)
    if (this.#mayBegin(client, calls)) {
      this.#begin(calls)
      return this.#slotOf(client, calls)
    }
    this.#dropIdle(client, calls)
    throw calls.running < this.#maxOf(client) ? this.#refusals.busy() : this.#refusals.client(0)
  }

  #callsOf(client: string | undefined): Calls {
    const calls = this.#clients.get(client) ?? { running: 0, held: 0, startedAt: 0, waiting: new Set() }
    this.#clients.set(client, calls)
    return calls
  }

  #slotOf(client: string | undefined, calls: Calls): Slot {
    let [hasLeft, isHeld] = [false, false]
    const setHeld = (held: boolean): void => {
      if (hasLeft || isHeld === held) return
      isHeld = held
      this.#held += held ? 1 : -1
      calls.held += held ? 1 : -1
      if (held) this.#refuseStuck()
    }
    return {
      hold: () => setHeld(true),
      leave: () => {
        setHeld(false)
        if (hasLeft) return
        hasLeft = true
        this.#running--
        calls.running--
        this.#dropIdle(client, calls)
        this.#beginNext()
      },
    }
  }

  #maxOf(client: string | undefined): number {
    return client === undefined ? this.#options.max : this.#options.maxPerClient
  }

  #mayBegin(client: string | undefined, { running }: Calls): boolean {
    return this.#running < this.#options.max && running < this.#maxOf(client)
  }

  #isStuck(client: string | undefined, { held }: Calls): boolean {
    return this.#held >= this.#options.max || held >= this.#maxOf(client)
  }

  #begin(calls: Calls): void {
    this.#running++
    calls.running++
    calls.startedAt = ++this.#started
  }

  #beginNext(): void {
    const [next] = [...this.#clients]
      .filter(([client, calls]) => calls.waiting.size > 0 && this.#mayBegin(client, calls))
      .map(([, calls]) => calls)
      .toSorted((a, b) => a.running - b.running || a.startedAt - b.startedAt)
    const [waiting] = next?.waiting ?? []
    if (next === undefined || waiting === undefined) return
    this.#remove(next, waiting)
    this.#begin(next)
    waiting.begin()
  }

  async #wait(
    client: string | undefined,
    calls: Calls,
    maxWaitMs: number,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { maxPerClient, maxWaiting, maxWaitingPerClient } = this.#options
    if (this.#isStuck(client, calls)) throw this.#refusals.stuck()
    const own = calls.waiting.size
    const hasSome = own > 0 || calls.running >= maxPerClient
    if (client !== undefined && hasSome && own >= maxWaitingPerClient) throw this.#refusals.client(own)
    if (this.#waiting >= maxWaiting) this.#dropNewest(calls)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting: Waiting = { begin: resolve, refuse: reject }
    calls.waiting.add(waiting)
    this.#waiting++
    const timer = setTimeout(
      () => reject(this.#held > 0 ? this.#refusals.stuck() : this.#refusals.busy()),
      maxWaitMs,
    ).unref()
    const leave = (): void => reject(this.#refusals.left(signal?.reason))
    signal?.addEventListener('abort', leave)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
      this.#remove(calls, waiting)
    }
  }

  /** @throws the error `full` if no other client has more waiting calls */
  #dropNewest(calls: Calls): void {
    const largest = [...this.#clients.values()].reduce(
      (max, each) => (each.waiting.size > max.waiting.size ? each : max),
      calls,
    )
    const newest = [...largest.waiting].at(-1)
    if (newest === undefined || largest.waiting.size <= calls.waiting.size + 1) throw this.#refusals.full()
    this.#remove(largest, newest)
    newest.refuse(this.#refusals.busy())
  }

  #refuseStuck(): void {
    for (const [client, calls] of this.#clients) {
      if (!this.#isStuck(client, calls)) continue
      for (const waiting of calls.waiting) {
        this.#remove(calls, waiting)
        waiting.refuse(this.#refusals.stuck())
      }
    }
  }

  #remove(calls: Calls, waiting: Waiting): void {
    if (calls.waiting.delete(waiting)) this.#waiting--
  }

  #dropIdle(client: string | undefined, calls: Calls): void {
    if (calls.running === 0 && calls.waiting.size === 0 && this.#clients.get(client) === calls)
      this.#clients.delete(client)
  }
}

function defaultRefusals(
  what: string,
  { max, maxPerClient }: Pick<SlotsOptions, 'max' | 'maxPerClient'>,
): Omit<SlotRefusals, 'full'> {
  const refusal = (status: number, code: string, text: string): ApiError =>
    new ApiError(status, code, text, { details: { retryAfterSeconds: retrySeconds } })
  const busy = (): ApiError =>
    refusal(
      503,
      'busy',
      `Too many ${what}: ${max} may run at the same time for all clients. Try again in ${retrySeconds} s.`,
    )
  return {
    busy,
    stuck: busy,
    left: (reason) => (reason instanceof Error ? reason : new Error('the client disconnected')),
    client: () =>
      refusal(
        429,
        'too-many-calls',
        `Too many ${what}: ${maxPerClient} may run at the same time per client. Wait for one to finish, or try ` +
          `again in ${retrySeconds} s.`,
      ),
  }
}
