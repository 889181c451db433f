import type pg from 'pg'
import { RetryableError } from '../../base/errors.ts'
import { split } from '../../base/ranges.ts'
import type { HeightRange } from '../../base/ranges.ts'
import type { DecodedBlock, DecodedRange } from '../../chain/decoded-block.ts'
import { readChainVersion } from '../commit/chain-version.ts'
import { BlockCache } from './block-cache.ts'
import type { WeighedBlock } from './block-cache.ts'
import { ScriptTexts } from './script-texts.ts'
import { readStoredBlocks } from './stored-blocks.ts'

export interface RangeReaderOptions {
  readonly pool: pg.Pool
  /** Decoded blocks that are kept for the next worker, in bytes. Default 256 MiB. */
  readonly maxBytes?: number
  /** Told of each range that was read from the database. */
  readonly onRead?: (range: HeightRange) => void
}

export interface ReadRange extends DecodedRange {
  /** The version of the chain that all of its blocks are of; a commit names it. */
  readonly chainVersion: number
}

/** Blocks that are being read. */
interface Flight extends HeightRange {
  readonly result: Promise<{ readonly chainVersion: number; readonly blocks: readonly WeighedBlock[] }>
}

/** Heights that are read at once: enough for the trips to cost nothing, and workers with other borders share the pieces. */
const mostAtOnce = 200

/** A chain that is rolled back again and again while a range is read. */
const mostTries = 10

/**
 * The blocks that the workers of a process derive from: each is read and decoded once, however many workers ask for it
 * and whatever their borders are; what an ingester of this process has stored need not be read at all.
 *
 * All blocks in the cache are of one version of the chain. A reader may not know yet of a rollback in another process:
 * then it hands out blocks of a version that is over, the commit is refused, and `forget` makes it read anew.
 */
export class RangeReader {
  readonly #pool: pg.Pool
  readonly #scripts: ScriptTexts
  readonly #cache: BlockCache
  readonly #onRead: (range: HeightRange) => void
  readonly #flights = new Set<Flight>()
  #chainVersion: number | undefined

  constructor({ pool, maxBytes = 256 * 1024 * 1024, onRead = () => undefined }: RangeReaderOptions) {
    this.#pool = pool
    this.#scripts = new ScriptTexts(pool)
    this.#cache = new BlockCache(maxBytes)
    this.#onRead = onRead
  }

  /** Bytes of the blocks that are kept. */
  get cachedBytes(): number {
    return this.#cache.bytes
  }

  /**
   * The blocks from `from` to `to`, exclusive.
   * @throws RetryableError `range-not-stored` where one is missing, `chain-unstable` while rollbacks follow each other
   */
  async read(from: number, to: number): Promise<ReadRange> {
    for (let tries = 1; tries <= mostTries; tries++) {
      const read = await this.#tryRead(from, to)
      if (read !== undefined) return read
    }
    throw new RetryableError('chain-unstable', `the chain was rolled back ${mostTries} times while ${from} to ${to - 1} was read`)
  }

  /** Takes blocks that were just committed; each weighs `bytes`. */
  offer(blocks: readonly WeighedBlock[], chainVersion: number): void {
    this.#accept(blocks, chainVersion)
  }

  /** Called when a commit found that this version of the chain is over. */
  forget(chainVersion: number): void {
    if (this.#chainVersion !== chainVersion) return
    this.#cache.clear()
    this.#chainVersion = undefined
  }

  /** @returns undefined where the pieces are of different versions of the chain */
  async #tryRead(from: number, to: number): Promise<ReadRange | undefined> {
    const blocks: (DecodedBlock | undefined)[] = []
    for (let height = from; height < to; height++) blocks.push(this.#cache.get(height))
    const versions = new Set(blocks.some((block) => block !== undefined) ? [this.#chainVersion] : [])
    for (const flight of this.#flightsFor(from, blocks)) {
      const { chainVersion, blocks: read } = await flight.result
      versions.add(chainVersion)
      for (const { block } of read) {
        if (block.height >= from && block.height < to) blocks[block.height - from] = block
      }
    }
    const [chainVersion] = versions
    if (versions.size !== 1 || chainVersion === undefined) return undefined
    return { from, to, blocks: blocks as DecodedBlock[], chainVersion }
  }

  /** The reads under way that bring what is missing; starts those that nobody has started yet. */
  #flightsFor(from: number, blocks: readonly (DecodedBlock | undefined)[]): Flight[] {
    const flights = new Set<Flight>()
    const missing: HeightRange[] = []
    for (const [i, block] of blocks.entries()) {
      if (block !== undefined) continue
      const height = from + i
      const known = [...this.#flights].find((flight) => flight.from <= height && height < flight.to)
      if (known !== undefined) {
        flights.add(known)
        continue
      }
      const last = missing.at(-1)
      if (last?.to === height) missing[missing.length - 1] = { from: last.from, to: height + 1 }
      else missing.push({ from: height, to: height + 1 })
    }
    for (const range of missing) {
      for (const piece of split(range, mostAtOnce)) flights.add(this.#start(piece))
    }
    return [...flights]
  }

  #start(range: HeightRange): Flight {
    const flight: Flight = { ...range, result: this.#load(range) }
    this.#flights.add(flight)
    const land = (): void => void this.#flights.delete(flight)
    flight.result.then(land, land)
    return flight
  }

  async #load(range: HeightRange): Promise<{ chainVersion: number; blocks: readonly WeighedBlock[] }> {
    // The version first: a rollback between the two makes the commit fail, never succeed.
    const chainVersion = await readChainVersion(this.#pool)
    const blocks = await readStoredBlocks(this.#pool, this.#scripts, range)
    this.#onRead(range)
    this.#accept(blocks, chainVersion)
    return { chainVersion, blocks }
  }

  #accept(blocks: readonly WeighedBlock[], chainVersion: number): void {
    if (this.#chainVersion !== undefined && chainVersion < this.#chainVersion) return
    if (chainVersion !== this.#chainVersion) this.#cache.clear()
    this.#chainVersion = chainVersion
    for (const block of blocks) this.#cache.add(block)
  }
}
