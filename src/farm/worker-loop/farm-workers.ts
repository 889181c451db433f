import { hostname } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type pg from 'pg'
import type { Worker } from '../../../jobs/worker.ts'
import type { Network } from '../../flow/network.ts'
import { asError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import type { HeightRange } from '../../platform/ranges.ts'
import { headDerived } from '../../platform/db/listen.ts'
import { CompletionAnnouncer, HeldLeases } from './held-leases.ts'
import type { RetryPolicy } from '../leases/leases.ts'
import { claimLeases, leaseHead } from '../leases/leases.ts'
import { queueNames } from '../queues/work-queue.ts'
import type { QueueConsumer, QueueName, RangeJob, WorkQueue } from '../queues/work-queue.ts'
import type { RangeReader } from '../range-reader/range-reader.ts'
import { RangeRunner } from './range-runner.ts'
import type { FaultFor } from './range-runner.ts'

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
  /** A lease expires after this time without a heartbeat, ms. Default 5,000: takeover within 8 s. */
  readonly leaseMs?: number
  /** Time for running ranges after `stop`, ms. Default 4,000. */
  readonly graceMs?: number
  readonly retryPolicy?: RetryPolicy
  readonly faultFor?: FaultFor
  /** Maximum blocks that `deriveHead` takes. Default 0: none. */
  readonly headBlocks?: number
  /** Maximum decoded blocks in a transaction. Default 128 MiB. */
  readonly unitBytes?: number
}

export interface RunningWorker {
  readonly worker: Worker
  /** Ranges of history at a time. */
  readonly concurrency: number
}

/**
 * Derives the ranges of queue jobs, and new blocks of an ingester of this process without a job.
 *
 *     started ──stop()──► takes no more jobs ──all done or timeout──► releases its leases ──► stopped
 */
export class FarmWorkers {
  readonly #options: FarmWorkersOptions
  readonly #held: HeldLeases
  readonly #announcer: CompletionAnnouncer
  readonly #by: { readonly leasedBy: string; readonly leaseMs: number }
  readonly #consumers: QueueConsumer[] = []
  #names: ReadonlySet<string> = new Set()
  #runner: RangeRunner | undefined
  #head: Promise<void> | undefined
  #newest = 0

  constructor(options: FarmWorkersOptions) {
    const { leasePool, heartbeatPool, log, leaseMs = 5000 } = options
    this.#options = options
    this.#held = new HeldLeases(heartbeatPool, leaseMs, (err) => log.warn({ err }, 'Could not renew leases'))
    this.#announcer = new CompletionAnnouncer(leasePool, (err) =>
      log.debug({ err }, 'Could not announce completed ranges'),
    )
    this.#by = { leasedBy: processName(), leaseMs }
  }

  /** @param running each after those that it follows */
  async start(running: readonly RunningWorker[]): Promise<void> {
    const { workers: allWorkers = running.map(({ worker }) => worker), queue } = this.#options
    const runner = new RangeRunner({
      ...this.#options,
      workers: running.map(({ worker }) => worker),
      allWorkers,
      leaseMs: this.#by.leaseMs,
      held: this.#held,
      announcer: this.#announcer,
    })
    this.#runner = runner
    this.#names = new Set(running.map(({ worker }) => worker.name))
    const slots = new WorkerSlots(new Map(running.map(({ worker, concurrency }) => [worker.name, concurrency])))
    const concurrency: Record<QueueName, number> = {
      live: 1,
      history: Math.max(1, ...running.map((one) => one.concurrency)),
    }
    for (const name of queueNames) {
      const consumer = await queue.work(name, concurrency[name], async (job) => {
        const here = { ...job, workers: job.workers.filter((worker) => this.#names.has(worker)) }
        // A blocked commit of history must not delay the head.
        const free = name === 'live' ? undefined : await slots.take(here.workers)
        try {
          await this.#run(runner, here)
        } finally {
          free?.()
        }
      })
      this.#consumers.push(consumer)
    }
  }

  get held(): number {
    return this.#held.size
  }

  /**
   * Derives blocks that an ingester of this process has just stored, if they are the newest and it
   * can do so at once: else the coordinator plans them.
   */
  deriveHead(range: HeightRange): void {
    const { headBlocks = 0 } = this.#options
    if (range.to <= this.#newest) return
    this.#newest = range.to
    if (this.#runner === undefined || range.to - range.from > headBlocks) return
    if (this.#head === undefined)
      this.#head = this.#deriveHead(this.#runner, range).finally(() => (this.#head = undefined))
    else this.#announcer.announce()
  }

  async stop(): Promise<void> {
    const { graceMs = 4000 } = this.#options
    this.#runner = undefined
    const out = new AbortController()
    const finished = Promise.all([this.#head, ...this.#consumers.map((consumer) => consumer.close())])
    const grace = delay(graceMs, undefined, { signal: out.signal }).then(
      () => this.#held.abortAll(new Error('the process is stopping')),
      () => undefined,
    )
    await finished
    out.abort()
    await grace
    this.#held.stop()
    await this.#announcer.idle()
  }

  async #run(runner: RangeRunner, { workers, starts }: RangeJob): Promise<void> {
    const { leasePool, metrics } = this.#options
    const keys = workers.flatMap((worker) => starts.map((from) => ({ worker, from })))
    const leases = await claimLeases(leasePool, keys, this.#by)
    const claimed = Map.groupBy(leases, ({ worker }) => worker)
    for (const worker of workers) {
      const passedOver = starts.length - (claimed.get(worker)?.length ?? 0)
      metrics.farmRanges.inc({ worker, outcome: 'passed-over' }, passedOver)
    }
    await runner.run(leases)
  }

  async #deriveHead(runner: RangeRunner, range: HeightRange): Promise<void> {
    const { leasePool, log } = this.#options
    try {
      const leases = await leaseHead(leasePool, [...this.#names], range, this.#by)
      if (leases.length > 0) await runner.run(leases, headDerived)
      else this.#announcer.announce()
    } catch (error) {
      log.debug({ err: asError(error), ...range }, 'Could not lease new blocks: the coordinator plans them')
      this.#announcer.announce()
    }
  }
}

/** `{WORKER}_CONCURRENCY`: a range waits until each of its workers has a free slot. */
class WorkerSlots {
  readonly #free: Map<string, number>
  readonly #waiting = new Set<() => void>()

  constructor(limits: ReadonlyMap<string, number>) {
    this.#free = new Map(limits)
  }

  /** @returns frees the slots */
  async take(workers: readonly string[]): Promise<() => void> {
    while (workers.some((worker) => (this.#free.get(worker) ?? 0) <= 0)) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
    this.#change(workers, -1)
    return () => {
      this.#change(workers, 1)
      const waiting = [...this.#waiting]
      this.#waiting.clear()
      for (const wake of waiting) wake()
    }
  }

  #change(workers: readonly string[], by: number): void {
    for (const worker of workers) this.#free.set(worker, (this.#free.get(worker) ?? 0) + by)
  }
}

export function processName(): string {
  return `${hostname()}:${process.pid}:${Math.round(performance.timeOrigin).toString(36)}`
}
