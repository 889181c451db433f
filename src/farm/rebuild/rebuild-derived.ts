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
import { runBatch } from '../../platform/db/statement-batch.ts'
import { foldRange } from '../commit/folds.ts'
import { RangeOutput } from '../commit/range-output.ts'
import { ingesterServices, readCoverage } from '../leases/coverage.ts'
import { eventsOfBlocks } from '../range-reader/event-reader.ts'
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
  /** Including all workers that they follow. Own workers need their code. */
  readonly workers: readonly Worker[]
  readonly network: Network
  /** First height. Default: the lowest stored one. */
  readonly from?: number
  /** Exclusive. Default: the end of the stored heights. */
  readonly to?: number
  readonly schema?: string
  /** Called after each piece, before the last fold. */
  readonly onProgress?: (done: number, all: number) => void
  readonly signal?: AbortSignal
}

export interface RebuildReport {
  /** The stored ones of the range. */
  readonly heights: HeightSet
  readonly rows: number
  readonly problems: number
  /** The farm flags them. */
  readonly failed: readonly FailedBlock[]
}

export interface FailedBlock {
  readonly worker: string
  readonly height: number
  readonly error: Error
}

const neverAborted = new AbortController().signal
/** While the next ones are read. */
const heightsAtOnce = 200
/** Some hundred thousand keys. A multiple of `heightsAtOnce`. */
const heightsPerFold = 10_000
const readerBytes = 64 * 1024 * 1024

/**
 * All workers in one ascending pass, without leases and queues. The farm may keep running. One
 * rebuild per schema at a time; each piece is a transaction.
 *
 * @throws FatalError `bad-schema`, `rebuild-in-progress`; RetryableError `chain-rolled-back` if
 * blocks were replaced meanwhile
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
    const message = `Another rebuild into schema ${schema} is running. Wait for it, or choose another schema.`
    throw new FatalError('rebuild-in-progress', message)
  }
}

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
    const failed = new Set<Worker>()
    // Before the transaction, because own workers may be slow.
    for (const [worker, output] of this.#outputs)
      if ((await this.#tryDerive(worker, range, output)) !== undefined) failed.add(worker)
    await this.#client.query('begin; set local synchronous_commit = off')
    for (const [worker, output] of this.#outputs) {
      if (failed.has(worker)) await this.#deriveEach(worker, range, output)
      else await this.#write(worker, output)
    }
    await this.#client.query('commit')
  }

  /** One block at a time, so that only failing blocks are missing. */
  async #deriveEach(worker: Worker, range: ReadRange, output: RangeOutput): Promise<void> {
    for (const block of range.blocks) {
      const { height } = block
      const error = await this.#tryDerive(worker, { ...range, from: height, to: height + 1, blocks: [block] }, output)
      if (error === undefined) await this.#write(worker, output)
      else this.#failed.push({ worker: worker.name, height, error })
    }
  }

  async #tryDerive(worker: Worker, range: ReadRange, output: RangeOutput): Promise<Error | undefined> {
    const { network, signal = neverAborted } = this.#options
    const { derive, deriveEvents } = worker
    output.clear()
    try {
      derive?.(range, output, { network })
      // Not by the index that the farm uses.
      const events = deriveEvents === undefined ? [] : eventsOfBlocks(deriveEvents, range.blocks)
      if (events.length > 0) await deriveEvents?.derive(events, output, signal)
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

  /** Runs before the next window is written: a sum fold counts the difference that the window makes. */
  async #fold({ from }: HeightRange): Promise<void> {
    const first = from - (from % heightsPerFold)
    for (const worker of this.#workers) {
      this.#options.signal?.throwIfAborted()
      const moved = moveWorker(worker, (table) => this.#copies.get(table))
      if (moved.folds.length === 0) continue
      await this.#client.query('begin; set local synchronous_commit = off')
      await foldRange((statements) => runBatch(this.#client, statements, 0), [moved], {
        from: first,
        to: first + heightsPerFold,
      })
      await this.#client.query('commit')
    }
  }

  #copyOf(table: string): string {
    return this.#copies.get(table) as string
  }
}

function moveWorker(worker: Worker, copy: (table: string) => string | undefined): Worker {
  return {
    ...worker,
    tables: worker.tables.map((table) => ({ ...table, name: copy(table.name) ?? table.name })),
    folds: worker.folds.map((fold) => moveFold(fold, copy)),
  }
}

/** Marks a failure as handled, because it is awaited later. */
function readRange(reader: RangeReader, range: HeightRange | undefined): Promise<ReadRange | undefined> {
  if (range === undefined) return Promise.resolve(undefined)
  const reading = reader.read(range.from, range.to)
  reading.catch(() => undefined)
  return reading
}

/** Pieces end at multiples of their length, and so at the end of their window. */
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

function windowOf(range: HeightRange | undefined): number | undefined {
  return range === undefined ? undefined : Math.floor(range.from / heightsPerFold)
}

function rolledBack(): RetryableError {
  const message = 'The chain was rolled back during the rebuild. Retry.'
  return new RetryableError('chain-rolled-back', message)
}
