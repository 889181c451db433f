import { randomBytes } from 'node:crypto'
import { open, unlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { ApiError, asError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { makeFolder } from '../../platform/make-folder.ts'
import { CsvFile } from './csv-file.ts'
import { ParquetFile } from './parquet/parquet-file.ts'
import type { QueryFailure, QueryService, QueryTarget } from './query-service.ts'
import { failureOf } from './query-service.ts'
import type { Parameter } from './sql/parameters.ts'
import type { SqlAnswer } from './sql/sql-runner.ts'
import { distinctNames } from './dto.ts'

export const exportFormats = ['csv', 'parquet'] as const

export interface ExportRequest {
  readonly format: (typeof exportFormats)[number]
  readonly target: QueryTarget
  readonly sql: string
  readonly parameters: readonly Parameter[]
}

export interface ExportLimits {
  readonly maxRows: number
  /** Bytes of the file. */
  readonly maxBytes: number
  readonly maxMs: number
  /** Waiting, running and finished. */
  readonly maxJobs: number
  readonly maxJobsPerClient: number
  /** Finished files are deleted after this time. */
  readonly keptMs: number
  /** Unfinished jobs are cancelled if clients do not read their progress. */
  readonly abandonedMs: number
}

export const exportLimits: ExportLimits = {
  maxRows: 1_000_000,
  maxBytes: 100_000_000,
  maxMs: 600_000,
  maxJobs: 20,
  maxJobsPerClient: 3,
  keptMs: 3_600_000,
  abandonedMs: 60_000,
}

export interface ExportState {
  readonly id: string
  readonly request: Pick<ExportRequest, 'format'>
  readonly status: 'waiting' | 'running' | 'done' | 'failed'
  readonly rows: number
  readonly bytes: number
  readonly truncatedBy: 'rows' | 'bytes' | undefined
  readonly failure: QueryFailure | undefined
}

interface Job extends ExportState {
  readonly owner: string
  readonly client: string | undefined
  readonly request: ExportRequest
  readonly cancelling: AbortController
  status: ExportState['status']
  rows: number
  bytes: number
  truncatedBy: ExportState['truncatedBy']
  failure: QueryFailure | undefined
  file: FileHandle | undefined
  seenAt: number
  endedAt: number | undefined
  downloads: number
}

const sweepMs = 5000

/** Results as files, one statement at a time. The files have no name, so they end with the process. */
export class Exports {
  readonly #service: Pick<QueryService, 'exportSql'>
  readonly #folder: string
  readonly #log: Logger
  readonly #limits: ExportLimits
  readonly #jobs = new Map<string, Job>()
  readonly #timer: NodeJS.Timeout
  #running: Promise<void> | undefined

  constructor(service: Pick<QueryService, 'exportSql'>, folder: string, log: Logger, limits = exportLimits) {
    this.#service = service
    this.#folder = folder
    this.#log = log
    this.#limits = limits
    this.#timer = setInterval(() => this.sweep(), Math.min(sweepMs, limits.abandonedMs)).unref()
  }

  /** @throws ApiError 429 `too-many-exports` */
  start(owner: string, client: string | undefined, request: ExportRequest): ExportState {
    this.sweep()
    const { maxJobs, maxJobsPerClient } = this.#limits
    const ofClient = [...this.#jobs.values()].filter((job) => job.client === client)
    if (ofClient.length >= maxJobsPerClient || this.#jobs.size >= maxJobs) {
      const reason =
        ofClient.length >= maxJobsPerClient
          ? `you have ${ofClient.length} exports (limit ${maxJobsPerClient}). Delete one, or wait an hour`
          : `the service has ${this.#jobs.size} exports (limit ${maxJobs}). Try again later`
      throw new ApiError(429, 'too-many-exports', `Cannot export: ${reason}.`, { details: { retryAfterSeconds: 60 } })
    }
    const job: Job = {
      id: randomBytes(16).toString('hex'),
      owner,
      client,
      request,
      cancelling: new AbortController(),
      status: 'waiting',
      rows: 0,
      bytes: 0,
      truncatedBy: undefined,
      failure: undefined,
      file: undefined,
      seenAt: Date.now(),
      endedAt: undefined,
      downloads: 0,
    }
    this.#jobs.set(job.id, job)
    this.#runNext()
    return job
  }

  /** @throws ApiError 404 `unknown-export` */
  find(owner: string, id: string): ExportState {
    const job = this.#find(owner, id)
    job.seenAt = Date.now()
    return job
  }

  /** @throws ApiError 404 `unknown-export`, 409 `export-not-done` */
  read(owner: string, id: string): Readable {
    const job = this.#find(owner, id)
    if (job.status !== 'done' || job.file === undefined)
      throw new ApiError(409, 'export-not-done', 'The export has no file yet. Wait until its status is done.')
    job.downloads++
    const stream = Readable.from(chunksOf(job.file), { objectMode: false })
    stream.once('close', () => {
      job.downloads--
      if (this.#jobs.get(id) !== job) void this.#close(job)
    })
    return stream
  }

  /** Cancels it if it runs. @throws ApiError 404 `unknown-export` */
  delete(owner: string, id: string): void {
    this.#remove(this.#find(owner, id))
  }

  sweep(): void {
    const now = Date.now()
    for (const job of this.#jobs.values()) {
      const isOver = job.endedAt !== undefined && now - job.endedAt >= this.#limits.keptMs
      if (isOver || (job.endedAt === undefined && now - job.seenAt >= this.#limits.abandonedMs)) this.#remove(job)
    }
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    for (const job of this.#jobs.values()) this.#remove(job)
    await this.#running
  }

  #find(owner: string, id: string): Job {
    const job = this.#jobs.get(id)
    if (job === undefined || job.owner !== owner) {
      const detail = 'The export does not exist: it was deleted, its time is over, or the service restarted.'
      throw new ApiError(404, 'unknown-export', detail, { field: 'id' })
    }
    return job
  }

  #remove(job: Job): void {
    this.#jobs.delete(job.id)
    job.cancelling.abort(new Error('the export was cancelled'))
    void this.#close(job)
  }

  async #close(job: Job): Promise<void> {
    const { file } = job
    // A running job closes its file itself, a download after its last byte.
    if (file === undefined || job.downloads > 0 || job.status === 'running') return
    job.file = undefined
    await file.close()
  }

  #runNext(): void {
    if (this.#running !== undefined) return
    const next = [...this.#jobs.values()].find(({ status }) => status === 'waiting')
    if (next === undefined) return
    this.#running = this.#run(next).finally(() => {
      this.#running = undefined
      this.#runNext()
    })
  }

  async #run(job: Job): Promise<void> {
    job.status = 'running'
    try {
      job.file = await unnamedFile(this.#folder, job.id)
      await this.#write(job, job.file)
      job.status = 'done'
    } catch (error) {
      job.status = 'failed'
      job.failure = explained(error)
      if (job.failure.code === 'export-failed') this.#log.error({ err: asError(error) }, 'Export failed')
    }
    job.endedAt = Date.now()
    if (job.status === 'failed' || this.#jobs.get(job.id) !== job) await this.#close(job)
  }

  async #write(job: Job, file: FileHandle): Promise<void> {
    const { maxRows, maxBytes, maxMs } = this.#limits
    const { request } = job
    const { target, sql, parameters } = request
    const append = async (bytes: Uint8Array): Promise<void> => {
      await file.writeFile(bytes)
      job.bytes += bytes.length
    }
    const writer = request.format === 'parquet' ? new ParquetFile(maxBytes) : new CsvFile(maxBytes)
    try {
      await this.#service.exportSql(target, sql, {
        parameters,
        timeoutMs: maxMs,
        signal: job.cancelling.signal,
        onRows: async ({ columns, rows }) => {
          const left = maxRows - job.rows
          const named = distinctColumns(columns)
          const { bytes, rowCount } = await writer.add(named, rows.slice(0, left))
          await append(bytes)
          job.rows += rowCount
          if (rowCount < Math.min(left, rows.length)) job.truncatedBy = 'bytes'
          else if (rows.length > left) job.truncatedBy = 'rows'
          return job.truncatedBy === undefined
        },
      })
      await append(await writer.end())
    } finally {
      await writer.stop()
    }
  }
}

function distinctColumns(columns: SqlAnswer['columns']): SqlAnswer['columns'] {
  const names = distinctNames(columns.map(({ name }) => name))
  return columns.map((column, i) => ({ ...column, name: names[i] ?? column.name }))
}

const chunkBytes = 256 * 1024

/** By position, so that downloads do not disturb each other. */
async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ;) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, position)
    if (bytesRead === 0) return
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** Closing it frees its space, also when the process is killed. */
async function unnamedFile(folder: string, id: string): Promise<FileHandle> {
  await makeFolder(folder)
  const path = join(folder, `export-${id}`)
  const file = await open(path, 'wx+', 0o600)
  await unlink(path)
  return file
}

function explained(error: unknown): QueryFailure {
  if (error instanceof ApiError) return failureOf(error)
  return { code: 'export-failed', detail: 'The export failed. Try again, or narrow the statement.' }
}
