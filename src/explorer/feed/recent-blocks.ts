import pLimit from 'p-limit'
import type { FeedReader } from './block-feed.ts'
import { toldBlocks } from './told-block.ts'
import type { ToldBlock } from './told-block.ts'

/** Blocks of some heights: those that are stored, and where to go on. */
export interface BlockRun {
  readonly blocks: readonly ToldBlock[]
  /** Heights before this one that are not among the blocks are not stored. */
  readonly to: number
}

/** Heights that are read together, from a multiple of this. */
export const blocksPerRead = 20

/** Reads of the database at the same time, so that a crowd that comes back does not take it from others. */
const readsAtOnce = 2

/**
 * Blocks that were told or read lately, ready to be sent. Whoever resumes reads from here; a crowd that resumes from about the
 * same height, as after a restart, costs one read of the database. Holds up to `maxBytes`, the newest.
 */
export class RecentBlocks {
  readonly #reader: FeedReader
  readonly #maxBytes: number
  readonly #blocks = new Map<number, ToldBlock>()
  readonly #reading = new Map<number, Promise<BlockRun>>()
  readonly #limit = pLimit(readsAtOnce)
  #bytes = 0
  #generation = 0

  constructor(reader: FeedReader, maxBytes: number) {
    this.#reader = reader
    this.#maxBytes = maxBytes
  }

  /** Goes up with each rollback: what was read before it may be of blocks that are gone. */
  get generation(): number {
    return this.#generation
  }

  get(height: number): ToldBlock | undefined {
    return this.#blocks.get(height)
  }

  /** Whether a run from this height costs no read of the database of its own. */
  isAtHand(height: number): boolean {
    return this.#blocks.has(height) || this.#reading.has(firstOf(height))
  }

  put(block: ToldBlock): void {
    this.#remove(block.height)
    this.#blocks.set(block.height, block)
    this.#bytes += block.bytes
    for (const height of this.#blocks.keys()) {
      if (this.#bytes <= this.#maxBytes) break
      this.#remove(height)
    }
  }

  /** Blocks from a height up were taken back. */
  forget(from: number): void {
    this.#generation++
    this.#reading.clear()
    for (const height of this.#blocks.keys()) if (height >= from) this.#remove(height)
  }

  /**
   * Some blocks from a height on, `end` not among them.
   * @throws what the reader throws
   */
  async run(from: number, end: number): Promise<BlockRun> {
    const blocks = []
    for (let height = from; height < end && blocks.length < blocksPerRead; height++) {
      const block = this.#blocks.get(height)
      if (block === undefined) break
      blocks.push(block)
    }
    if (blocks.length > 0) return { blocks, to: from + blocks.length }
    const first = firstOf(from)
    const { blocks: read, to } = await this.#read(first, Math.min(first + blocksPerRead, end))
    return { blocks: read.filter(({ height }) => height >= from && height < end), to: Math.min(to, end) }
  }

  #read(first: number, end: number): Promise<BlockRun> {
    const known = this.#reading.get(first)
    if (known !== undefined) return known.then((run) => (run.to >= end ? run : this.#read(first, end)))
    const reading = this.#limit(() => this.#readNow(first, end)).finally(() => {
      if (this.#reading.get(first) === reading) this.#reading.delete(first)
    })
    this.#reading.set(first, reading)
    return reading
  }

  async #readNow(first: number, end: number): Promise<BlockRun> {
    for (;;) {
      const generation = this.#generation
      const blocks = await toldBlocks(await this.#reader.read(first, end))
      if (generation !== this.#generation) continue
      for (const block of blocks) if (!this.#blocks.has(block.height)) this.put(block)
      return { blocks, to: end }
    }
  }

  #remove(height: number): void {
    const block = this.#blocks.get(height)
    if (block === undefined) return
    this.#blocks.delete(height)
    this.#bytes -= block.bytes
  }
}

/** The first height of the read that a height belongs to. */
function firstOf(height: number): number {
  return height - (height % blocksPerRead)
}
