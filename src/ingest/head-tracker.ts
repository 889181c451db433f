import type pg from 'pg'
import { asError, FatalError } from '../platform/errors.ts'
import type { Logger } from '../platform/log.ts'
import { LogThrottle } from '../platform/log-throttle.ts'
import type { Metrics } from '../platform/metrics.ts'
import { backoffMs, pause } from '../platform/retry.ts'
import type { ChainSource } from '../access/chain-source.ts'
import type { HeadMessage } from '../access/messages.ts'

export interface HeadTrackerOptions {
  readonly pool: pg.Pool
  readonly source: Pick<ChainSource, 'heads' | 'chainId'>
  readonly log: Logger
  readonly metrics: Metrics
  readonly signal: AbortSignal
}

/** For processes that do not follow the head. */
const writeEveryMs = 1000

export class HeadTracker {
  readonly #options: HeadTrackerOptions
  readonly #listeners = new Set<(head: HeadMessage) => void>()
  readonly #failures = new LogThrottle()
  #current: HeadMessage | undefined
  #written: HeadMessage | undefined
  #writing: Promise<void> | undefined

  constructor(options: HeadTrackerOptions) {
    this.#options = options
  }

  /** It can fall when the chain is rolled back. */
  get current(): HeadMessage | undefined {
    return this.#current
  }

  onHead(listener: (head: HeadMessage) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Stored by the commit of its block. */
  written(head: HeadMessage | undefined): void {
    this.#written = head
  }

  /** @throws the signal's reason */
  async first(signal: AbortSignal): Promise<HeadMessage> {
    if (this.#current !== undefined) return this.#current
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<HeadMessage>()
    const stop = this.onHead(resolve)
    const abort = (): void => reject(asError(signal.reason))
    signal.addEventListener('abort', abort)
    try {
      return await promise
    } finally {
      stop()
      signal.removeEventListener('abort', abort)
    }
  }

  /** @throws FatalError `wrong-chain` */
  async run(): Promise<void> {
    const { source, log, signal } = this.#options
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        await this.#claimChain(await source.chainId(signal))
        for await (const head of source.heads(signal)) {
          attempt = 1
          this.#accept(head)
        }
      } catch (error) {
        if (signal.aborted) break
        if (error instanceof FatalError) throw error
        const pauseMs = backoffMs(attempt, 200, 10_000)
        this.#failures.log(
          log,
          'warn',
          { err: asError(error), pauseMs },
          'Could not follow the head of the chain: retrying',
        )
        await pause(pauseMs, signal).catch((reason: unknown) => log.debug({ reason }, 'Stopped while waiting'))
      }
    }
    await this.#writing
  }

  #accept(head: HeadMessage): void {
    this.#current = head
    this.#options.metrics.chainHeight.set(head.height)
    for (const listener of this.#listeners) listener(head)
    this.#writing ??= this.#write()
  }

  /** Outages of the database block nothing. */
  async #write(): Promise<void> {
    const { pool, log, signal } = this.#options
    const wait = (): Promise<void> =>
      pause(writeEveryMs, signal).catch((reason: unknown) => log.debug({ reason }, 'Stopped while waiting'))
    // Usually the commit of its block stores it meanwhile.
    if (this.#written !== undefined) await wait()
    while (this.#written !== this.#current && !signal.aborted) {
      const head = this.#current
      try {
        await pool.query('update app.chain set latest_height = $1, latest_at = now()', [head?.height])
        this.#written = head
      } catch (error) {
        this.#failures.log(log, 'warn', { err: asError(error) }, 'Could not write the head of the chain: retrying')
      }
      await wait()
    }
    this.#writing = undefined
  }

  /** A node of another chain would roll everything back. */
  async #claimChain(chainId: string): Promise<void> {
    const { pool } = this.#options
    await pool.query('insert into app.chain (chain_id) values ($1) on conflict do nothing', [chainId])
    const { rows } = await pool.query<{ chain_id: string }>('select chain_id from app.chain')
    const known = rows[0]?.chain_id
    if (known !== chainId) {
      throw new FatalError(
        'wrong-chain',
        `The database holds ${known}, but the access node serves ${chainId}. ` +
          'Use another database (DB_URL) or another node (CHAIN_ACCESS_NODE).',
      )
    }
  }
}
