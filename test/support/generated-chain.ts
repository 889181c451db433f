import type { FeedBlock } from '../../src/explorer/feed/reader.ts'
import type { BlockFeed, FeedReader } from '../../src/explorer/feed/block-feed.ts'
import { idOf, timestampAt } from './chain-rows.ts'

/** The account of a block's transaction, at even and at odd heights. */
export const generatedAccounts = ['0x00000000000000a0', '0x00000000000000a1'] as const

/**
 * An in-memory chain with one transaction per block. The test decides when commits are announced,
 * to simulate late notifications. Their order is preserved.
 */
export class GeneratedChain implements FeedReader {
  #ids: string[] = []
  #made = 0
  #failsIds = false
  readonly #pending: ((feed: BlockFeed) => void)[] = []

  /** One above the highest height. The lowest is 0. */
  get height(): number {
    return this.#ids.length
  }

  get blockIds(): readonly string[] {
    return this.#ids
  }

  transactionId(height: number): string {
    return idOf('transaction', this.#ids[height] ?? '')
  }

  extend(count: number): void {
    const from = this.height
    for (let i = 0; i < count; i++) this.#ids.push(idOf('made', this.#made++))
    const to = this.height
    this.#pending.push((feed) => feed.announce(from, to))
  }

  rollBack(depth: number): void {
    const from = Math.max(0, this.height - depth)
    this.#ids = this.#ids.slice(0, from)
    this.#pending.push((feed) => feed.rollback(from))
  }

  /** Delivers the oldest pending notification. Returns whether there was one. */
  announce(feed: BlockFeed): boolean {
    const oldest = this.#pending.shift()
    oldest?.(feed)
    return oldest !== undefined
  }

  /** Drops all pending notifications, as a lost connection does. */
  loseAnnouncements(): void {
    this.#pending.length = 0
  }

  async read(from: number, to: number): Promise<readonly FeedBlock[]> {
    await new Promise(setImmediate)
    return this.#ids.slice(from, to).map((_id, i) => this.#block(from + i))
  }

  /** Makes the next read of ids fail, as during a short database outage. */
  failNextIds(): void {
    this.#failsIds = true
  }

  async ids(from: number, to: number): Promise<ReadonlyMap<number, string>> {
    await new Promise(setImmediate)
    if (this.#failsIds) {
      this.#failsIds = false
      throw new Error('the database is away')
    }
    return new Map(this.#ids.slice(from, to).map((id, i) => [from + i, id]))
  }

  async head(): Promise<number> {
    await new Promise(setImmediate)
    return this.height
  }

  #block(height: number): FeedBlock {
    return {
      block: {
        height,
        id: this.#ids[height] ?? '',
        parent_id: this.#ids[height - 1] ?? idOf('none'),
        timestamp: timestampAt(height),
        tx_count: 1,
        event_count: 0,
      },
      transactions: [
        {
          summary: {
            id: this.transactionId(height),
            block_height: height,
            status: 'SEALED',
            payer_address: '',
            proposer_address: '',
            timestamp: timestampAt(height),
            execution_status: 'SUCCESS',
            is_evm: false,
            script_hash: '',
            template_category: '',
            template_label: '',
            tags: [],
            error_message: '',
          },
          accounts: [height % 2 === 0 ? generatedAccounts[0] : generatedAccounts[1]],
          contracts: [],
        },
      ],
    }
  }
}
