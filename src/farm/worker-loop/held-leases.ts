import type pg from 'pg'
import { announceFarmWork } from '../../platform/db/listen.ts'
import { heartbeatLeases } from '../leases/leases.ts'
import type { ClaimedLease, LeaseClaim } from '../leases/leases.ts'

export interface HeldLease {
  readonly lease: ClaimedLease
  /** Aborted when the claim was taken away, or is to be given back because the process stops. */
  readonly signal: AbortSignal
}

/**
 * The leases that this process works on. One statement at a time keeps all of them, whatever their number; it goes by a
 * connection that rows do not travel on, so that a large commit does not hold it up.
 */
export class HeldLeases {
  readonly #pool: pg.Pool
  readonly #leaseMs: number
  readonly #onError: (error: unknown) => void
  readonly #held = new Map<string, { lease: ClaimedLease; controller: AbortController }>()
  #timer: NodeJS.Timeout | undefined
  #isStopped = false
  #endOfWork: Error | undefined

  /** @param leaseMs how long a lease lasts without a sign of life; there are five in that time */
  constructor(pool: pg.Pool, leaseMs: number, onError: (error: unknown) => void) {
    this.#pool = pool
    this.#leaseMs = leaseMs
    this.#onError = onError
  }

  get size(): number {
    return this.#held.size
  }

  add(lease: ClaimedLease): HeldLease {
    const controller = new AbortController()
    this.#held.set(nameOf(lease), { lease, controller })
    if (this.#endOfWork !== undefined) controller.abort(this.#endOfWork)
    if (this.#timer === undefined && !this.#isStopped) this.#schedule()
    return { lease, signal: controller.signal }
  }

  /** Called when the lease has ended, in whatever way. */
  remove(claim: LeaseClaim): void {
    this.#held.delete(nameOf(claim))
  }

  /** Tells whoever works on a lease to stop, and whoever is still given one. */
  abortAll(reason: Error): void {
    this.#endOfWork = reason
    for (const { controller } of this.#held.values()) controller.abort(reason)
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  #schedule(): void {
    this.#timer = setTimeout(() => void this.#beat(), this.#leaseMs / 5)
  }

  async #beat(): Promise<void> {
    try {
      const claims = [...this.#held.values()].map(({ lease }) => lease)
      const lost = claims.length === 0 ? [] : await heartbeatLeases(this.#pool, claims, this.#leaseMs)
      // One that ended by its own commit meanwhile is not held any more.
      for (const claim of lost) {
        const reason = new Error(`the lease of ${claim.worker} from ${claim.from} was taken away`)
        this.#held.get(nameOf(claim))?.controller.abort(reason)
      }
    } catch (error) {
      // What is not renewed in time is taken away, and its commit finds that out.
      this.#onError(error)
    }
    this.#timer = undefined
    if (!this.#isStopped && this.#held.size > 0) this.#schedule()
  }
}

/** Not the generation alone: after a crash of the server two claims may have the same one. */
function nameOf({ worker, from, to, generation }: LeaseClaim): string {
  return `${worker}/${from}/${to}/${generation}`
}

/**
 * Tells the coordinator that ranges were done, after their commits and not inside: NOTIFY holds a lock of the whole
 * server through the COMMIT of its transaction, so commits that notify go one after the other. However many commits end
 * while one announcement is on its way, one more follows it.
 *
 * An announcement that is lost costs nothing but the wait for the coordinator's timer, so errors are only told.
 */
export class CompletionAnnouncer {
  readonly #pool: pg.Pool
  readonly #onError: (error: unknown) => void
  #isMore = false
  #sending: Promise<void> | undefined

  constructor(pool: pg.Pool, onError: (error: unknown) => void) {
    this.#pool = pool
    this.#onError = onError
  }

  announce(): void {
    this.#isMore = true
    this.#sending ??= this.#send()
  }

  /** Resolves when all that was announced is sent. */
  async idle(): Promise<void> {
    await this.#sending
  }

  async #send(): Promise<void> {
    while (this.#isMore) {
      this.#isMore = false
      try {
        await announceFarmWork(this.#pool)
      } catch (error) {
        this.#onError(error)
      }
    }
    this.#sending = undefined
  }
}
