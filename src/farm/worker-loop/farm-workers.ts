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
import { EmptyRanges, Gathered, WorkerLoop } from './worker-loop.ts'
import type { FaultFor } from './worker-loop.ts'

interface FarmWorkersOptions {
  /**
   * All workers of the farm, also those that do not run here: some fold what others write. Default: those that run
   * here.
   */
  readonly workers?: readonly Worker[]
  /** For ranges: reading and committing. */
  readonly pool: pg.Pool
  /** For claims and the ends of runs, which must not wait behind rows. */
  readonly leasePool: pg.Pool
  /**
   * For signs of life alone: a lease lasts seconds, so they must not wait for anything else. One connection is enough.
   */
  readonly heartbeatPool: pg.Pool
  readonly queue: WorkQueue
  readonly reader: RangeReader
  readonly log: Logger
  readonly metrics: Metrics
  readonly network: () => Network
  /**
   * How long a lease lasts without a sign of life, ms. Default 5,000: a process that was killed is replaced in less
   * than 8 s.
   */
  readonly leaseMs?: number
  /** How long ranges under way may still take after `stop`, ms. Default 4,000. */
  readonly graceMs?: number
  /** When ranges that failed are tried again. */
  readonly retryPolicy?: RetryPolicy
  /** Makes ranges fail on purpose. */
  readonly faultFor?: FaultFor
}

export interface RunningWorker {
  readonly worker: Worker
  /** Jobs at the same time. */
  readonly concurrency: number
}

/**
 * Works on what the queues bring, for any number of workers.
 *
 *     started ──stop()──► takes no more jobs ──all done or out of time──► gives its leases back ──► stopped
 */
export class FarmWorkers {
  readonly #options: FarmWorkersOptions
  readonly #held: HeldLeases
  readonly #announcer: CompletionAnnouncer
  readonly #claims: Gathered<LeaseKey, ClaimedLease | undefined>
  readonly #emptyRanges: EmptyRanges
  readonly #consumers: QueueConsumer[] = []

  constructor(options: FarmWorkersOptions) {
    const { pool, leasePool, heartbeatPool, log, leaseMs = 5000 } = options
    this.#options = options
    this.#held = new HeldLeases(heartbeatPool, leaseMs, (err) => log.warn({ err }, 'leases could not be renewed'))
    this.#announcer = new CompletionAnnouncer(leasePool, (err) =>
      log.debug({ err }, 'the end of ranges could not be announced'),
    )
    const leasedBy = processName()
    this.#claims = new Gathered(async (keys) => {
      const claimed = new Map(
        (await claimLeases(leasePool, keys, { leasedBy, leaseMs })).map((lease) => [keyOf(lease), lease]),
      )
      return keys.map((key) => take(claimed, keyOf(key)))
    })
    this.#emptyRanges = new EmptyRanges(pool)
  }

  /** Starts taking jobs of these workers. */
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

  /** Leases that are worked on now. */
  get held(): number {
    return this.#held.size
  }

  async stop(): Promise<void> {
    const { graceMs = 4000 } = this.#options
    const out = new AbortController()
    const finished = Promise.all(this.#consumers.map((consumer) => consumer.close()))
    const grace = delay(graceMs, undefined, { signal: out.signal }).then(
      () => this.#held.abortAll(new Error('the process stops')),
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

/** The same lease asked for twice in one go is given to the first. */
function take(claimed: Map<string, ClaimedLease>, key: string): ClaimedLease | undefined {
  const lease = claimed.get(key)
  claimed.delete(key)
  return lease
}

/** Names this process among all that ever worked on the database: host, process id, time of its start in base 36. */
export function processName(): string {
  return `${hostname()}:${process.pid}:${Math.round(performance.timeOrigin).toString(36)}`
}
