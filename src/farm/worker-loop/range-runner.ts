import { setImmediate as nextTurn } from 'node:timers/promises'
import type pg from 'pg'
import type { Worker } from '../../../jobs/worker.ts'
import type { Network } from '../../flow/network.ts'
import { asError, RetryableError } from '../../platform/errors.ts'
import type { HeightRange } from '../../platform/ranges.ts'
import { RangeCommit, WorkerError } from '../commit/commit-range.ts'
import type { CommitOutcome } from '../commit/commit-range.ts'
import { RangeOutput } from '../commit/range-output.ts'
import { heartbeatLeases, shortenLeases } from '../leases/leases.ts'
import type { ClaimedLease } from '../leases/leases.ts'
import { workersDone } from '../leases/requests.ts'
import type { RangeReader, ReadRange } from '../range-reader/range-reader.ts'
import type { HeldLease } from './held-leases.ts'
import { LeaseEnds } from './lease-ends.ts'
import type { LeaseEndsOptions } from './lease-ends.ts'

export interface RangeRunnerOptions extends LeaseEndsOptions {
  /** Workers of this process, each after those that it follows. */
  readonly workers: readonly Worker[]
  /** Some fold rows of others. */
  readonly allWorkers: readonly Worker[]
  readonly pool: pg.Pool
  readonly leaseMs: number
  readonly reader: RangeReader
  readonly network: () => Network
  readonly faultFor?: FaultFor | undefined
  /** Default 128 MiB of decoded blocks in a transaction. */
  readonly unitBytes?: number | undefined
}

/** Called for every lease, so it must be cheap. */
export type FaultFor = (worker: string, range: HeightRange) => Error | undefined

/** Rows of a unit are sent to PostgreSQL in pieces of this size, while the next are derived. */
const writeBytes = 4 * 1024 * 1024
/** Decoded blocks of a transaction, in bytes. */
const defaultUnitBytes = 128 * 1024 * 1024
/** Bytes. Larger buffers are not reused. */
const maxReusedBytes = 8 * 1024 * 1024
/** Heartbeats and the head wait no longer for the event loop, except for one worker's slice. */
const turnMs = 10

/** Heights that several workers derive and commit together. */
interface Unit extends HeightRange {
  readonly leases: readonly HeldLease[]
}

interface Derived {
  rows: number
  readonly problems: string[]
}

type Outputs = ReadonlyMap<Worker, RangeOutput>

/**
 * Derives and commits claimed leases. A worker that throws, or whose rows are rejected, fails its
 * own lease: the others commit without it, except for its followers, which get the range later.
 */
export class RangeRunner {
  readonly #options: RangeRunnerOptions
  readonly #outputs = new Map<Worker, RangeOutput[]>()
  readonly #ends: LeaseEnds

  constructor(options: RangeRunnerOptions) {
    this.#options = options
    this.#ends = new LeaseEnds(options)
  }

  /** Never rejects. */
  async run(leases: readonly ClaimedLease[], announcement?: string): Promise<void> {
    const { reader, held } = this.#options
    for (const { database } of leases) if (database !== undefined) reader.inDatabase(database)
    await this.#runAll(await this.#withoutFaults(leases.map((lease) => held.add(lease))), announcement)
  }

  async #runAll(leases: readonly HeldLease[], announcement?: string): Promise<void> {
    for (const unit of unitsOf(leases)) await this.#run(unit, announcement)
  }

  async #run(unit: Unit, announcement?: string): Promise<void> {
    let runnable: Unit = unit
    try {
      const end = unit.from + (await this.#maxBlocks(unit))
      const parts = rangesOf(unit)
      if (unit.to > end && parts.length > 1) {
        for (const part of parts) await this.#run(part)
        return
      }
      if (unit.to > end) runnable = await this.#shortened(unit, end)
      runnable = await this.#withoutWaiting(runnable)
      if (runnable.leases.length > 0) await this.#deriveAndCommit(runnable, announcement)
    } catch (error) {
      await this.#recover(runnable, error)
    }
  }

  /** Depends on the size of its first blocks, since a rollback waits for the transaction. */
  async #maxBlocks({ from, to, leases }: Unit): Promise<number> {
    const names = new Set(leases.map(({ lease }) => lease.worker))
    const areRead = this.#options.workers.some(({ name, derive }) => derive !== undefined && names.has(name))
    if (to - from === 1 || !areRead) return Infinity
    const { bytes, blocks } = await this.#options.reader.readSome(from, to)
    return Math.max(1, Math.floor((this.#options.unitBytes ?? defaultUnitBytes) / (bytes / blocks.length)))
  }

  async #shortened(unit: Unit, end: number): Promise<Unit> {
    const { held, leasePool } = this.#options
    const shorter = await shortenLeases(
      leasePool,
      unit.leases.map(({ lease }) => lease),
      end,
    )
    for (const { lease } of unit.leases) {
      if (shorter.some(({ worker }) => worker === lease.worker)) held.remove(lease)
      else this.#ends.over(lease, 'fenced')
    }
    return { from: unit.from, to: end, leases: shorter.map((lease) => held.add(lease)) }
  }

  async #withoutFaults(leases: readonly HeldLease[]): Promise<HeldLease[]> {
    const left: HeldLease[] = []
    for (const held of leases) {
      const fault = this.#options.faultFor?.(held.lease.worker, held.lease)
      if (fault === undefined) left.push(held)
      else await this.#ends.fail([held], fault)
    }
    return left
  }

  /** Drops followers of workers that neither take part nor have done the range. */
  async #withoutWaiting(unit: Unit): Promise<Unit> {
    const names = new Set(unit.leases.map(({ lease }) => lease.worker))
    const workers = this.#options.workers.filter(({ name }) => names.has(name))
    const others = new Set(workers.flatMap(({ follows }) => follows).filter((name) => !names.has(name)))
    if (others.size === 0) return unit
    const ready = new Set(await workersDone(this.#options.leasePool, [...others], unit))
    for (const { name, follows } of workers) if (follows.every((followed) => ready.has(followed))) ready.add(name)
    await this.#ends.return(unit.leases.filter(({ lease }) => !ready.has(lease.worker)))
    return { ...unit, leases: unit.leases.filter(({ lease }) => ready.has(lease.worker)) }
  }

  async #deriveAndCommit(unit: Unit, announcement?: string): Promise<void> {
    const { reader, pool, allWorkers, metrics } = this.#options
    const { from, to, leases } = unit
    const names = new Set(leases.map(({ lease }) => lease.worker))
    const workers = this.#options.workers.filter(({ name }) => names.has(name))
    const deriving = workers.filter(({ derive }) => derive !== undefined)
    const readers = deriving.map(({ name }) => name)
    const derived = new Map<Worker, Derived>(workers.map((worker) => [worker, { rows: 0, problems: [] }]))
    let chainVersion: number | undefined
    let commit: RangeCommit | undefined
    let writing = Promise.resolve()
    let seconds = 0
    const timed = async <T>(work: Promise<T>): Promise<T> => {
      const startedAt = performance.now()
      const result = await work
      seconds += (performance.now() - startedAt) / 1000
      return result
    }
    const write = async (outputs: Outputs): Promise<CommitOutcome | undefined> => {
      await timed(writing)
      throwIfInterrupted(leases)
      if (commit === undefined) {
        const begun = await timed(
          RangeCommit.begin({
            pool,
            range: unit,
            workers,
            leases: leases.map(({ lease }) => lease),
            chainVersion,
            allWorkers,
            announcement,
          }),
        )
        if (typeof begun === 'string') return begun
        commit = begun
      }
      for (const [worker, output] of outputs) {
        const sum = derived.get(worker) as Derived
        sum.rows += output.rowCount
        for (const { code } of output.problems) sum.problems.push(code)
      }
      writing = commit.write(outputs).finally(() => this.#reuse(outputs))
      // The next slice is derived meanwhile; the error is thrown by the next wait.
      writing.catch(() => undefined)
      return undefined
    }
    const read = async (next: number): Promise<ReadRange> => {
      const reading = reader.readSome(next, to, readers)
      if (commit === undefined) return reading
      const isRead = await Promise.race([reading.then(() => true), writing.then(() => false)])
      return isRead ? reading : commit.waitFor(reading)
    }
    let outputs = this.#takeOutputs(workers)
    let outcome: CommitOutcome | undefined
    try {
      for (let next = deriving.length === 0 ? to : from; next < to && outcome === undefined;) {
        const slice = await read(next)
        throwIfInterrupted(leases)
        if (chainVersion !== undefined && slice.chainVersion !== chainVersion) outcome = 'rolled-back'
        // The older of two versions is outdated.
        chainVersion = Math.min(chainVersion ?? Infinity, slice.chainVersion)
        await this.#derive(slice, deriving, outputs)
        next = slice.to
        if (next < to && outcome === undefined && sizeOf(outputs) >= writeBytes) {
          outcome = await write(outputs)
          outputs = this.#takeOutputs(workers)
        }
      }
      outcome ??= await write(outputs)
      await timed(writing)
      if (outcome === undefined && commit !== undefined) {
        throwIfInterrupted(leases)
        await timed(commit.finish())
        metrics.farmCommitSeconds.observe(seconds)
        this.#committed(unit, derived, announcement)
        return
      }
      await commit?.abort()
    } catch (error) {
      await writing.catch(() => undefined)
      await commit?.abort(error)
      throw error
    }
    await this.#notCommitted(unit, outcome, chainVersion)
  }

  /** @throws WorkerError */
  async #derive(slice: ReadRange, workers: readonly Worker[], outputs: Outputs): Promise<void> {
    const { network, metrics } = this.#options
    const context = { network: network() }
    let turnAt = performance.now()
    for (const worker of workers) {
      const startedAt = performance.now()
      if (startedAt - turnAt > turnMs) {
        await nextTurn()
        turnAt = performance.now()
      }
      try {
        worker.derive?.(slice, outputs.get(worker) as RangeOutput, context)
      } catch (error) {
        throw new WorkerError(worker, error)
      }
      metrics.farmDeriveSeconds.observe({ worker: worker.name }, (performance.now() - startedAt) / 1000)
    }
  }

  #committed(unit: Unit, derived: ReadonlyMap<Worker, Derived>, announcement: string | undefined): void {
    const { metrics, announcer } = this.#options
    if (announcement === undefined) announcer.announce()
    for (const [worker, { rows, problems }] of derived) {
      metrics.farmRows.inc({ worker: worker.name }, rows)
      for (const code of problems) metrics.indexingErrors.inc({ worker: worker.name, code })
    }
    for (const { lease } of unit.leases) {
      metrics.farmBlocks.inc({ worker: lease.worker }, lease.to - lease.from)
      this.#ends.over(lease, 'committed')
    }
  }

  async #notCommitted(unit: Unit, outcome: CommitOutcome | undefined, chainVersion: number | undefined): Promise<void> {
    const { reader, leasePool, leaseMs } = this.#options
    if (outcome === 'rolled-back') {
      if (chainVersion !== undefined) reader.invalidate(chainVersion)
      await this.#ends.release(unit.leases, 'rolled-back')
      return
    }
    const claims = unit.leases.map(({ lease }) => lease)
    const lost = claims.length === 1 ? claims : await heartbeatLeases(leasePool, claims, leaseMs)
    const gone = new Set(unit.leases.filter(({ lease }) => lost.includes(lease)))
    for (const { lease } of gone) this.#ends.over(lease, 'fenced')
    if (gone.size > 0) await this.#runAll(unit.leases.filter((held) => !gone.has(held)))
    else for (const held of unit.leases) await this.#run({ ...held.lease, leases: [held] })
  }

  /** Each retry has fewer leases, or fewer heights. Never rejects. */
  async #recover(unit: Unit, thrown: unknown): Promise<void> {
    const interrupted = new Set(unit.leases.filter(({ signal }) => signal.aborted))
    if (interrupted.size > 0) {
      await this.#ends.release([...interrupted], 'released')
      await this.#runAll(unit.leases.filter((held) => !interrupted.has(held)))
      return
    }
    const error = asError(thrown)
    const parts = rangesOf(unit)
    if (error instanceof RetryableError || unit.leases.length === 1) {
      await this.#ends.fail(unit.leases, error instanceof WorkerError ? error.cause : error)
    } else if (parts.length > 1) {
      for (const part of parts) await this.#run(part)
    } else if (error instanceof WorkerError) {
      const isFailed = ({ lease }: HeldLease): boolean => lease.worker === error.worker.name
      await this.#ends.fail(unit.leases.filter(isFailed), error.cause)
      await this.#runAll(unit.leases.filter((held) => !isFailed(held)))
    } else {
      for (const held of unit.leases) await this.#run({ ...held.lease, leases: [held] })
    }
  }

  #takeOutputs(workers: readonly Worker[]): Outputs {
    return new Map(workers.map((worker) => [worker, this.#outputs.get(worker)?.pop() ?? new RangeOutput(worker)]))
  }

  #reuse(outputs: Outputs): void {
    for (const [worker, output] of outputs) {
      if (output.capacity > maxReusedBytes) continue
      output.clear()
      const free = this.#outputs.get(worker)
      if (free === undefined) this.#outputs.set(worker, [output])
      else free.push(output)
    }
  }
}

/** Adjacent ranges of the same workers run together, unless one has failed before. */
function unitsOf(leases: readonly HeldLease[]): Unit[] {
  const units: { from: number; to: number; leases: HeldLease[]; key: string }[] = []
  const shared = Map.groupBy(leases, ({ lease }) => `${lease.from}-${lease.to}`)
  for (const own of [...shared.values()].sort((a, b) => startOf(a) - startOf(b))) {
    const { from, to } = (own[0] as HeldLease).lease
    const isFirst = own.every(({ lease }) => lease.attempt === 1)
    const key = isFirst
      ? own
          .map(({ lease }) => lease.worker)
          .sort()
          .join()
      : ''
    const last = units.at(-1)
    if (last !== undefined && key !== '' && last.key === key && last.to === from) {
      last.leases.push(...own)
      last.to = to
    } else units.push({ from, to, leases: own, key })
  }
  return units.map(({ from, to, leases: own }) => ({ from, to, leases: own }))
}

function startOf(leases: readonly HeldLease[]): number {
  return leases[0]?.lease.from ?? 0
}

function rangesOf({ leases }: Unit): Unit[] {
  const byRange = Map.groupBy(leases, ({ lease }) => lease.from)
  return [...byRange.values()].map((own) => {
    const { from, to } = (own[0] as HeldLease).lease
    return { from, to, leases: own }
  })
}

function sizeOf(outputs: Outputs): number {
  let bytes = 0
  for (const output of outputs.values()) bytes += output.bytes
  return bytes
}

function throwIfInterrupted(leases: readonly HeldLease[]): void {
  for (const { signal } of leases) signal.throwIfAborted()
}
