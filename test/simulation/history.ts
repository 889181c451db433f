import { setTimeout as delay } from 'node:timers/promises'
import { workers as allWorkers } from '../../jobs/index.ts'
import type { Worker } from '../../jobs/worker.ts'
import { asError } from '../../src/platform/errors.ts'
import { retryWhile } from '../../src/platform/retry.ts'
import { addRederiveRequest } from '../../src/farm/leases/requests.ts'
import { requeueLeases, skipLeases, splitLeases } from '../../src/farm/leases/operator-leases.ts'
import { compareDerived } from '../../src/farm/rebuild/compare-derived.ts'
import { rebuildDerived } from '../../src/farm/rebuild/rebuild-derived.ts'
import { Stopwatch } from '../support/stopwatch.ts'
import { UnreliableQueueStore } from './unreliable-queue.ts'
import type { ExpectedStates } from './expected-state.ts'
import { describeState, findViolations, readProgress } from './invariants.ts'
import type { FarmProgress } from './invariants.ts'
import { auditLines, findAuditFaults } from './lease-audit.ts'
import type { Lane } from './lane.ts'
import { drawPlan } from './plan.ts'
import type { EventName, HistoryPlan } from './plan.ts'
import { Random } from './random.ts'
import { chains, simulatedOwnWorker } from './recorded-chains.ts'
import { SimulatedIngest } from './simulated-ingest.ts'
import { SimulatedProcess } from './simulated-process.ts'
import type { WireName } from './simulated-process.ts'

/**
 * Details of a failed history: the failure, all events, the state of the farm and how to reproduce
 * it.
 */
export class HistoryFailure extends Error {
  readonly seed: number

  constructor(
    seed: number,
    cause: Error,
    details: { readonly events: readonly string[]; readonly state: string; readonly audit: readonly string[] },
  ) {
    super(
      [
        `seed ${seed}: ${cause.message}`,
        '',
        'what happened:',
        ...details.events,
        '',
        'the last of what became of leases:',
        ...details.audit,
        '',
        details.state,
        '',
        `repeat it with: SIMULATION_SEEDS=${seed} npm test -- test/simulation/rebuild-equivalence.test.ts`,
        'The seed decides what happens, but not when exactly the servers see it: SIMULATION_TIMES=20 repeats it as often.',
      ].join('\n'),
      { cause },
    )
    this.name = 'HistoryFailure'
    this.seed = seed
  }
}

/** Time limit for a few dozen blocks after the last fault, ms, without machine stalls. */
const healMs = 40_000
/** Time limit for the whole history, which takes about two seconds; ms, without machine stalls. */
const maxMs = 80_000

/** One in this many seeds is verified a second time, as an operator would. */
const verifyEach = 4

/** A process and the function that ends its current fault. */
interface Alive {
  readonly process: SimulatedProcess
  trouble: NodeJS.Timeout | undefined
}

/**
 * One random history of a farm: blocks arrive and are rolled back, processes start, stop and fail,
 * and operators intervene. At the end all faults are repaired, and the derived data must equal one
 * clean pass. The seed determines the events; their exact timing on the servers varies.
 */
export class History {
  readonly #seed: number
  readonly #random: Random
  readonly #plan: HistoryPlan
  readonly #lane: Lane
  readonly #expected: ExpectedStates
  readonly #builtIn: readonly Worker[]
  readonly #own: readonly Worker[]
  readonly #workers: readonly Worker[]
  readonly #ingest: SimulatedIngest
  readonly #unreliable: UnreliableQueueStore
  readonly #alive: Alive[] = []
  readonly #dead: SimulatedProcess[] = []
  readonly #poisoned = new Map<string, Set<number>>()
  readonly #events: string[] = []
  readonly #startedAt = performance.now()
  #processes = 0
  /** The highest stored block at the end; undefined: the head of the chain. */
  #last: number | undefined
  /** Errors of background actions. */
  #failure: Error | undefined

  constructor(seed: number, lane: Lane, expected: ExpectedStates) {
    this.#seed = seed
    this.#random = new Random(seed)
    this.#lane = lane
    this.#expected = expected
    this.#plan = drawPlan(this.#random)
    this.#builtIn = allWorkers.filter(({ name }) => this.#plan.workers.includes(name))
    this.#own = this.#plan.hasOwn ? [simulatedOwnWorker] : []
    this.#workers = [...this.#builtIn, ...this.#own]
    this.#ingest = new SimulatedIngest(lane.pool, this.#plan.chain, this.#plan.start)
    this.#unreliable = new UnreliableQueueStore(new Random(seed + 1))
  }

  /** @throws HistoryFailure */
  async run(): Promise<void> {
    const watch = new AbortController()
    try {
      await Promise.race([
        this.#runAll(),
        untilOver(maxMs, watch.signal).then(() => {
          throw new Error(`the history did not end within ${maxMs} ms`)
        }),
      ])
    } catch (error) {
      throw await this.#explain(asError(error))
    } finally {
      watch.abort()
      for (const alive of this.#alive) clearTimeout(alive.trouble)
      await Promise.all(this.#alive.map(({ process }) => process.kill()))
      await Promise.all([...this.#alive.map(({ process }) => process), ...this.#dead].map((process) => process.ended()))
    }
  }

  async #runAll(): Promise<void> {
    await this.#live()
    await this.#heal()
    await this.#rollBackOnceMore()
    await this.#endAll()
    await this.#judge()
  }

  async #live(): Promise<void> {
    this.#note('plan', JSON.stringify(this.#plan))
    for (let i = this.#random.integer(1, 2); i > 0; i--) this.#startProcess()
    await this.#act('forward')
    for (let step = 0; step < this.#plan.steps; step++) {
      await delay(this.#random.integer(0, 30))
      await this.#act(this.#random.weighted(this.#plan.weights))
      if (step % 4 === 0) await this.#check()
      if (this.#failure !== undefined) throw this.#failure
    }
  }

  /** Operators, ingesters and databases retry after retryable errors. */
  async #act(name: EventName): Promise<void> {
    await retryWhile(() => this.#do(name), {
      baseMs: 5,
      maxMs: 50,
      onRetry: (error) => this.#note('again', asError(error).message),
    })
  }

  async #do(name: EventName): Promise<void> {
    const { pool } = this.#lane
    switch (name) {
      case 'forward':
        return this.#forward()
      case 'backward':
        return this.#note(name, rangeText(await this.#ingest.backward(this.#random.integer(1, 8))))
      case 'fork':
        return this.#fork()
      case 'start':
        return this.#alive.length < 3 ? this.#startProcess() : undefined
      case 'stop':
        return this.#withProcess(name, (alive) => this.#remove(alive, () => alive.process.stop()))
      case 'kill':
        return this.#withProcess(name, (alive) => this.#remove(alive, () => alive.process.kill()))
      case 'stall':
        return this.#withProcess(name, (alive) => this.#stall(alive))
      case 'slow':
        return this.#withProcess(name, (alive) => {
          alive.process.holdReader()
          this.#endFaultIn(alive, this.#random.integer(10, this.#plan.leaseMs * 2))
        })
      case 'cut':
        return this.#withProcess(name, ({ process }) => process.cut())
      case 'terminate': {
        this.#note(name)
        return this.#lane.endSessions(this.#random.pick([0.2, 1]))
      }
      case 'dropQueue':
        return this.#dropQueue()
      case 'poison':
        return this.#poison()
      case 'cure': {
        this.#poisoned.clear()
        return this.#note(name)
      }
      case 'requeue':
        return this.#note(name, String(await requeueLeases(pool, await this.#someFailing())))
      case 'split':
        return this.#note(name, String(await splitLeases(pool, await this.#someFailing(), this.#random.integer(2, 3))))
      case 'skip':
        return this.#note(name, String(await skipLeases(pool, await this.#someFailing(), 'given up')))
      case 'rederive':
        return this.#rederive()
    }
  }

  async #forward(): Promise<void> {
    const stored = await this.#ingest.forward(this.#random.integer(1, 8))
    this.#note('forward', rangeText(stored))
    if (stored === undefined || this.#alive.length === 0 || this.#random.chance(0.3)) return
    const { process } = this.#random.pick(this.#alive)
    this.#note('head', `${process.name} ${rangeText(stored)}`)
    process.deriveHead(stored)
  }

  async #fork(): Promise<void> {
    const { chain } = this.#ingest
    const forks = (['a', 'b', 'c'] as const).filter((name) => chains[name].last >= this.#plan.start)
    const next = chain === 'base' ? chain : this.#random.pick(forks)
    const last = await this.#ingest.fork(next, this.#random.integer(0, chains[chain].last))
    this.#note('fork', `from ${chain} to ${next} after ${last}`)
  }

  #startProcess(): void {
    const plan = this.#plan
    const name = `process${++this.#processes}`
    const [liveChunk, historyChunk] = [this.#random.integer(1, 5), this.#random.integer(1, 20)]
    const concurrency = this.#random.integer(1, 3)
    const process = new SimulatedProcess({
      name,
      folder: this.#lane.folder,
      databaseUrl: this.#lane.databaseUrl,
      queue: plan.queue === 'unreliable' ? this.#unreliable : undefined,
      workers: this.#builtIn,
      own: this.#own,
      concurrency: () => concurrency,
      leaseMs: plan.leaseMs,
      headBlocks: liveChunk,
      retryPolicy: plan.retryPolicy,
      faultFor: (worker, range) => {
        const height = [...(this.#poisoned.get(worker) ?? [])].find(
          (poison) => range.from <= poison && poison < range.to,
        )
        return height === undefined ? undefined : new Error(`block ${height} is poisoned`)
      },
      coordinator: {
        workers: () =>
          this.#builtIn.map(({ name: worker, follows }) => ({ name: worker, follows, liveChunk, historyChunk })),
        liveBlocks: this.#random.integer(1, 20),
        maxOpen: this.#random.integer(2, 40),
        retryPolicy: plan.retryPolicy,
        span: this.#random.pick([7, 1000]),
        roundMs: 50,
        cleanUpMs: 30,
        foldMs: this.#random.integer(10, 100),
        staleMs: 200,
        connection: { heartbeatMs: 500, answerTimeoutMs: 2000 },
      },
    })
    const alive: Alive = { process, trouble: undefined }
    this.#alive.push(alive)
    this.#note('start', `${name}: ranges of ${liveChunk} and ${historyChunk}, ${concurrency} at a time`)
    process.start().catch((error: unknown) => {
      // A real process would exit and be restarted.
      this.#note('start', `${name} failed: ${asError(error).message}`)
      if (this.#alive.includes(alive)) this.#remove(alive, () => process.kill())
    })
  }

  #remove(alive: Alive, end: () => Promise<void>): void {
    clearTimeout(alive.trouble)
    this.#alive.splice(this.#alive.indexOf(alive), 1)
    this.#dead.push(alive.process)
    end().catch((error: unknown) => (this.#failure ??= asError(error)))
  }

  /** May exceed the duration of a lease. If only heartbeats are blocked, ranges take as long. */
  #stall(alive: Alive): void {
    const wires = this.#random.pick<readonly WireName[]>([
      ['rows', 'leases', 'others'],
      ['leases'],
      ['rows'],
      ['leases', 'others'],
    ])
    const ms = this.#random.integer(Math.round(this.#plan.leaseMs / 2), this.#plan.leaseMs * 2)
    alive.process.freeze(wires)
    if (!wires.includes('rows')) {
      // Blocked work commits before the process can learn that its leases are lost.
      alive.process.holdReader()
      setTimeout(() => alive.process.letReaderGo(), ms * 0.8)
    }
    this.#endFaultIn(alive, ms)
  }

  #endFaultIn(alive: Alive, ms: number): void {
    clearTimeout(alive.trouble)
    alive.trouble = setTimeout(() => {
      this.#note('goes on', alive.process.name)
      alive.process.thaw()
    }, ms)
  }

  async #dropQueue(): Promise<void> {
    const how = this.#random.pick(['truncate', 'drop'] as const)
    this.#note('lose queue', how)
    if (this.#plan.queue === 'unreliable') this.#unreliable.lose()
    else await this.#lane.dropQueues(how)
  }

  #poison(): void {
    const worker = this.#random.pick(this.#workers).name
    const height = this.#random.integer(0, chains[this.#ingest.chain].last)
    const heights = this.#poisoned.get(worker) ?? new Set()
    this.#poisoned.set(worker, heights.add(height))
    this.#note('poison', `${worker} at ${height}`)
  }

  async #rederive(): Promise<void> {
    const worker = this.#random.pick(this.#workers).name
    const from = this.#random.integer(0, chains[this.#ingest.chain].last)
    const to = from + this.#random.integer(1, 20)
    await addRederiveRequest(this.#lane.pool, this.#workers, [worker], { from, to })
    this.#note('rederive', `${worker} ${from}-${to}`)
  }

  async #heal(): Promise<void> {
    this.#note('heal')
    const { pool } = this.#lane
    for (const alive of this.#alive) {
      clearTimeout(alive.trouble)
      alive.process.thaw()
    }
    this.#poisoned.clear()
    this.#unreliable.isReliable = true
    while ((await this.#ingest.forward(20)) !== undefined || (await this.#ingest.backward(20)) !== undefined);
    const watch = new Stopwatch()
    for (;;) {
      const { isComplete, failing } = await this.#progress()
      if (isComplete) return
      if (this.#alive.length === 0) this.#startProcess()
      const skipped = failing.filter(({ status }) => status === 'skipped')
      for (const { worker, from, to } of skipped) await addRederiveRequest(pool, this.#workers, [worker], { from, to })
      await requeueLeases(
        pool,
        failing.filter(({ status }) => status !== 'skipped'),
      )
      if (await watch.isOver(healMs)) throw new Error(`not everything was derived within ${healMs} ms`)
      await delay(20)
    }
  }

  async #rollBackOnceMore(): Promise<void> {
    const { finalHeight } = this.#plan
    if (finalHeight === undefined) return
    this.#last = await retryWhile(() => this.#ingest.fork(this.#ingest.chain, finalHeight), { baseMs: 5, maxMs: 50 })
    this.#note('fork', `nothing is left above ${this.#last}`)
  }

  async #endAll(): Promise<void> {
    this.#note('end')
    const ending = this.#alive.splice(0)
    this.#dead.push(...ending.map(({ process }) => process))
    await Promise.all(ending.map(({ process }) => process.stop()))
    await Promise.all(this.#dead.map((process) => process.ended()))
    if (this.#failure !== undefined) throw this.#failure
  }

  async #judge(): Promise<void> {
    await this.#check()
    const { isComplete } = await this.#progress()
    if (!isComplete) throw new Error('what was derived did not stay')
    const faults = await findAuditFaults(this.#lane.pool)
    if (faults.length > 0) throw new Error(`leases were not kept to:\n${faults.join('\n')}`)
    const part = { chain: this.#ingest.chain, last: this.#lastHeight }
    const differences = await this.#expected.differences(this.#lane.pool, part, this.#workers)
    if (differences.length > 0)
      throw new Error(`${differences.length} rows differ from a clean pass:\n${differences.slice(0, 20).join('\n')}`)
    if (this.#seed % verifyEach === 0) await this.#verify()
  }

  /** Like `npm run rebuild` and `npm run verify`: derives a second copy from the raw tables. */
  async #verify(): Promise<void> {
    const { pool } = this.#lane
    await rebuildDerived({ pool, workers: this.#workers, network: 'emulator' })
    const { isEqual, tables } = await compareDerived({ pool, workers: this.#workers })
    if (isEqual) return
    const found = tables.filter(({ differences }) => differences > 0)
    throw new Error(`a rebuild from the raw tables differs:\n${found.map((table) => JSON.stringify(table)).join('\n')}`)
  }

  async #check(): Promise<void> {
    const violations = await findViolations(this.#lane.pool, this.#workers)
    if (violations.length > 0) throw new Error(`invariants do not hold:\n${violations.join('\n')}`)
  }

  get #lastHeight(): number {
    return this.#last ?? chains[this.#ingest.chain].last
  }

  #progress(): Promise<FarmProgress> {
    return readProgress(this.#lane.pool, this.#workers, this.#lastHeight)
  }

  /** Some of the leases that an operator can act on. */
  async #someFailing(): Promise<FarmProgress['failing']> {
    const { failing } = await this.#progress()
    return failing.filter(({ status }) => status !== 'skipped' && this.#random.chance(0.7))
  }

  async #withProcess(name: EventName, act: (alive: Alive) => void | Promise<void>): Promise<void> {
    if (this.#alive.length === 0) return
    const alive = this.#random.pick(this.#alive)
    this.#note(name, alive.process.name)
    await act(alive)
  }

  #note(event: string, detail = ''): void {
    this.#events.push(
      `${Math.round(performance.now() - this.#startedAt)
        .toString()
        .padStart(6)} ms  ${event}  ${detail}`,
    )
  }

  async #explain(cause: Error): Promise<HistoryFailure> {
    const { pool } = this.#lane
    const unread = (failure: unknown): string => `it could not be read: ${asError(failure).message}`
    const state = await describeState(pool).catch(unread)
    const audit = await auditLines(pool).catch((failure: unknown) => [unread(failure)])
    return new HistoryFailure(this.#seed, cause, { events: this.#events, state, audit })
  }
}

async function untilOver(ms: number, signal: AbortSignal): Promise<void> {
  const watch = new Stopwatch()
  while (!(await watch.isOver(ms))) await delay(1000, undefined, { signal })
}

function rangeText(range: { from: number; to: number } | undefined): string {
  if (range === undefined) return 'nothing is left'
  return `${range.from}-${range.to}`
}
