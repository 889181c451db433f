import type pg from 'pg'
import type { EventDerivation, Worker } from '../../../jobs/worker.ts'
import type { PlacedEvent } from '../../flow/decoded-block.ts'
import { FatalError } from '../../platform/errors.ts'
import { linkSignals, untilAborted } from '../../platform/signals.ts'
import { RangeCommit, WorkerError } from '../commit/commit-range.ts'
import type { CommitOutcome } from '../commit/commit-range.ts'
import { RangeOutput } from '../commit/range-output.ts'
import { shortenLeases } from '../leases/leases.ts'
import type { ClaimedLease } from '../leases/leases.ts'
import { workersDone } from '../leases/requests.ts'
import { EventReader } from '../range-reader/event-reader.ts'
import type { HeldLease } from '../worker-loop/held-leases.ts'
import { LeaseEnds } from '../worker-loop/lease-ends.ts'
import type { LeaseEndsOptions } from '../worker-loop/lease-ends.ts'
import type { FaultFor } from '../worker-loop/range-runner.ts'

export interface EventRunnerOptions extends LeaseEndsOptions {
  readonly pool: pg.Pool
  readonly faultFor?: FaultFor | undefined
  /** A call of `derive` that takes longer fails its range, ms. Default 60,000. */
  readonly deriveTimeoutMs?: number | undefined
  /** A lease is shortened to the heights derived within this time, ms. Default 5,000. */
  readonly unitMs?: number | undefined
  /** The same for rows. Default 4 MiB. */
  readonly unitBytes?: number | undefined
}

interface Derived {
  readonly output: RangeOutput
  /** Exclusive. */
  readonly to: number
  readonly chainVersion: number
}

/**
 * Derives and commits leases of workers with `deriveEvents`. No transaction is open while a worker
 * computes: a rollback would wait for it.
 */
export class EventRunner {
  readonly #options: EventRunnerOptions
  readonly #ends: LeaseEnds

  constructor(options: EventRunnerOptions) {
    this.#options = options
    this.#ends = new LeaseEnds(options)
  }

  /** Never rejects. @param signal releases the lease */
  async run(worker: Worker, claimed: ClaimedLease, signal: AbortSignal): Promise<void> {
    const { held: allHeld, leasePool, faultFor } = this.#options
    let held = withSignal(allHeld.add(claimed), signal)
    try {
      const fault = faultFor?.(worker.name, claimed)
      if (fault !== undefined) throw fault
      const done = await workersDone(leasePool, worker.follows, claimed)
      if (!worker.follows.every((name) => done.has(name))) return await this.#ends.return([held])
      const derived = await this.#derive(worker, held)
      if (derived === undefined) return await this.#ends.release([held], 'rolled-back')
      if (derived.to < claimed.to) {
        const [shorter] = await shortenLeases(leasePool, [claimed], derived.to)
        if (shorter === undefined) return this.#ends.over(claimed, 'fenced')
        allHeld.remove(claimed)
        held = withSignal(allHeld.add(shorter), signal)
      }
      const outcome = await this.#commit(worker, held, derived)
      if (outcome === 'rolled-back') await this.#ends.release([held], outcome)
      else this.#ends.over(held.lease, outcome)
    } catch (error) {
      if (held.signal.aborted) await this.#ends.release([held], 'released')
      else await this.#ends.fail([held], error instanceof WorkerError ? error.cause : error)
    }
  }

  /** @returns undefined if the chain was rolled back meanwhile */
  async #derive(worker: Worker, { lease, signal }: HeldLease): Promise<Derived | undefined> {
    const { pool, metrics, unitMs = 5000, unitBytes = 4 * 1024 * 1024 } = this.#options
    const derivation = worker.deriveEvents as EventDerivation
    const output = new RangeOutput(worker)
    const reader = new EventReader(pool, derivation)
    const startedAt = performance.now()
    let chainVersion: number | undefined
    let reading = reader.read(lease.from, lease.to)
    for (;;) {
      const { events, to, chainVersion: version } = await reading
      signal.throwIfAborted()
      if (version !== (chainVersion ??= version)) return undefined
      if (to < lease.to) {
        reading = reader.read(to, lease.to)
        // Awaited later, or not at all.
        reading.catch(() => undefined)
      }
      if (events.length > 0) await this.#call(worker.name, derivation, events, output, signal)
      const elapsedMs = performance.now() - startedAt
      if (to >= lease.to || elapsedMs >= unitMs || output.bytes >= unitBytes) {
        metrics.farmDeriveSeconds.observe({ worker: worker.name }, elapsedMs / 1000)
        return { output, to, chainVersion }
      }
    }
  }

  /** The worker may ignore the signal. */
  async #call(
    name: string,
    { derive }: EventDerivation,
    events: readonly PlacedEvent[],
    output: RangeOutput,
    signal: AbortSignal,
  ): Promise<void> {
    const { deriveTimeoutMs = 60_000 } = this.#options
    const limited = linkSignals([signal])
    const timer = setTimeout(() => {
      const what = `${events.length} events of heights ${events[0]?.height} to ${events.at(-1)?.height}`
      const message = `${name} did not derive ${what} within ${deriveTimeoutMs / 1000} s. Make derive faster.`
      limited.abort(new FatalError('derive-timeout', message))
    }, deriveTimeoutMs)
    try {
      await untilAborted(derive(events, output, limited.signal), limited.signal)
    } finally {
      clearTimeout(timer)
      limited.unlink()
    }
  }

  async #commit(worker: Worker, { lease, signal }: HeldLease, derived: Derived): Promise<CommitOutcome> {
    const { pool, metrics } = this.#options
    const { output, chainVersion } = derived
    const workers = [worker]
    signal.throwIfAborted()
    const startedAt = performance.now()
    const options = { pool, range: lease, workers, leases: [lease], chainVersion, allWorkers: workers }
    const commit = await RangeCommit.begin(options)
    if (typeof commit === 'string') return commit
    try {
      await commit.write([[worker, output]])
      signal.throwIfAborted()
      await commit.finish()
    } catch (error) {
      await commit.abort(error)
      throw error
    }
    metrics.farmCommitSeconds.observe((performance.now() - startedAt) / 1000)
    metrics.farmRows.inc({ worker: worker.name }, output.rowCount)
    metrics.farmBlocks.inc({ worker: worker.name }, lease.to - lease.from)
    for (const { code } of output.problems) metrics.indexingErrors.inc({ worker: worker.name, code })
    return 'committed'
  }
}

function withSignal({ lease, signal }: HeldLease, other: AbortSignal): HeldLease {
  return { lease, signal: AbortSignal.any([signal, other]) }
}
