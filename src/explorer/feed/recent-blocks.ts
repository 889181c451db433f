import pLimit from 'p-limit'
import type { FeedReader } from './block-feed.ts'
import { encodeBlocks, forkOf } from './feed-block.ts'
import type { BlockMessages } from './feed-block.ts'

export interface BlockRun {
  readonly blocks: readonly BlockMessages[]
  /** Lower heights that are not among the blocks are not stored. */
  readonly to: number
}

/** Reads are aligned to multiples of this. */
export const blocksPerRead = 20

/** Resuming clients must not take the database from others. */
const readsAtOnce = 2

/**
 * Evicts the oldest beyond `maxBytes`. Clients that resume from about the same height share one
 * read.
 */
export class RecentBlocks {
  readonly #reader: FeedReader
  readonly #maxBytes: number
  readonly #blocks = new Map<number, BlockMessages>()
  readonly #reading = new Map<number, Promise<BlockRun>>()
  readonly #limit = pLimit(readsAtOnce)
  #bytes = 0
  #generation = 0

  constructor(reader: FeedReader, maxBytes: number) {
    this.#reader = reader
    this.#maxBytes = maxBytes
  }

  /** Incremented by rollbacks, which may invalidate running reads. */
  get generation(): number {
    return this.#generation
  }

  get(height: number): BlockMessages | undefined {
    return this.#blocks.get(height)
  }

  isInMemory(height: number): boolean {
    return this.#blocks.has(height) || this.#reading.has(firstOf(height))
  }

  put(block: BlockMessages): void {
    this.#remove(block.height)
    this.#blocks.set(block.height, block)
    this.#bytes += block.bytes
    for (const height of this.#blocks.keys()) {
      if (this.#bytes <= this.#maxBytes) break
      this.#remove(height)
    }
  }

  rollBack(from: number): void {
    this.#generation++
    this.#reading.clear()
    for (const height of this.#blocks.keys()) if (height >= from) this.#remove(height)
  }

  /** `end` is exclusive. */
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
      const blocks = await encodeBlocks(await this.#reader.read(first, end))
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

function firstOf(height: number): number {
  return height - (height % blocksPerRead)
}

const maxForks = 2000

/** Maps removed blocks to the lowest height replaced together with them. */
export class KnownForks {
  readonly #points = new Map<string, number>()

  add(from: number, blocks: Iterable<readonly [height: number, id: string]>): void {
    for (const [key, point] of this.#points) if (point > from) this.#points.set(key, from)
    for (const [height, id] of blocks) if (height >= from) this.#points.set(`${height}.${forkOf(id)}`, from)
    for (const key of this.#points.keys()) {
      if (this.#points.size <= maxForks) break
      this.#points.delete(key)
    }
  }

  /** @param fork prefix of the block id */
  pointOf(height: number, fork: string): number | undefined {
    return this.#points.get(`${height}.${fork}`)
  }
}

export type BlockLink = Pick<BlockMessages, 'height' | 'id' | 'parentId'>

/** Reaches down to the reorg depth; clients may have the blocks from another process. */
export class BlockHistory {
  readonly #depth: number
  readonly #ids = new Map<number, string>()
  #highest = -1

  constructor(depth: number) {
    this.#depth = depth
  }

  /** Unordered. */
  get all(): readonly (readonly [height: number, id: string])[] {
    return [...this.#ids]
  }

  add({ height, id }: Pick<BlockLink, 'height' | 'id'>): void {
    if (height <= this.#highest - this.#depth) return
    this.#ids.set(height, id)
    if (height <= this.#highest) return
    const lowest = height - this.#depth + 1
    if (height === this.#highest + 1) this.#ids.delete(lowest - 1)
    else for (const old of this.#ids.keys()) if (old < lowest) this.#ids.delete(old)
    this.#highest = height
  }

  fill(ids: ReadonlyMap<number, string>): void {
    for (const [height, id] of ids) if (!this.#ids.has(height)) this.add({ height, id })
  }

  rollBack(from: number): void {
    for (const height of this.#ids.keys()) if (height >= from) this.#ids.delete(height)
    this.#highest = Math.min(this.#highest, from - 1)
  }

  isFollowedBy(blocks: readonly BlockLink[]): boolean {
    return blocks.every(({ height, id, parentId }, i) => {
      const before = blocks[i - 1]
      const below = before?.height === height - 1 ? before.id : this.#ids.get(height - 1)
      return (this.#ids.get(height) ?? id) === id && (below ?? parentId) === parentId
    })
  }
}
