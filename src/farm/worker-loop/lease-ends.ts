import type pg from 'pg'
import { asError } from '../../platform/errors.ts'
import { LogThrottle } from '../../platform/log-throttle.ts'
import type { Logger } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { CommitOutcome } from '../commit/commit-range.ts'
import { failLeases, releaseLeases, returnLeases } from '../leases/leases.ts'
import type { ClaimedLease, LeaseKey, RetryPolicy } from '../leases/leases.ts'
import type { CompletionAnnouncer, HeldLease, HeldLeases } from './held-leases.ts'

export interface LeaseEndsOptions {
  readonly leasePool: pg.Pool
  readonly log: Logger
  readonly metrics: Metrics
  readonly held: HeldLeases
  readonly announcer: CompletionAnnouncer
  readonly retryPolicy?: RetryPolicy | undefined
}

/** Ends of attempts. No method rejects: a lease that cannot be ended expires. */
export class LeaseEnds {
  readonly #options: LeaseEndsOptions
  readonly #failures = new LogThrottle()

  constructor(options: LeaseEndsOptions) {
    this.#options = options
  }

  async fail(failed: readonly HeldLease[], thrown: unknown): Promise<void> {
    const { leasePool, log, retryPolicy, announcer } = this.#options
    const error = asError(thrown)
    const claims = failed.map(({ lease }) => lease)
    let held: readonly LeaseKey[] = claims
    try {
      const runs = claims.map((lease) => ({ ...lease, error }))
      held = await failLeases(leasePool, runs, retryPolicy)
    } catch (failure) {
      log.warn({ err: asError(failure) }, 'Could not record failed ranges: their leases will expire')
    }
    announcer.announce()
    for (const lease of claims) {
      const { worker, from, to, attempt } = lease
      const isHeld = held.some((key) => key.worker === worker && key.from === from)
      if (isHeld) this.#failures.log(log, 'warn', { err: error, worker, from, to, attempt }, 'Range failed')
      this.over(lease, isHeld ? 'failed' : 'fenced')
    }
  }

  /** Does not count the attempts. No effect on revoked leases. */
  async release(released: readonly HeldLease[], outcome: 'released' | 'rolled-back'): Promise<void> {
    const { leasePool, announcer, log } = this.#options
    try {
      await releaseLeases(
        leasePool,
        released.map(({ lease }) => lease),
      )
      announcer.announce()
    } catch (error) {
      log.warn({ err: asError(error) }, 'Could not release leases: they will expire')
    }
    for (const { lease } of released) this.over(lease, outcome)
  }

  /** For followers whose followed workers have not done the range. */
  async return(waiting: readonly HeldLease[]): Promise<void> {
    if (waiting.length === 0) return
    const { leasePool, log } = this.#options
    try {
      await returnLeases(
        leasePool,
        waiting.map(({ lease }) => lease),
      )
    } catch (error) {
      log.warn({ err: asError(error) }, 'Could not return leases: they will expire')
    }
    for (const { lease } of waiting) this.over(lease, 'returned')
  }

  over(lease: ClaimedLease, outcome: CommitOutcome | 'failed' | 'released' | 'returned'): void {
    const { held, metrics, log } = this.#options
    const { worker, from, to } = lease
    held.remove(lease)
    metrics.farmRanges.inc({ worker, outcome })
    if (outcome !== 'committed' && outcome !== 'failed') log.debug({ worker, from, to, outcome }, 'Range not committed')
  }
}
