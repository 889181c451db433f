import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import pLimit from 'p-limit'
import type { DeriveProblem } from '../../../jobs/worker.ts'
import type { PlacedEvent } from '../../flow/decoded-block.ts'
import { asError, FatalError, RetryableError } from '../../platform/errors.ts'
import { LogThrottle } from '../../platform/log-throttle.ts'
import type { Logger } from '../../platform/log.ts'
import type { RowWriter } from '../../platform/row-writer.ts'
import { standardColumns } from '../declaration.ts'
import type { OwnDeclaration } from '../declaration.ts'
import type { EventFrame, HostErrorReply, HostReply } from './frames.ts'
import { HostFailure, HostProcess } from './host-process.ts'
import { batchBytes, hostLimits } from './limits.ts'
import type { HostLimits } from './limits.ts'
import { declaredWriter } from './rows.ts'
import type { DeclaredWriter } from './rows.ts'

export interface LoadedCode {
  /** Not checked yet. */
  readonly definition: unknown
  /** SHA-256 of the loaded files, hex. */
  readonly codeHash: string
}

/** As `DeriveOutput`, with table names as declared. */
export interface HostOutput {
  rows(table: string): RowWriter
  problem(problem: DeriveProblem): void
}

export interface WorkerHostOptions {
  /** `own_<folder>` */
  readonly name: string
  readonly folder: string
  readonly log: Logger
  readonly limits?: HostLimits
}

/** Runs the code of a worker in a process of its own, one batch at a time. */
export class WorkerHost {
  readonly #name: string
  readonly #folder: string
  readonly #log: Logger
  readonly #limits: HostLimits
  readonly #slot = pLimit(1)
  readonly #throttle = new LogThrottle()
  #process: HostProcess | undefined
  #codeHash: string | undefined
  #idle: NodeJS.Timeout | undefined
  #isStopped = false

  constructor({ name, folder, log, limits = hostLimits }: WorkerHostOptions) {
    this.#name = name
    this.#folder = folder
    this.#log = log.child({ worker: name })
    this.#limits = limits
  }

  /** @throws FatalError `own-worker-not-loaded` */
  load(): Promise<LoadedCode> {
    return this.#slot(() => this.#start())
  }

  /**
   * Writes the rows of the events, in their order. Rows with a value that is too long for an index
   * are left out, as problems.
   *
   * @throws FatalError if the code fails, exceeds a limit or writes an invalid row; RetryableError
   * `own-worker-files-changed`
   */
  async derive(
    events: readonly PlacedEvent[],
    declaration: OwnDeclaration,
    output: HostOutput,
    signal: AbortSignal,
  ): Promise<void> {
    for (const batch of batchesOf(events, declaration.contract)) {
      // New blocks do not wait for all of a range of history.
      await this.#slot(async () => {
        signal.throwIfAborted()
        await this.#deriveBatch(batch, declaration, output, signal)
      })
    }
  }

  stop(): void {
    this.#isStopped = true
    this.#end()
  }

  async #start(): Promise<LoadedCode> {
    this.#end()
    if (this.#isStopped) throw new RetryableError('own-worker-stopped', `${this.#name} has been stopped`)
    const folder = await realpath(this.#folder)
    const entry = await entryOf(folder)
    const process = new HostProcess(readableFolders(folder), this.#limits)
    this.#process = process
    let loaded: (HostReply & { kind: 'loaded' }) | undefined
    const timeoutMs = this.#limits.loadMs
    try {
      await process.request({ kind: 'load', folder, entry, timeoutMs }, (reply) => {
        if (reply.kind === 'loaded') loaded = reply
        else this.#logLines(reply)
      })
    } catch (error) {
      this.#end()
      throw this.#failure(error, folder, 'Could not load', undefined)
    }
    this.#endWhenIdle()
    const codeHash = createHash('sha256').update(JSON.stringify(loaded?.files)).digest('hex')
    this.#codeHash ??= codeHash
    if (codeHash !== this.#codeHash) {
      this.#end()
      const message = `The files of ${this.#name} have changed since they were loaded. Restart, or set WORKERS_RELOAD`
      throw new RetryableError('own-worker-files-changed', message)
    }
    return { definition: loaded?.definition, codeHash }
  }

  async #deriveBatch(
    { events, frames }: Batch,
    declaration: OwnDeclaration,
    output: HostOutput,
    signal: AbortSignal,
  ): Promise<void> {
    if (this.#process?.hasEnded !== false) await this.#start()
    clearTimeout(this.#idle)
    const process = this.#process as unknown as HostProcess
    const abort = (): void => process.kill(asError(signal.reason))
    signal.addEventListener('abort', abort, { once: true })
    const { batchMs: timeoutMs } = this.#limits
    const tables = declaration.tables.map(({ name, columns }) => ({ name, columns: columns.map((one) => one.name) }))
    const writer = new BatchWriter(this.#name, declaration, events, output, this.#limits.rows)
    try {
      await process.request({ kind: 'derive', tables, events: frames, timeoutMs }, (reply) => {
        if (reply.kind === 'rows') writer.write(reply.rows)
        else this.#logLines(reply)
      })
      this.#endWhenIdle()
    } catch (error) {
      // The next batch starts with fresh memory.
      this.#end()
      signal.throwIfAborted()
      throw this.#failure(error, await realpath(this.#folder).catch(() => this.#folder), 'Could not derive', events)
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  #endWhenIdle(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => this.#end(), this.#limits.idleMs).unref()
  }

  #end(): void {
    clearTimeout(this.#idle)
    this.#process?.kill(new RetryableError('own-worker-stopped', `${this.#name} has been stopped`))
    this.#process = undefined
  }

  #failure(error: unknown, folder: string, what: string, events: readonly PlacedEvent[] | undefined): Error {
    if (!(error instanceof HostFailure)) return asError(error)
    const { reply } = error
    const place = reply === undefined ? undefined : placeOf(reply, folder)
    const event = typeof reply?.event === 'number' ? events?.[reply.event] : undefined
    const parts = [
      `${what} ${this.#name}`,
      ...(place === undefined ? [] : [`at ${place}`]),
      ...(event === undefined ? [] : [`for ${describe(event)}`]),
    ]
    const message = `${parts.join(' ')}: ${error.message}`
    const result = new FatalError(error.code, message)
    if (reply !== undefined && reply.stack !== '') result.stack = `${message}\n${ownFrames(reply.stack, folder)}`
    return result
  }

  /** Foreign text. */
  #logLines(reply: HostReply): void {
    if (reply.kind !== 'log') return
    for (const [level, text] of reply.lines) {
      const suppressed = this.#throttle.due(`${level} ${text}`)
      if (suppressed === undefined) continue
      const details = suppressed > 0 ? { suppressed } : {}
      if (level === 'warn') this.#log.warn(details, text)
      else this.#log.info(details, text)
    }
  }
}

interface Batch {
  readonly events: readonly PlacedEvent[]
  readonly frames: readonly EventFrame[]
}

function* batchesOf(events: readonly PlacedEvent[], contract: string): Generator<Batch> {
  let batch: { events: PlacedEvent[]; frames: EventFrame[] } = { events: [], frames: [] }
  let bytes = 0
  for (const event of events) {
    batch.events.push(event)
    batch.frames.push([
      event.type.slice(contract.length + 1),
      event.type,
      event.height,
      event.timestampUs / 1000,
      event.txIndex,
      event.transactionId.toString('hex'),
      event.index,
      event.fields,
    ])
    bytes += sizeOf(event.fields)
    if (bytes < batchBytes) continue
    yield batch
    batch = { events: [], frames: [] }
    bytes = 0
  }
  if (batch.events.length > 0) yield batch
}

/** Rough, to limit batches. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 3
  if (typeof value !== 'object' || value === null) return 5
  let size = 2
  for (const name in value) size += name.length + 4 + sizeOf((value as Record<string, unknown>)[name])
  return size
}

class BatchWriter {
  readonly #name: string
  readonly #events: readonly PlacedEvent[]
  readonly #output: HostOutput
  readonly #maxRows: number
  readonly #tables: readonly {
    readonly rows: () => RowWriter
    readonly columns: number
    readonly writer: DeclaredWriter
    rowIndex: number
    event: number
  }[]
  #rows = 0
  #event = 0

  constructor(
    name: string,
    declaration: OwnDeclaration,
    events: readonly PlacedEvent[],
    output: HostOutput,
    maxRows: number,
  ) {
    this.#name = name
    this.#events = events
    this.#output = output
    this.#maxRows = maxRows
    this.#tables = declaration.tables.map((table) => ({
      rows: () => output.rows(table.name),
      columns: table.columns.length,
      writer: declaredWriter(name, declaration, table),
      rowIndex: 0,
      event: -1,
    }))
  }

  /** @param rows foreign. @throws FatalError */
  write(rows: unknown): void {
    if (!Array.isArray(rows)) throw this.#invalid()
    this.#rows += rows.length
    if (this.#rows > this.#maxRows)
      throw new FatalError(
        'own-worker-output',
        `${this.#name} wrote more than ${this.#maxRows} rows for ${this.#events.length} events. Write fewer rows`,
      )
    for (const row of rows as unknown[]) this.#writeRow(row)
  }

  #writeRow(row: unknown): void {
    if (!Array.isArray(row)) throw this.#invalid()
    const [tableNumber, eventNumber, values] = row as [number, number, unknown]
    const table = this.#tables[tableNumber]
    const event = this.#events[eventNumber]
    if (table === undefined || event === undefined || eventNumber < this.#event) throw this.#invalid()
    if (!Array.isArray(values) || values.length !== table.columns) throw this.#invalid()
    const oversize = table.writer.oversize(values)
    if (oversize !== undefined) {
      const { height: blockHeight, txIndex, index: eventIndex, type: eventType } = event
      this.#output.problem({
        blockHeight,
        txIndex,
        eventIndex,
        code: 'own-value-oversize',
        message: oversize,
        eventType,
      })
      return
    }
    table.rowIndex = table.event === eventNumber ? table.rowIndex + 1 : 0
    table.event = eventNumber
    this.#event = eventNumber
    const rows = table.rows()
    rows.row(standardColumns.length + table.columns)
    rows.int8(event.height)
    rows.int4(event.txIndex)
    rows.int4(event.index)
    rows.int4(table.rowIndex)
    rows.timestamptzUs(event.timestampUs)
    rows.bytea(event.transactionId)
    table.writer.write(rows, values)
  }

  #invalid(): FatalError {
    return new FatalError('own-worker-output', `${this.#name} sent rows that are not of its tables`)
  }
}

/** @throws FatalError `own-worker-not-loaded` */
async function entryOf(folder: string): Promise<string> {
  for (const file of ['worker.ts', 'worker.js']) if (existsSync(join(folder, file))) return `./${file}`
  const path = join(folder, 'package.json')
  const { name, exports, main } = existsSync(path) ? parsePackage(path, await readFile(path, 'utf8')) : {}
  if (typeof name === 'string' && exports !== undefined) return name
  if (typeof main === 'string') return main.startsWith('./') ? main : `./${main}`
  throw new FatalError('own-worker-not-loaded', `${folder} has no worker.ts, worker.js, or package.json with exports`)
}

function parsePackage(path: string, text: string): { name?: unknown; exports?: unknown; main?: unknown } {
  try {
    return JSON.parse(text) as object
  } catch (error) {
    throw new FatalError('own-worker-not-loaded', `${path} is not JSON: ${asError(error).message}`)
  }
}

/** The folder, and the packages that it can import. */
function readableFolders(folder: string): string[] {
  const folders = [folder]
  for (let parent = folder; ; parent = dirname(parent)) {
    const packages = join(parent, 'node_modules')
    if (existsSync(packages)) folders.push(packages)
    if (parent === dirname(parent)) return folders
  }
}

/** File and line of the first frame in the folder. */
function placeOf({ stack }: HostErrorReply, folder: string): string | undefined {
  for (const [, path = '', line] of stack.matchAll(/(?:file:\/\/)?(\/[^\s():]+):(\d+)/g)) {
    const file = decodeURI(path)
    if (file.startsWith(`${folder}/`)) return `${relative(folder, file)}:${line}`
  }
  return undefined
}

/** Without the frames of the host. */
function ownFrames(stack: string, folder: string): string {
  return stack
    .split('\n')
    .filter((line) => line.includes(folder))
    .join('\n')
}

function describe({ type, height, transactionId, index }: PlacedEvent): string {
  return `${type} in block ${height} (transaction ${transactionId.toString('hex')}, event ${index})`
}
