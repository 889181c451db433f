import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { pino } from 'pino'
import type { EventDerivation, Worker } from '../../jobs/worker.ts'
import { asError } from '../../src/platform/errors.ts'
import { Metrics } from '../../src/platform/metrics.ts'
import type { HeightRange } from '../../src/platform/ranges.ts'
import { createPool } from '../../src/platform/db/pool.ts'
import { Coordinator } from '../../src/farm/coordinator/coordinator.ts'
import type { CoordinatorOptions } from '../../src/farm/coordinator/coordinator.ts'
import { createPostgresWorkQueue } from '../../src/farm/queues/postgres-work-queue.ts'
import { enqueueLeases } from '../../src/farm/queues/work-queue.ts'
import type { WorkQueue } from '../../src/farm/queues/work-queue.ts'
import { RangeReader } from '../../src/farm/range-reader/range-reader.ts'
import type { ReadRange } from '../../src/farm/range-reader/range-reader.ts'
import type { RetryPolicy } from '../../src/farm/leases/leases.ts'
import { OwnWorkers } from '../../src/farm/own/own-workers.ts'
import { FarmWorkers } from '../../src/farm/worker-loop/farm-workers.ts'
import type { FaultFor } from '../../src/farm/worker-loop/range-runner.ts'
import type { UnreliableQueueStore } from './unreliable-queue.ts'
import { ProcessWire } from './process-wire.ts'
import type { WireEnd } from './process-wire.ts'

const log = pino({ level: process.env['LOG_LEVEL'] ?? 'silent' })
const metrics = new Metrics()

export interface ProcessOptions {
  /** Unique within the database; part of the session names. */
  readonly name: string
  /** Folder for its sockets. */
  readonly folder: string
  readonly databaseUrl: string
  /** The queue backend; undefined: the queues in PostgreSQL. */
  readonly queue: UnreliableQueueStore | undefined
  readonly workers: readonly Worker[]
  readonly own: readonly Worker[]
  readonly concurrency: (worker: Worker) => number
  readonly coordinator: Omit<CoordinatorOptions, 'databaseUrl' | 'pool' | 'log' | 'signal' | 'enqueue'>
  readonly leaseMs: number
  /** Maximum blocks that `deriveHead` takes. */
  readonly headBlocks: number
  readonly retryPolicy: RetryPolicy
  readonly faultFor: FaultFor
}

/** Connections that can be frozen separately. */
export type WireName = 'rows' | 'leases' | 'others'

/**
 * A farm process built from the same parts as a real one; it runs inside the test process and can
 * be killed.
 *
 *     starting ──► working ──stop()──► stopped (leases released)
 *        └─────────────┴────kill()───► dead (all sockets closed, leases not released)
 *
 * The remains of a killed process run on in memory briefly but cannot reach any server.
 */
export class SimulatedProcess {
  readonly name: string
  readonly #options: ProcessOptions
  readonly #ending = new AbortController()
  readonly #wires = new Map<WireName, ProcessWire>()
  readonly #pools: pg.Pool[] = []
  readonly #gate = new Gate()
  #farm: FarmWorkers | undefined
  #own: OwnWorkers | undefined
  #queue: (WorkQueue & { sever?: () => void }) | undefined
  #coordinating: Promise<void> | undefined
  #started: Promise<void> | undefined
  #ended: Promise<void> | undefined

  constructor(options: ProcessOptions) {
    this.name = options.name
    this.#options = options
  }

  /** Resolves when it accepts jobs; rejects if it cannot connect. */
  start(): Promise<void> {
    this.#started ??= this.#start()
    return this.#started
  }

  /** Like SIGTERM. Resolves when everything has ended. */
  stop(): Promise<void> {
    this.thaw()
    this.#ended ??= this.#end(4000)
    return this.#ended
  }

  /**
   * Like SIGKILL: resolves when the sockets are closed. `ended` resolves when everything has ended.
   */
  async kill(): Promise<void> {
    this.#queue?.sever?.()
    await Promise.all([...this.#wires.values()].map((wire) => wire.sever()))
    this.#gate.open()
    this.#ended ??= this.#end(0)
  }

  /** Resolves when its in-memory work has ended; after `stop` or `kill`. */
  async ended(): Promise<void> {
    await this.#ended
  }

  /** Stops traffic in both directions on these connections. */
  freeze(wires: readonly WireName[]): void {
    for (const name of wires) this.#wires.get(name)?.freeze()
  }

  /** Resumes traffic. */
  thaw(): void {
    for (const wire of this.#wires.values()) wire.thaw()
    this.#gate.open()
  }

  /** Delays ranges between reading and derivation. */
  holdReader(): void {
    this.#gate.close()
  }

  letReaderGo(): void {
    this.#gate.open()
  }

  /** Breaks all its connections; new ones are accepted. */
  cut(): void {
    for (const wire of this.#wires.values()) wire.cut()
  }

  /** As if its ingester had just stored these blocks. */
  deriveHead(range: HeightRange): void {
    this.#farm?.deriveHead(range)
  }

  async #start(): Promise<void> {
    const { workers, concurrency, leaseMs, headBlocks, retryPolicy, faultFor, coordinator } = this.#options
    const rowsUrl = await this.#wireUrl('rows')
    const leasesUrl = await this.#wireUrl('leases')
    const othersUrl = await this.#wireUrl('others')
    const pool = this.#openPool(rowsUrl, 5)
    const leasePool = this.#openPool(leasesUrl, 2)
    const queue = await this.#openQueue(othersUrl)
    this.#queue = queue
    if (this.#ending.signal.aborted) return
    this.#coordinating = new Coordinator({
      ...coordinator,
      databaseUrl: othersUrl,
      pool: leasePool,
      log,
      signal: this.#ending.signal,
      enqueue: (leases) => enqueueLeases(queue, leases),
    }).run()
    const reader = new GatedReader(
      pool,
      workers.filter(({ derive }) => derive !== undefined).map(({ name }) => name),
      this.#gate,
    )
    this.#farm = new FarmWorkers({
      pool,
      leasePool,
      heartbeatPool: leasePool,
      queue,
      reader,
      log,
      metrics,
      network: () => 'emulator',
      leaseMs,
      headBlocks,
      graceMs: 500,
      retryPolicy,
      faultFor,
    })
    await this.#farm.start(workers.map((worker) => ({ worker, concurrency: concurrency(worker) })))
    const own = this.#options.own.map((worker) => gated(worker, this.#gate))
    if (own.length === 0) return
    const { liveBlocks = 0, roundMs = 50 } = coordinator
    this.#own = new OwnWorkers({
      source: { workers: () => own, onChange: () => undefined, stop: () => Promise.resolve() },
      databaseUrl: othersUrl,
      pool,
      leasePool,
      heartbeatPool: leasePool,
      log,
      metrics,
      leaseMs,
      retryPolicy,
      faultFor,
      liveBlocks,
      liveChunk: headBlocks,
      historyChunk: 20,
      historyBatchMs: 0,
      roundMs,
    })
    await this.#own.start()
  }

  async #end(graceMs: number): Promise<void> {
    this.#ending.abort(new Error('the simulated process ends'))
    const problems: unknown[] = []
    const settle = async (part: Promise<unknown> | undefined): Promise<void> => {
      await part?.catch((error: unknown) => problems.push(error))
    }
    await settle(this.#started)
    await settle(this.#coordinating)
    await settle(this.#farm?.stop())
    await settle(this.#own?.stop())
    await settle(this.#queue?.close())
    for (const pool of this.#pools) await settle(pool.end())
    for (const wire of this.#wires.values()) await wire.sever()
    await rm(join(this.#options.folder, this.name), { recursive: true, force: true })
    // Errors are expected from a process that was killed or could not reach its servers.
    for (const error of problems)
      log.debug(
        { err: asError(error), graceMs, process: this.name },
        'a part of a simulated process ended with an error',
      )
  }

  #openPool(url: string, max: number): pg.Pool {
    const pool = createPool(url, { max, onIdleError: (err) => log.debug({ err }, 'a connection was lost') })
    this.#pools.push(pool)
    return pool
  }

  async #openQueue(databaseUrl: string): Promise<WorkQueue & { sever?: () => void }> {
    const { queue } = this.#options
    return queue === undefined ? createPostgresWorkQueue(databaseUrl, log) : queue.connect()
  }

  /** The URL of the database through a separate proxy, with the name of this process. */
  async #wireUrl(name: WireName): Promise<string> {
    const url = new URL(this.#options.databaseUrl)
    const host = decodeURIComponent(url.hostname)
    const port = Number(url.port || 5432)
    const target: WireEnd = host.startsWith('/') ? { path: join(host, `.s.PGSQL.${port}`) } : { host, port }
    const folder = join(this.#options.folder, this.name, name)
    await mkdir(folder, { recursive: true })
    this.#wires.set(name, await ProcessWire.open(join(folder, '.s.PGSQL.5432'), target))
    url.searchParams.set('application_name', this.name)
    return url.href.replace(`@${url.host}/`, `@${encodeURIComponent(folder)}:5432/`)
  }
}

/** A gate: callers pass while it is open. */
class Gate {
  #closed: PromiseWithResolvers<void> | undefined

  close(): void {
    this.#closed ??= Promise.withResolvers()
  }

  open(): void {
    this.#closed?.resolve()
    this.#closed = undefined
  }

  async pass(): Promise<void> {
    await this.#closed?.promise
  }
}

function gated(worker: Worker, gate: Gate): Worker {
  const { deriveEvents } = worker
  if (deriveEvents === undefined) return worker
  const derive: EventDerivation['derive'] = async (events, output, signal) => {
    await gate.pass()
    await deriveEvents.derive(events, output, signal)
  }
  return { ...worker, deriveEvents: { ...deriveEvents, derive } }
}

class GatedReader extends RangeReader {
  readonly #gate: Gate

  constructor(pool: pg.Pool, readers: readonly string[], gate: Gate) {
    super({ pool, maxBytes: 16 * 1024 * 1024, readers })
    this.#gate = gate
  }

  override async readSome(from: number, to: number, readers?: readonly string[]): Promise<ReadRange> {
    const slice = await super.readSome(from, to, readers)
    await this.#gate.pass()
    return slice
  }
}
