import type { WeighedBlock, DecodedBlock, DecodedRange } from '../../flow/decoded-block.ts'
import type pg from 'pg'
import { RetryableError } from '../../platform/errors.ts'
import type { HeightRange } from '../../platform/ranges.ts'
import { Backlog } from './backlog.ts'
import { StoredBlocks } from './stored-blocks.ts'
import type { StoredPiece } from './stored-blocks.ts'

interface BlockCacheOptions {
  readonly maxBytes: number
  /** A block read by all of them is dropped. Default: none. */
  readonly readers?: readonly string[]
  readonly onRemove?: (height: number) => void
}

interface CachedBlock extends WeighedBlock {
  readonly unreadBy: Set<string>
}

/** Caches blocks until all readers have read them. Bounded by bytes; evicts the least recently used. */
class BlockCache {
  readonly #maxBytes: number
  readonly #readers: readonly string[]
  readonly #onRemove: (height: number) => void
  readonly #blocks = new Map<number, CachedBlock>()
  #bytes = 0

  constructor({ maxBytes, readers = [], onRemove = () => undefined }: BlockCacheOptions) {
    this.#maxBytes = maxBytes
    this.#readers = readers
    this.#onRemove = onRemove
  }

  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#blocks.size
  }

  /** Does not count as use. */
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

  /** A block added again keeps its readers. */
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

  readBy(readers: readonly string[], from: number, to: number): void {
    for (let height = from; height < to; height++) {
      const unreadBy = this.#blocks.get(height)?.unreadBy
      if (unreadBy === undefined || unreadBy.size === 0) continue
      for (const reader of readers) unreadBy.delete(reader)
      if (unreadBy.size === 0) this.#remove(height)
    }
  }

  clear(): void {
    for (const height of this.#blocks.keys()) this.#remove(height)
  }

  #remove(height: number): void {
    this.#bytes -= this.#blocks.get(height)?.bytes ?? 0
    this.#blocks.delete(height)
    this.#onRemove(height)
  }
}

export interface RangeReaderOptions {
  readonly pool: pg.Pool
  /** Default 256 MiB. */
  readonly maxBytes?: number
  /** Limit of `readSome`, except for one larger block. Default 8 MiB. */
  readonly sliceBytes?: number
  /** A block read by all of them is dropped. Default: unknown. */
  readonly readers?: readonly string[]
  /** Unread bytes above which `capacity` waits. Default three quarters of `maxBytes`. */
  readonly backlogBytes?: number
  /** Maximum wait of `capacity` while nothing is read, ms. Default 5,000. */
  readonly readTimeoutMs?: number
  readonly onGivenUp?: () => void
  readonly onRead?: (range: HeightRange, seconds: number) => void
}

export interface ReadRange extends DecodedRange {
  /** A commit requires it. */
  readonly chainVersion: number
  /** Estimated size in memory. */
  readonly bytes: number
}

/** Returns only the first blocks if they are large. */
interface Flight extends HeightRange {
  readonly result: Promise<StoredPiece>
}

/** Amortizes round trips and shares reads between workers with different borders. */
const maxAtOnce = 200

const maxTries = 10

/**
 * Each block is read and decoded once for all workers. All cached blocks have the same chain
 * version. After a rollback in another process, stale blocks are rejected at the commit, and
 * `invalidate` clears the cache.
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
    const { readers = [], backlogBytes = maxBytes * 0.75, readTimeoutMs, onGivenUp } = options
    this.#stored = new StoredBlocks(pool)
    this.#backlog = new Backlog({ maxBytes: backlogBytes, readTimeoutMs, onGivenUp })
    this.#cache = new BlockCache({ maxBytes, readers, onRemove: (height) => this.#backlog.remove(height) })
    this.#sliceBytes = sliceBytes
    this.#onRead = onRead
  }

  get cachedBytes(): number {
    return this.#cache.bytes
  }

  /** @throws RetryableError `range-not-stored`, `chain-unstable` during repeated rollbacks */
  async read(from: number, to: number): Promise<ReadRange> {
    for (let tries = 1; tries <= maxTries; tries++) {
      const first = await this.readSome(from, to)
      const blocks = [...first.blocks]
      let { bytes } = first
      while (from + blocks.length < to) {
        const next = await this.readSome(from + blocks.length, to)
        if (next.chainVersion !== first.chainVersion) break
        blocks.push(...next.blocks)
        bytes += next.bytes
      }
      if (from + blocks.length === to) return { from, to, blocks, chainVersion: first.chainVersion, bytes }
    }
    throw new RetryableError(
      'chain-unstable',
      `Could not read heights ${from} to ${to - 1}: the chain was rolled back ${maxTries} times meanwhile`,
    )
  }

  /**
   * At least one block, at most a slice. The next slice is read ahead.
   *
   * @param readers some of `readers`, which will not need them again unless they fail
   *
   * @throws RetryableError `range-not-stored`
   */
  async readSome(from: number, to: number, readers: readonly string[] = []): Promise<ReadRange> {
    let slice = this.#cachedSlice(from, to)
    while (slice === undefined) {
      const { from: first, blocks, chainVersion } = await (this.#flightOver(from) ?? this.#start(from, to)).result
      // Another caller's read may have stopped early because its blocks are large.
      slice = this.#slice(from, to, chainVersion, (height) => blocks[height - first]) ?? this.#cachedSlice(from, to)
    }
    this.#readAhead(slice.to, to)
    if (readers.length > 0) {
      this.#backlog.read(slice.from, slice.to)
      this.#cache.readBy(readers, slice.from, slice.to)
    }
    return slice
  }

  #readAhead(from: number, to: number): void {
    if (from < to && !this.#cache.has(from) && this.#flightOver(from) === undefined) this.#start(from, to)
  }

  offer(blocks: readonly WeighedBlock[], chainVersion: number): void {
    this.#accept(blocks, chainVersion)
    for (const { block, bytes } of blocks) if (this.#cache.has(block.height)) this.#backlog.add(block.height, bytes)
  }

  /** Backpressure for the ingester (see `Backlog`). @throws the signal's reason */
  capacity(signal: AbortSignal): Promise<void> {
    return this.#backlog.capacity(signal)
  }

  /** Call when a commit found that this chain version is outdated. */
  invalidate(chainVersion: number): void {
    if (this.#chainVersion !== chainVersion) return
    this.#cache.clear()
    this.#chainVersion = undefined
  }

  /**
   * Call with the database of each claim: a restored database may have other blocks under the same
   * chain version.
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
      if (bytes + found.bytes > this.#sliceBytes && blocks.length > 0) break
      bytes += found.bytes
      blocks.push(found.block)
    }
    return blocks.length === 0 ? undefined : { from, to: from + blocks.length, blocks, chainVersion, bytes }
  }

  #flightOver(height: number): Flight | undefined {
    for (const flight of this.#flights) if (flight.from <= height && height < flight.to) return flight
    return undefined
  }

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
    // Reads begun in the previous database are rejected at the commit.
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
