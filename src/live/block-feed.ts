import type { FeedBlock } from '../api/presenters/feed.ts'
import { asError } from '../base/errors.ts'
import type { Logger } from '../base/log.ts'
import { backoffMs, pause } from '../base/retry.ts'
import type { FeedClients } from './feed-clients.ts'
import { FeedQueue } from './feed-queue.ts'

/** How the feed reads what it tells. */
export interface FeedReader {
  /** The stored blocks of a range of heights, `to` not among them, the lowest first. */
  read(from: number, to: number): Promise<readonly FeedBlock[]>
  /** One above the highest height that the forward ingester has stored; undefined while it has stored nothing. */
  head(): Promise<number | undefined>
}

export interface BlockFeedOptions {
  readonly clients: FeedClients
  readonly reader: FeedReader
  readonly log: Logger
  /** Ends the feed. */
  readonly signal: AbortSignal
  /** Blocks that may wait to be told; when more do, the oldest are left out. Default 100. */
  readonly maxBacklog?: number
}

/** Blocks that are read and sent together. */
const blocksAtOnce = 20

/** Told blocks whose ids are remembered, to notice a rollback that was announced while nobody heard it. */
const rememberedBlocks = 100

/**
 * Tells clients of blocks that the forward ingester has committed: `new_block`, then `new_transaction` for each of its
 * transactions. After a rollback `rollback` with the lowest height that was taken back, and then the blocks that took
 * their place. A client that knows the first two types only may ignore it: blocks then come with heights it has seen.
 *
 *     idle ──announcement──► telling ──queue empty──► idle
 *
 * Blocks are read from the database once for all clients, and not at all while there is no client.
 */
export class BlockFeed {
  readonly #options: BlockFeedOptions
  readonly #queue: FeedQueue
  /** Ids of the blocks told last, by height. */
  readonly #told = new Map<number, string>()
  #telling: Promise<void> | undefined

  constructor(options: BlockFeedOptions) {
    this.#options = options
    this.#queue = new FeedQueue(options.maxBacklog ?? 100)
  }

  /** Heights were stored; `to` is not among them. */
  announce(from: number, to: number): void {
    this.#queue.announce(from, to)
    this.#wake()
  }

  /** Heights from `from` up were taken back. */
  rollback(from: number): void {
    this.#queue.rollback(from)
    this.#wake()
  }

  /** Announcements may have been missed: compares what was told with what is stored now, and tells the difference. */
  async catchUp(): Promise<void> {
    const { reader, clients } = this.#options
    await this.idle()
    const head = await reader.head()
    if (head === undefined || this.#queue.end === undefined || clients.size === 0) return
    const heights = [...this.#told.keys()]
    const lowest = Math.min(...heights)
    const stored = heights.length === 0 ? [] : await reader.read(lowest, Math.max(...heights) + 1)
    const storedIds = new Map(stored.map(({ block }) => [block.height, block.id]))
    const replaced = heights.filter((height) => storedIds.get(height) !== this.#told.get(height))
    if (replaced.length > 0) this.rollback(Math.min(...replaced))
    this.announce(this.#queue.end, head)
  }

  /** Resolves when nothing waits to be told. */
  async idle(): Promise<void> {
    while (this.#telling !== undefined) await this.#telling
  }

  #wake(): void {
    this.#telling ??= this.#tell().finally(() => {
      this.#telling = undefined
    })
  }

  async #tell(): Promise<void> {
    const { clients, log, signal } = this.#options
    // What is announced in one go is told in one go.
    await Promise.resolve()
    for (let failures = 0; !signal.aborted; ) {
      if (clients.size === 0) {
        this.#queue.clear()
        this.#told.clear()
        return
      }
      const step = this.#queue.peek(blocksAtOnce)
      if (step === undefined) return
      try {
        if (step.kind === 'rollback') this.#sendRollback(step.from)
        else this.#sendBlocks(await this.#options.reader.read(step.from, step.to))
        this.#queue.done(step)
        failures = 0
      } catch (error) {
        log.warn({ err: asError(error), step }, 'new blocks could not be read for the live feed; trying again')
        failures++
        await pause(backoffMs(failures, 100, 5000), signal).catch(() => undefined)
      }
    }
  }

  #sendBlocks(blocks: readonly FeedBlock[]): void {
    const messages: Buffer[] = []
    for (const { block, transactions } of blocks) {
      messages.push(message('new_block', block))
      for (const transaction of transactions) messages.push(message('new_transaction', transaction))
      this.#told.delete(block.height)
      this.#told.set(block.height, block.id)
    }
    for (const height of this.#told.keys()) {
      if (this.#told.size <= rememberedBlocks) break
      this.#told.delete(height)
    }
    this.#options.clients.send(messages)
  }

  #sendRollback(from: number): void {
    for (const height of this.#told.keys()) if (height >= from) this.#told.delete(height)
    this.#options.clients.send([message('rollback', { from_height: from })])
  }
}

function message(type: string, payload: unknown): Buffer {
  return Buffer.from(JSON.stringify({ type, payload }))
}
