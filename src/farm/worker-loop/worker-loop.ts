import type pg from 'pg'
import { commitEmptyRanges, canBatch, commitRange } from '../commit/commit-range.ts'
import type { EmptyCommit, CommitOutcome } from '../commit/commit-range.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Worker } from '../../../jobs/worker.ts'
import type { Network } from '../../flow/network.ts'
import { asError } from '../../platform/errors.ts'
import { LogThrottle } from '../../platform/log-throttle.ts'
import type { Logger } from '../../platform/log.ts'
import type { Metrics } from '../../platform/metrics.ts'
import { normalize } from '../../platform/ranges.ts'
import type { HeightRange } from '../../platform/ranges.ts'
import { RangeOutput } from '../commit/range-output.ts'
import type { CompletionAnnouncer, HeldLease, HeldLeases } from './held-leases.ts'
import { inLockOrder, failLeases } from '../leases/leases.ts'
import type { ClaimedLease, LeaseKey, LeaseClaim, RetryPolicy } from '../leases/leases.ts'
import type { LeaseJob } from '../queues/work-queue.ts'
import type { RangeReader } from '../range-reader/range-reader.ts'

/**
 * Requests of one turn of the event loop, or made while a batch is running, form the next batch.
 * One batch runs at a time.
 */
export class Batcher<Question, Answer> {
  readonly #ask: (questions: readonly Question[]) => Promise<readonly Answer[]>
  readonly #maxAtOnce: number
  readonly #waiting: { question: Question; resolve: (answer: Answer) => void; reject: (error: unknown) => void }[] = []
  #isBusy = false

  /** @param ask returns answers in the order of the questions */
  constructor(ask: (questions: readonly Question[]) => Promise<readonly Answer[]>, maxAtOnce = 500) {
    this.#ask = ask
    this.#maxAtOnce = maxAtOnce
  }

  ask(question: Question): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject })
      if (this.#isBusy) return
      this.#isBusy = true
      setImmediate(() => void this.#run())
    })
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#maxAtOnce)
      try {
        const answers = await this.#ask(batch.map(({ question }) => question))
        for (const [i, { resolve }] of batch.entries()) resolve(answers[i] as Answer)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#isBusy = false
  }
}

interface EmptyRange extends EmptyCommit {
  readonly chainVersion: number
}

const maxPending = 512

/**
 * Completes many leases without rows in one transaction. Jobs need not wait: the state is in the
 * lease.
 */
export class EmptyRanges {
  readonly #pending = new Set<Promise<void>>()
  readonly #commits: Batcher<EmptyRange, CommitOutcome | undefined>

  constructor(pool: pg.Pool) {
    this.#commits = new Batcher(async (ranges) => {
      const outcomes = new Map<EmptyRange, CommitOutcome | undefined>()
      for (const [chainVersion, commits] of Map.groupBy(ranges, (range) => range.chainVersion)) {
        const found = await commitEmptyRanges(pool, chainVersion, commits)
        for (const [i, commit] of commits.entries()) outcomes.set(commit, found?.[i])
      }
      return ranges.map((range) => outcomes.get(range))
    })
  }

  /** Resolves when another one may be added. `end` never rejects. */
  async add(end: Promise<void>): Promise<void> {
    this.#pending.add(end)
    void end.then(() => this.#pending.delete(end))
    while (this.#pending.size >= maxPending) await Promise.race(this.#pending)
  }

  async idle(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending)
  }

  /** @returns undefined if the range must be committed separately */
  commit(range: EmptyRange): Promise<CommitOutcome | undefined> {
    return this.#commits.ask(range)
  }
}

interface WorkerLoopOptions {
  readonly worker: Worker
  readonly followers: readonly Worker[]
  readonly pool: pg.Pool
  readonly leasePool: pg.Pool
  readonly reader: RangeReader
  readonly log: Logger
  readonly metrics: Metrics
  readonly network: () => Network
  readonly held: HeldLeases
  readonly announcer: CompletionAnnouncer
  readonly claims: Batcher<LeaseKey, ClaimedLease | undefined>
  readonly emptyRanges: EmptyRanges
  readonly retryPolicy?: RetryPolicy | undefined
  readonly faultFor?: FaultFor | undefined
}

/** Called for every range, so it must be cheap. */
export type FaultFor = (worker: string, range: HeightRange) => Error | undefined

/** Bytes. Larger buffers are not reused. */
const largestKept = 32 * 1024 * 1024

type RunOutcome = CommitOutcome | 'failed' | 'released'

/** Skips leases that cannot be claimed. An error affects its own range only. */
export class WorkerLoop {
  readonly #options: WorkerLoopOptions
  readonly #outputs: RangeOutput[] = []
  readonly #failures = new LogThrottle()

  constructor(options: WorkerLoopOptions) {
    this.#options = options
  }

  /** @throws database errors if the leases could not be claimed */
  async run(job: LeaseJob): Promise<void> {
    const { worker, claims, held, metrics, reader } = this.#options
    const claimed = await Promise.all(job.leases.map(({ from }) => claims.ask({ worker: worker.name, from })))
    for (const lease of claimed) if (lease?.database !== undefined) reader.inDatabase(lease.database)
    const leases = claimed.filter((lease) => lease !== undefined).map((lease) => held.add(lease))
    metrics.farmRanges.inc({ worker: worker.name, outcome: 'passed-over' }, job.leases.length - leases.length)
    if (leases.length > 1) this.#readAhead(leases)
    for (const lease of leases) await this.#runLease(lease)
  }

  #readAhead(leases: readonly HeldLease[]): void {
    const { worker, reader } = this.#options
    if (worker.derive === undefined) return
    for (const { from, to } of normalize(leases.map(({ lease }) => lease))) {
      reader.readAhead(from, to)
    }
  }

  /** Never rejects. May return before an empty range is committed in a batch. */
  async #runLease(held: HeldLease): Promise<void> {
    const { lease, signal } = held
    const { worker, faultFor } = this.#options
    const output = this.#outputs.pop() ?? new RangeOutput(worker)
    try {
      const fault = faultFor?.(worker.name, lease)
      if (fault !== undefined) throw fault
      const chainVersion = await this.#derive(held, output)
      if (output.isEmpty && chainVersion !== undefined && canBatch(worker)) {
        await this.#options.emptyRanges.add(this.#commitEmpty(held, chainVersion))
        return
      }
      signal.throwIfAborted()
      await this.#end(lease, await this.#commit(lease, chainVersion, output), chainVersion)
    } catch (error) {
      await this.#fail(held, error)
    } finally {
      this.#reuseOutput(output)
    }
  }

  /** @returns undefined for a worker that reads no blocks */
  async #derive({ lease, signal }: HeldLease, output: RangeOutput): Promise<number | undefined> {
    const { worker, reader, network, metrics } = this.#options
    if (worker.derive === undefined) return undefined
    signal.throwIfAborted()
    const context = { network: network() }
    let chainVersion = Infinity
    for (let next = lease.from; next < lease.to;) {
      const slice = await reader.readSome(next, lease.to, worker.name)
      signal.throwIfAborted()
      const isRolledBack = slice.chainVersion !== chainVersion && chainVersion !== Infinity
      // The older of two versions is outdated, which the commit detects.
      chainVersion = Math.min(chainVersion, slice.chainVersion)
      if (isRolledBack) break
      const stop = metrics.farmDeriveSeconds.startTimer({ worker: worker.name })
      worker.derive(slice, output, context)
      stop()
      next = slice.to
      // Yields to heartbeats and to ranges at the head.
      if (next < lease.to) await nextTurn()
    }
    return chainVersion
  }

  async #commit(lease: ClaimedLease, chainVersion: number | undefined, output: RangeOutput): Promise<CommitOutcome> {
    const { worker, followers, pool, metrics } = this.#options
    const stop = metrics.farmCommitSeconds.startTimer({ worker: worker.name })
    const outcome = await commitRange(pool, { worker, followers, lease, chainVersion, output })
    stop()
    if (outcome === 'committed') {
      metrics.farmRows.inc({ worker: worker.name }, output.rowCount)
      for (const { code } of output.problems) metrics.indexingErrors.inc({ worker: worker.name, code })
    }
    return outcome
  }

  /** Never rejects. */
  async #commitEmpty(held: HeldLease, chainVersion: number): Promise<void> {
    const { worker, emptyRanges } = this.#options
    const { lease } = held
    try {
      const outcome = await emptyRanges.commit({ worker, lease, chainVersion })
      await this.#end(
        lease,
        outcome ?? (await this.#commit(lease, chainVersion, new RangeOutput(worker))),
        chainVersion,
      )
    } catch (error) {
      await this.#fail(held, error)
    }
  }

  async #end(lease: ClaimedLease, outcome: CommitOutcome, chainVersion: number | undefined): Promise<void> {
    const { reader, announcer } = this.#options
    if (outcome === 'committed') announcer.announce()
    if (outcome === 'rolled-back') {
      if (chainVersion !== undefined) reader.forget(chainVersion)
      await this.#release(lease)
    }
    this.#over(lease, outcome)
  }

  async #fail({ lease, signal }: HeldLease, thrown: unknown): Promise<void> {
    const { worker, leasePool, log, retryPolicy } = this.#options
    const { from, to, attempt } = lease
    if (signal.aborted) {
      log.debug({ worker: worker.name, from, to, reason: asError(signal.reason).message }, 'Range interrupted')
      await this.#release(lease)
      this.#over(lease, 'released')
      return
    }
    const error = asError(thrown)
    this.#failures.log(log, 'warn', { err: error, worker: worker.name, from, to, attempt }, 'Range failed')
    try {
      await failLeases(leasePool, [{ ...lease, error }], retryPolicy)
    } catch (failure) {
      log.warn(
        { err: asError(failure), worker: worker.name, from, to },
        'Could not record the failure: the lease will expire',
      )
    }
    this.#options.announcer.announce()
    this.#over(lease, 'failed')
  }

  /** Does not count the attempt. No effect on a revoked lease. */
  async #release(lease: ClaimedLease): Promise<void> {
    const { leasePool, announcer, log, worker } = this.#options
    try {
      await releaseLeases(leasePool, [lease])
      announcer.announce()
    } catch (error) {
      log.warn(
        { err: asError(error), worker: worker.name, from: lease.from },
        'Could not release the lease: it will expire',
      )
    }
  }

  #over(lease: ClaimedLease, outcome: RunOutcome): void {
    const { held, metrics, worker, log } = this.#options
    held.remove(lease)
    metrics.farmRanges.inc({ worker: worker.name, outcome })
    if (outcome === 'committed') metrics.farmBlocks.inc({ worker: worker.name }, lease.to - lease.from)
    else if (outcome !== 'failed')
      log.info({ worker: worker.name, from: lease.from, to: lease.to, outcome }, 'Range not committed')
  }

  #reuseOutput(output: RangeOutput): void {
    if (output.capacity > largestKept) return
    output.clear()
    this.#outputs.push(output)
  }
}

/** active → queued, for claims released by a stopping process. @returns number of leases */
export async function releaseLeases(db: pg.Pool | pg.ClientBase, claims: readonly LeaseClaim[]): Promise<number> {
  const sorted = inLockOrder(claims)
  const { rowCount } = await db.query({
    name: 'farm-release-leases',
    text: `
      with held as materialized (
        select l.worker_type, l.from_height
        from unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[]) as k (worker_type, from_height, to_height,
          generation)
        join app.worker_leases l using (worker_type, from_height, to_height, generation)
        where l.status = 'active'
        order by l.worker_type, l.from_height
        for update of l
      )
      update app.worker_leases l
      set status = 'queued', attempt = l.attempt - 1, leased_by = null, lease_expires_at = null, enqueued_at = null,
        updated_at = now()
      from held h
      where l.worker_type = h.worker_type and l.from_height = h.from_height`,
    values: [
      sorted.map((c) => c.worker),
      sorted.map((c) => c.from),
      sorted.map((c) => c.to),
      sorted.map((c) => c.generation),
    ],
  })
  return rowCount ?? 0
}
