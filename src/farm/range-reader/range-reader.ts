import type { WeighedBlock, DecodedBlock, DecodedRange } from '../../flow/decoded-block.ts'
import type pg from 'pg'
import { RetryableError } from '../../platform/errors.ts'
import type { HeightRange } from '../../platform/ranges.ts'
import { Backlog } from './backlog.ts'
import { StoredBlocks } from './stored-blocks.ts'
import type { StoredPiece } from './stored-blocks.ts'

interface BlockCacheOptions {
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
class BlockCache {
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

export interface RangeReaderOptions {
  readonly pool: pg.Pool
  /** Decoded blocks that are kept for the next worker, in bytes. Default 256 MiB. */
  readonly maxBytes?: number
  /** What `readSome` gives at a time, in bytes; one block may weigh more. Default 8 MiB. */
  readonly sliceBytes?: number
  /** The workers that read here, each block once: what all of them have read is let go. Default: nobody is known to. */
  readonly readers?: readonly string[]
  /**
   * Bytes of blocks that were offered and are yet to be read, above which `room` waits. Default three quarters of
   * `maxBytes`.
   */
  readonly backlogBytes?: number
  /** How long `room` waits while nothing is read, ms. Default 5,000. */
  readonly patienceMs?: number
  /** Told when `room` waits no longer, for a while. */
  readonly onGivenUp?: () => void
  /** Told of each range that was read from the database, and how long that took. */
  readonly onRead?: (range: HeightRange, seconds: number) => void
}

export interface ReadRange extends DecodedRange {
  /** The version of the chain that all of its blocks are of; a commit names it. */
  readonly chainVersion: number
}

/** Blocks that are being read. It may bring the first of them only, where they are heavy. */
interface Flight extends HeightRange {
  readonly result: Promise<StoredPiece>
}

/**
 * Heights that are read at once: enough for the trips to cost nothing, and workers with other borders share the
 * pieces.
 */
const maxAtOnce = 200

/** A chain that is rolled back again and again while a range is read. */
const maxTries = 10

/**
 * The blocks that the workers of a process derive from: each is read and decoded once, however many workers ask for it
 * and whatever their borders are; what an ingester of this process has stored need not be read at all.
 *
 * All blocks in the cache are of one version of the chain. A reader may not know yet of a rollback in another process:
 * then it hands out blocks of a version that is over, the commit is refused, and `forget` makes it read anew.
 */
export class RangeReader {
  readonly #stored: StoredBlocks
  readonly #cache: BlockCache
  readonly #backlog: Backlog
  readonly #sliceBytes: number
  readonly #onRead: (range: HeightRange, seconds: number) => void
  readonly #flights = new Set<Flight>()
  #chainVersion: number | undefined
  #database: string | undefined

  constructor(options: RangeReaderOptions) {
    const { pool, maxBytes = 256 * 1024 * 1024, sliceBytes = 8 * 1024 * 1024, onRead = () => undefined } = options
    const { readers = [], backlogBytes = maxBytes * 0.75, patienceMs, onGivenUp } = options
    this.#stored = new StoredBlocks(pool)
    this.#backlog = new Backlog({ maxBytes: backlogBytes, patienceMs, onGivenUp })
    this.#cache = new BlockCache({ maxBytes, readers, onGone: (height) => this.#backlog.remove(height) })
    this.#sliceBytes = sliceBytes
    this.#onRead = onRead
  }

  /** Bytes of the blocks that are kept. */
  get cachedBytes(): number {
    return this.#cache.bytes
  }

  /**
   * All blocks from `from` to `to`, exclusive, however much they weigh.
   * @throws RetryableError `range-not-stored` where one is missing, `chain-unstable` while rollbacks follow each other
   */
  async read(from: number, to: number): Promise<ReadRange> {
    for (let tries = 1; tries <= maxTries; tries++) {
      const first = await this.readSome(from, to)
      const blocks = [...first.blocks]
      while (from + blocks.length < to) {
        const next = await this.readSome(from + blocks.length, to)
        if (next.chainVersion !== first.chainVersion) break
        blocks.push(...next.blocks)
      }
      if (from + blocks.length === to) return { from, to, blocks, chainVersion: first.chainVersion }
    }
    throw new RetryableError(
      'chain-unstable',
      `the chain was rolled back ${maxTries} times while ${from} to ${to - 1} was read`,
    )
  }

  /**
   * The first blocks from `from` on, below `to`: at least one, and no more than make a slice. What follows is being
   * read when they are given.
   * @param reader one of `readers`, which will not ask for them again unless something fails
   * @throws RetryableError `range-not-stored` where one is missing
   */
  async readSome(from: number, to: number, reader?: string): Promise<ReadRange> {
    let slice = this.#cachedSlice(from, to)
    while (slice === undefined) {
      const { from: first, blocks, chainVersion } = await (this.#flightOver(from) ?? this.#start(from, to)).result
      // A flight that somebody else started may have ended below, because its blocks are heavy.
      slice = this.#slice(from, to, chainVersion, (height) => blocks[height - first]) ?? this.#cachedSlice(from, to)
    }
    this.readAhead(slice.to, to)
    if (reader !== undefined) {
      this.#backlog.read(slice.from, slice.to)
      this.#cache.readBy(reader, slice.from, slice.to)
    }
    return slice
  }

  /** Starts reading from `from` on, below `to`, unless that is there or under way. */
  readAhead(from: number, to: number): void {
    if (from < to && !this.#cache.has(from) && this.#flightOver(from) === undefined) this.#start(from, to)
  }

  /** Takes blocks that were just committed; each weighs `bytes`. */
  offer(blocks: readonly WeighedBlock[], chainVersion: number): void {
    this.#accept(blocks, chainVersion)
    for (const { block, bytes } of blocks) if (this.#cache.has(block.height)) this.#backlog.add(block.height, bytes)
  }

  /**
   * For who offers faster than workers read, and can wait: resolves when not too much of what was offered is still
   * to be read, and at once where nobody is known to read, or has read for a while (`Backlog`). @throws the
   * signal's reason
   */
  room(signal: AbortSignal): Promise<void> {
    return this.#backlog.room(signal)
  }

  /** Called when a commit found that this version of the chain is over. */
  forget(chainVersion: number): void {
    if (this.#chainVersion !== chainVersion) return
    this.#cache.clear()
    this.#chainVersion = undefined
  }

  /**
   * Called with the database of every claim. One that was restored may have stored other blocks under the same
   * version of the chain: nothing of before is given to what is claimed in it.
   */
  inDatabase(identity: string): void {
    if (identity === this.#database) return
    if (this.#database !== undefined) {
      this.#flights.clear()
      this.#cache.clear()
      this.#chainVersion = undefined
    }
    this.#database = identity
  }

  #cachedSlice(from: number, to: number): ReadRange | undefined {
    return this.#chainVersion === undefined
      ? undefined
      : this.#slice(from, to, this.#chainVersion, (height) => this.#cache.get(height))
  }

  #slice(
    from: number,
    to: number,
    chainVersion: number,
    blockAt: (height: number) => WeighedBlock | undefined,
  ): ReadRange | undefined {
    const blocks: DecodedBlock[] = []
    let bytes = 0
    for (let height = from; height < to; height++) {
      const found = blockAt(height)
      if (found === undefined) break
      bytes += found.bytes
      if (bytes > this.#sliceBytes && blocks.length > 0) break
      blocks.push(found.block)
    }
    return blocks.length === 0 ? undefined : { from, to: from + blocks.length, blocks, chainVersion }
  }

  #flightOver(height: number): Flight | undefined {
    for (const flight of this.#flights) if (flight.from <= height && height < flight.to) return flight
    return undefined
  }

  /** Reads up to the next block that is there or under way. */
  #start(from: number, limit: number): Flight {
    let to = from + 1
    while (to < limit && to < from + maxAtOnce && !this.#cache.has(to) && this.#flightOver(to) === undefined) to++
    const flight: Flight = { from, to, result: this.#load({ from, to }) }
    this.#flights.add(flight)
    const land = (): void => void this.#flights.delete(flight)
    flight.result.then(land, land)
    return flight
  }

  async #load(range: HeightRange): Promise<StoredPiece> {
    const startedAt = performance.now()
    const database = this.#database
    const piece = await this.#stored.read(range)
    this.#onRead({ from: range.from, to: range.from + piece.blocks.length }, (performance.now() - startedAt) / 1000)
    // Whoever began to read before the database was another one is refused at the commit.
    if (database === this.#database) this.#accept(piece.blocks, piece.chainVersion)
    return piece
  }

  #accept(blocks: readonly WeighedBlock[], chainVersion: number): void {
    if (this.#chainVersion !== undefined && chainVersion < this.#chainVersion) return
    if (chainVersion !== this.#chainVersion) this.#cache.clear()
    this.#chainVersion = chainVersion
    for (const block of blocks) this.#cache.add(block)
  }
}
