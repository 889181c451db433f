import type { DecodedBlock } from '../../chain/decoded-block.ts'

/** A block and what it is held to weigh in memory, in bytes. */
export interface WeighedBlock {
  readonly block: DecodedBlock
  readonly bytes: number
}

/** Blocks by height, bounded by bytes: those that were not used for longest go first. */
export class BlockCache {
  readonly #maxBytes: number
  /** In the order of their last use. */
  readonly #blocks = new Map<number, WeighedBlock>()
  #bytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
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

  add(weighed: WeighedBlock): void {
    const { height } = weighed.block
    const old = this.#blocks.get(height)
    if (old !== undefined) {
      this.#blocks.delete(height)
      this.#bytes -= old.bytes
    }
    this.#blocks.set(height, weighed)
    this.#bytes += weighed.bytes
    for (const [oldest, { bytes }] of this.#blocks) {
      if (this.#bytes <= this.#maxBytes) break
      this.#blocks.delete(oldest)
      this.#bytes -= bytes
    }
  }

  clear(): void {
    this.#blocks.clear()
    this.#bytes = 0
  }
}
