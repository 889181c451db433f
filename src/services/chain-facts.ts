import type pg from 'pg'
import { asError } from '../base/errors.ts'
import type { Logger } from '../base/log.ts'

/** How often a process that has no ingester of its own looks what the other has learned. */
const refreshMs = 1000

/** What the ingester has written down of the chain (`app.chain`), for a process that serves and does not follow it. */
export class ChainFacts {
  readonly #pool: pg.Pool
  readonly #log: Logger
  #chainId = 'unknown'
  #latestHeight: number | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(pool: pg.Pool, log: Logger) {
    this.#pool = pool
    this.#log = log
  }

  /** `unknown` until an ingester has met a node. */
  get chainId(): string {
    return this.#chainId
  }

  get latestHeight(): number | undefined {
    return this.#latestHeight
  }

  async start(): Promise<void> {
    await this.#refresh()
    this.#schedule()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#refresh()
        .catch((error: unknown) => this.#log.warn({ err: asError(error) }, 'the head of the chain could not be read'))
        .finally(() => {
          if (this.#timer !== undefined) this.#schedule()
        })
    }, refreshMs)
    this.#timer.unref()
  }

  async #refresh(): Promise<void> {
    const { rows } = await this.#pool.query<{ chain_id: string; latest_height: string | null }>(
      'select chain_id, latest_height from app.chain',
    )
    const row = rows[0]
    if (row === undefined) return
    this.#chainId = row.chain_id
    this.#latestHeight = row.latest_height === null ? undefined : Number(row.latest_height)
  }
}
