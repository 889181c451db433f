import type pg from 'pg'
import type { DeriveProblem, Worker } from '../../../jobs/worker.ts'
import { asError, FatalError, RetryableError } from '../../platform/errors.ts'
import { intersection, size, union } from '../../platform/ranges.ts'
import type { HeightRange, HeightSet } from '../../platform/ranges.ts'
import type { Network } from '../../flow/network.ts'
import { copyInto } from '../../platform/db/copy-into.ts'
import { pgText } from '../../platform/db/copy-writer.ts'
import { asDatabaseError, isConnectionLost } from '../../platform/db/errors.ts'
import { readChainVersion } from '../leases/chain-version.ts'
import { foldRange } from '../commit/folds.ts'
import { RangeOutput } from '../commit/range-output.ts'
import { ingesterServices, readCoverage } from '../leases/coverage.ts'
import { RangeReader } from '../range-reader/range-reader.ts'
import type { ReadRange } from '../range-reader/range-reader.ts'
import {
  copyOf,
  derivedTablesOf,
  inOrderOfPhases,
  moveFold,
  problemsTable,
  defaultSchema,
  prepareSchema,
  writeRebuildState,
} from './derived-tables.ts'

export interface RebuildOptions {
  readonly pool: pg.Pool
  /** In any order; all that the others follow must be among them. */
  readonly workers: readonly Worker[]
  readonly network: Network
  /** First height. Default: the lowest that is stored. */
  readonly from?: number
  /** End of the heights, exclusive. Default: all that are stored now. */
  readonly to?: number
  /** Where the second copy goes. Default `rebuild`. */
  readonly schema?: string
  /** Told after each piece how many heights of all are derived; the last ones are folded after that. */
  readonly onProgress?: (done: number, all: number) => void
  /** Ends the rebuild with the signal's reason. */
  readonly signal?: AbortSignal
}

export interface RebuildReport {
  /** The heights that were derived: those of the range that are stored. */
  readonly heights: HeightSet
  readonly rows: number
  /** Inputs that workers could not use. */
  readonly problems: number
  /** Blocks that a worker cannot derive; the farm flags them, and they are missing here too. */
  readonly failed: readonly FailedBlock[]
}

export interface FailedBlock {
  readonly worker: string
  readonly height: number
  readonly error: Error
}

/** Heights that are derived and committed at a time; the next are read meanwhile. */
const heightsAtOnce = 200
/**
 * Heights of which the keys are folded at a time, some hundred thousand keys; a multiple of those that are derived
 * at once.
 */
const heightsPerFold = 10_000
const readerBytes = 64 * 1024 * 1024

/**
 * Derives the stored blocks a second time, into another schema: all workers, in one pass, lowest height first, without
 * leases, queues and other processes, with the folds of each 10,000 heights. What it makes is what the farm must
 * have made, whatever happened to it. The farm may run meanwhile and is not touched.
 *
 * One rebuild into a schema at a time. Each piece is a transaction, so that none is open for long.
 * @throws FatalError `bad-schema`, `rebuild-in-progress`; RetryableError `chain-rolled-back` when blocks were replaced
 *   meanwhile
 */
export async function rebuildDerived(options: RebuildOptions): Promise<RebuildReport> {
  const { pool, schema = defaultSchema } = options
  let client: pg.PoolClient
  try {
    client = await pool.connect()
  } catch (error) {
    throw asDatabaseError(error)
  }
  let broken: Error | undefined
  try {
    await lockSchema(client, schema)
    try {
      return await new Rebuild(client, options, schema).run()
    } finally {
      await client.query('rollback; select pg_advisory_unlock_all()')
    }
  } catch (thrown) {
    const error = asError(thrown)
    if (isConnectionLost(error)) broken = error
    throw options.signal?.aborted === true ? error : asDatabaseError(error)
  } finally {
    client.release(broken)
  }
}

async function lockSchema(client: pg.ClientBase, schema: string): Promise<void> {
  const { rows } = await client.query<{ locked: boolean }>(
    "select pg_try_advisory_lock(hashtextextended('farm:rebuild:' || $1, 0)) as locked",
    [schema],
  )
  if (rows[0]?.locked !== true) {
    const message = `Another rebuild into the schema ${schema} is under way: wait for it, or choose another schema.`
    throw new FatalError('rebuild-in-progress', message)
  }
}

/** One rebuild, on one connection. */
class Rebuild {
  readonly #client: pg.PoolClient
  readonly #options: RebuildOptions
  readonly #schema: string
  readonly #workers: readonly Worker[]
  readonly #outputs: ReadonlyMap<Worker, RangeOutput>
  readonly #copies: ReadonlyMap<string, string>
  readonly #failed: FailedBlock[] = []
  #rows = 0
  #problems = 0

  constructor(client: pg.PoolClient, options: RebuildOptions, schema: string) {
    this.#client = client
    this.#options = options
    this.#schema = schema
    this.#workers = inOrderOfPhases(options.workers)
    this.#outputs = new Map(this.#workers.map((worker) => [worker, new RangeOutput(worker)]))
    this.#copies = new Map(derivedTablesOf(this.#workers).map(({ name }) => [name, copyOf(name, schema)]))
  }

  async run(): Promise<RebuildReport> {
    const { pool, onProgress, signal } = this.#options
    await prepareSchema(this.#client, this.#schema, [...this.#copies.keys()])
    const chainVersion = await readChainVersion(this.#client)
    const heights = await this.#storedHeights()
    const reader = new RangeReader({ pool, maxBytes: readerBytes })
    const pieces = piecesOf(heights)
    const all = size(heights)
    let done = 0
    for (let i = 0, next = readRange(reader, pieces[0]); i < pieces.length; i++) {
      signal?.throwIfAborted()
      const range = await next
      if (range === undefined) break
      next = readRange(reader, pieces[i + 1])
      if (range.chainVersion !== chainVersion) throw rolledBack()
      await this.#derive(range)
      done += range.to - range.from
      onProgress?.(done, all)
      if (windowOf(pieces[i + 1]) !== windowOf(range)) await this.#fold(range)
    }
    if ((await readChainVersion(this.#client)) !== chainVersion) throw rolledBack()
    const names = this.#workers.map(({ name }) => name)
    await writeRebuildState(this.#client, this.#schema, { heights, chainVersion, workers: names })
    return { heights, rows: this.#rows, problems: this.#problems, failed: this.#failed }
  }

  async #storedHeights(): Promise<HeightSet> {
    const { from = 0, to = Number.MAX_SAFE_INTEGER } = this.#options
    const coverage = await readCoverage(this.#client, ingesterServices)
    const stored = [...coverage.values()].reduce(union, [])
    return from < to ? intersection(stored, [{ from, to }]) : []
  }

  async #derive(range: ReadRange): Promise<void> {
    await this.#client.query('begin; set local synchronous_commit = off')
    for (const [worker, output] of this.#outputs) {
      if (this.#tryDerive(worker, range, output) === undefined) await this.#write(worker, output)
      else await this.#deriveEach(worker, range, output)
    }
    await this.#client.query('commit')
  }

  /** One block at a time, so that one that cannot be derived is missed alone. */
  async #deriveEach(worker: Worker, range: ReadRange, output: RangeOutput): Promise<void> {
    for (const block of range.blocks) {
      const { height } = block
      const error = this.#tryDerive(worker, { ...range, from: height, to: height + 1, blocks: [block] }, output)
      if (error === undefined) await this.#write(worker, output)
      else this.#failed.push({ worker: worker.name, height, error })
    }
  }

  /** @returns what the worker threw */
  #tryDerive(worker: Worker, range: ReadRange, output: RangeOutput): Error | undefined {
    output.clear()
    try {
      worker.derive?.(range, output, { network: this.#options.network })
      return undefined
    } catch (thrown) {
      return asError(thrown)
    }
  }

  async #write(worker: Worker, output: RangeOutput): Promise<void> {
    for (const { table, writer } of output.tables) {
      this.#rows += await copyInto(this.#client, this.#copyOf(table.name), table.columns, writer)
    }
    if (output.problems.length > 0) await this.#record(worker.name, output.problems)
  }

  async #record(worker: string, met: readonly DeriveProblem[]): Promise<void> {
    const keyOf = (p: DeriveProblem): string => `${p.blockHeight}/${p.txIndex}/${p.eventIndex}/${p.code}`
    const problems = [...new Map(met.map((problem) => [keyOf(problem), problem])).values()]
    const { rowCount } = await this.#client.query(
      `insert into ${this.#copyOf(problemsTable)}
         (worker_name, block_height, tx_index, event_index, code, message, event_type)
       select $1, * from unnest($2::bigint[], $3::integer[], $4::integer[], $5::text[], $6::text[], $7::text[])`,
      [
        worker,
        problems.map((p) => p.blockHeight),
        problems.map((p) => p.txIndex),
        problems.map((p) => p.eventIndex),
        problems.map((p) => p.code),
        problems.map((p) => pgText(p.message)),
        problems.map((p) => (p.eventType === undefined ? null : pgText(p.eventType))),
      ],
    )
    this.#problems += rowCount ?? 0
  }

  /**
   * Folds the window of a range, whose rows are all there, before any row of the next is: what a sum fold counts is
   * by how much the result would be other without the window, so that what comes later must not be there yet.
   */
  async #fold({ from }: HeightRange): Promise<void> {
    const first = from - (from % heightsPerFold)
    for (const worker of this.#workers) {
      this.#options.signal?.throwIfAborted()
      const moved = moveWorker(worker, (table) => this.#copies.get(table))
      if (moved.folds.length === 0) continue
      await this.#client.query('begin; set local synchronous_commit = off')
      await foldRange(this.#client, moved, { from: first, to: first + heightsPerFold })
      await this.#client.query('commit')
    }
  }

  #copyOf(table: string): string {
    return this.#copies.get(table) as string
  }
}

/** The same worker on the copies of the tables of workers. */
function moveWorker(worker: Worker, copy: (table: string) => string | undefined): Worker {
  return {
    ...worker,
    tables: worker.tables.map((table) => ({ ...table, name: copy(table.name) ?? table.name })),
    folds: worker.folds.map((fold) => moveFold(fold, copy)),
  }
}

/** Begins to read; a failure is seen by whoever awaits the result, also when that is much later. */
function readRange(reader: RangeReader, range: HeightRange | undefined): Promise<ReadRange | undefined> {
  if (range === undefined) return Promise.resolve(undefined)
  const reading = reader.read(range.from, range.to)
  reading.catch(() => undefined)
  return reading
}

/**
 * What is derived at a time, lowest first. Pieces end at multiples of their length, and so with the window in which
 * they are.
 */
function piecesOf(heights: HeightSet): readonly HeightRange[] {
  const pieces: HeightRange[] = []
  for (const range of heights) {
    for (let { from } = range; from < range.to;) {
      const to = Math.min(range.to, from - (from % heightsAtOnce) + heightsAtOnce)
      pieces.push({ from, to })
      from = to
    }
  }
  return pieces
}

/** Many small pieces of one window are folded together. */
function windowOf(range: HeightRange | undefined): number | undefined {
  return range === undefined ? undefined : Math.floor(range.from / heightsPerFold)
}

function rolledBack(): RetryableError {
  const message = 'Blocks were replaced by those of another fork while they were derived: try again.'
  return new RetryableError('chain-rolled-back', message)
}
