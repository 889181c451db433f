import type pg from 'pg'
import { announceFarmWork } from '../../platform/db/listen.ts'
import { heartbeatLeases } from '../leases/leases.ts'
import type { ClaimedLease, LeaseClaim } from '../leases/leases.ts'

export interface HeldLease {
  readonly lease: ClaimedLease
  /** Aborted when the claim was revoked or the process stops. */
  readonly signal: AbortSignal
}

/**
 * One statement at a time renews all leases, on a separate connection, so that large commits do
 * not delay it.
 */
export class HeldLeases {
  readonly #pool: pg.Pool
  readonly #leaseMs: number
  readonly #onError: (error: unknown) => void
  readonly #held = new Map<string, { lease: ClaimedLease; controller: AbortController }>()
  #timer: NodeJS.Timeout | undefined
  #isStopped = false
  #endOfWork: Error | undefined

  /** @param leaseMs has five heartbeats */
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

  remove(claim: LeaseClaim): void {
    this.#held.delete(nameOf(claim))
  }

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
      // A lease completed by its own commit meanwhile is not held any more.
      for (const claim of lost) {
        const reason = new Error(`the lease of ${claim.worker} from ${claim.from} was revoked`)
        this.#held.get(nameOf(claim))?.controller.abort(reason)
      }
    } catch (error) {
      // Leases not renewed in time expire, and their commit fails.
      this.#onError(error)
    }
    this.#timer = undefined
    if (!this.#isStopped && this.#held.size > 0) this.#schedule()
  }
}

/** Includes the range: after a server crash two claims may have the same generation. */
function nameOf({ worker, from, to, generation }: LeaseClaim): string {
  return `${worker}/${from}/${to}/${generation}`
}

/**
 * After commits, not within: NOTIFY holds a server-wide lock until COMMIT. Commits during a
 * notification share the next one. Errors are only reported, because the coordinator also polls.
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

  /** Resolves when all notifications are sent. */
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
