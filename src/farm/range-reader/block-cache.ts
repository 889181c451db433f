import type { WeighedBlock } from '../../flow/decoded-block.ts'

export interface BlockCacheOptions {
  readonly maxBytes: number
  /** Who reads blocks; what all of them have read is not kept. Without any, blocks are kept while there is room. */
  readonly readers?: readonly string[]
  /** Told of each block that is not kept any more. */
  readonly onGone?: (height: number) => void
}

interface KeptBlock extends WeighedBlock {
  /** Who has not read it yet. */
  readonly unreadBy: Set<string>
}

/** Blocks by height, until all have read them. Bounded by bytes: those that were not used for longest go first. */
export class BlockCache {
  readonly #maxBytes: number
  readonly #readers: readonly string[]
  readonly #onGone: (height: number) => void
  /** In the order of their last use. */
  readonly #blocks = new Map<number, KeptBlock>()
  #bytes = 0

  constructor({ maxBytes, readers = [], onGone = () => undefined }: BlockCacheOptions) {
    this.#maxBytes = maxBytes
    this.#readers = readers
    this.#onGone = onGone
  }

  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#blocks.size
  }

  /** Without using it. */
  has(height: number): boolean {
    return this.#blocks.has(height)
  }

  get(height: number): WeighedBlock | undefined {
    const found = this.#blocks.get(height)
    if (found === undefined) return undefined
    this.#blocks.delete(height)
    this.#blocks.set(height, found)
    return found
  }

  /** Who has read a block before need not read it again because it comes a second time. */
  add({ block, bytes }: WeighedBlock): void {
    const old = this.#blocks.get(block.height)
    if (old !== undefined) {
      this.#blocks.delete(block.height)
      this.#bytes -= old.bytes
    }
    this.#blocks.set(block.height, { block, bytes, unreadBy: old?.unreadBy ?? new Set(this.#readers) })
    this.#bytes += bytes
    for (const oldest of this.#blocks.keys()) {
      if (this.#bytes <= this.#maxBytes) break
      this.#remove(oldest)
    }
  }

  /** `reader` has read the blocks from `from` to `to`, exclusive. */
  readBy(reader: string, from: number, to: number): void {
    for (let height = from; height < to; height++) {
      const unreadBy = this.#blocks.get(height)?.unreadBy
      if (unreadBy?.delete(reader) === true && unreadBy.size === 0) this.#remove(height)
    }
  }

  clear(): void {
    for (const height of this.#blocks.keys()) this.#remove(height)
  }

  #remove(height: number): void {
    this.#bytes -= this.#blocks.get(height)?.bytes ?? 0
    this.#blocks.delete(height)
    this.#onGone(height)
  }
}
