import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Worker } from '../../../jobs/worker.ts'
import type { Network } from '../../flow/network.ts'
import type { Logger } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { followersOf } from '../commit/folds.ts'
import { CompletionAnnouncer, HeldLeases } from './held-leases.ts'
import type { ClaimedLease, LeaseKey, RetryPolicy } from '../leases/leases.ts'
import { claimLeases } from '../leases/leases.ts'
import type { QueueConsumer, WorkQueue } from '../queues/work-queue.ts'
import type { RangeReader } from '../range-reader/range-reader.ts'
import { EmptyRanges, Batcher, WorkerLoop } from './worker-loop.ts'
import type { FaultFor } from './worker-loop.ts'

interface FarmWorkersOptions {
  /** Some fold rows of others. Default: those that run here. */
  readonly workers?: readonly Worker[]
  /** For reading and committing ranges. */
  readonly pool: pg.Pool
  /** For claims and ends of attempts, which must not wait for commits. */
  readonly leasePool: pg.Pool
  /** For heartbeats only. One connection suffices. */
  readonly heartbeatPool: pg.Pool
  readonly queue: WorkQueue
  readonly reader: RangeReader
  readonly log: Logger
  readonly metrics: Metrics
  readonly network: () => Network
  /** Without a heartbeat, ms. Default 5,000: a killed process is replaced within 8 s. */
  readonly leaseMs?: number
  /** For running ranges after `stop`, ms. Default 4,000. */
  readonly graceMs?: number
  readonly retryPolicy?: RetryPolicy
  readonly faultFor?: FaultFor
}

export interface RunningWorker {
  readonly worker: Worker
  readonly concurrency: number
}

/**
 * Processes queue jobs of any number of workers.
 *
 *     started ──stop()──► takes no more jobs ──all done or timeout──► releases its leases ──► stopped
 */
export class FarmWorkers {
  readonly #options: FarmWorkersOptions
  readonly #held: HeldLeases
  readonly #announcer: CompletionAnnouncer
  readonly #claims: Batcher<LeaseKey, ClaimedLease | undefined>
  readonly #emptyRanges: EmptyRanges
  readonly #consumers: QueueConsumer[] = []

  constructor(options: FarmWorkersOptions) {
    const { pool, leasePool, heartbeatPool, log, leaseMs = 5000 } = options
    this.#options = options
    this.#held = new HeldLeases(heartbeatPool, leaseMs, (err) => log.warn({ err }, 'Could not renew leases'))
    this.#announcer = new CompletionAnnouncer(leasePool, (err) =>
      log.debug({ err }, 'Could not announce completed ranges'),
    )
    const leasedBy = processName()
    this.#claims = new Batcher(async (keys) => {
      const claimed = new Map(
        (await claimLeases(leasePool, keys, { leasedBy, leaseMs })).map((lease) => [keyOf(lease), lease]),
      )
      return keys.map((key) => take(claimed, keyOf(key)))
    })
    this.#emptyRanges = new EmptyRanges(pool)
  }

  async start(workers: readonly RunningWorker[]): Promise<void> {
    const { workers: all = workers.map(({ worker }) => worker) } = this.#options
    for (const { worker, concurrency } of workers) {
      const loop = new WorkerLoop({
        ...this.#options,
        worker,
        followers: followersOf(worker, all),
        held: this.#held,
        announcer: this.#announcer,
        claims: this.#claims,
        emptyRanges: this.#emptyRanges,
      })
      this.#consumers.push(await this.#options.queue.work(worker.name, concurrency, (job) => loop.run(job)))
    }
  }

  get held(): number {
    return this.#held.size
  }

  async stop(): Promise<void> {
    const { graceMs = 4000 } = this.#options
    const out = new AbortController()
    const finished = Promise.all(this.#consumers.map((consumer) => consumer.close()))
    const grace = delay(graceMs, undefined, { signal: out.signal }).then(
      () => this.#held.abortAll(new Error('the process is stopping')),
      () => undefined,
    )
    await finished
    await this.#emptyRanges.idle()
    out.abort()
    await grace
    this.#held.stop()
    await this.#announcer.idle()
  }
}

function keyOf({ worker, from }: LeaseKey): string {
  return `${worker}/${from}`
}

/** A lease requested twice in one batch goes to the first request. */
function take(claimed: Map<string, ClaimedLease>, key: string): ClaimedLease | undefined {
  const lease = claimed.get(key)
  claimed.delete(key)
  return lease
}

export function processName(): string {
  return `${hostname()}:${process.pid}:${Math.round(performance.timeOrigin).toString(36)}`
}
