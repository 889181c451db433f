import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { ApiError } from '../../../platform/errors.ts'
import type { SqlAnswer } from '../sql/sql-runner.ts'
import { parquetLimits } from './parquet-builder.ts'
import type { Written } from './parquet-builder.ts'
import type { ParquetMessage, ParquetReply } from './parquet-thread.ts'

/** A row group, its encoded pages and the footer. */
const resourceLimits = { maxOldGenerationSizeMb: 384 } as const

/** Encodes in a thread: a row group takes up to a second. */
export class ParquetFile {
  readonly #maxBytes: number
  readonly #ended = new AbortController()
  #thread: Worker | undefined

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** @throws ApiError 400 `parquet-columns`, `parquet-value` */
  async add(columns: SqlAnswer['columns'], rows: SqlAnswer['rows']): Promise<Written> {
    if (this.#thread === undefined) {
      this.#thread = new Worker(new URL('parquet-thread.ts', import.meta.url), { resourceLimits, name: 'parquet' })
      this.#thread.once('exit', () => this.#ended.abort(new Error('the thread ended')))
      // Reported to the call that waits; without a listener it would end the process.
      this.#thread.on('error', () => undefined)
      await this.#ask({ columns, limits: { ...parquetLimits, maxBytes: this.#maxBytes } })
    }
    return await this.#ask({ rows })
  }

  async end(): Promise<Uint8Array> {
    return (await this.#ask({ rows: undefined })).bytes
  }

  async stop(): Promise<void> {
    await this.#thread?.terminate()
  }

  async #ask(message: ParquetMessage): Promise<Written> {
    const thread = this.#thread
    if (thread === undefined) return { bytes: new Uint8Array(), rowCount: 0 }
    // Rejects when the thread fails, such as without memory.
    const answered = once(thread, 'message', { signal: this.#ended.signal }) as Promise<[ParquetReply]>
    thread.postMessage(message, [])
    const [reply] = await answered
    if ('code' in reply) throw new ApiError(400, reply.code, reply.detail)
    return reply
  }
}
