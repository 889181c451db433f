import { CopyWriter } from '../platform/db/copy-writer.ts'
import type { HeightRange } from '../platform/ranges.ts'
import type { FetchedBlock } from '../access/messages.ts'
import { rawTables } from './raw-tables.ts'
import type { RawTable } from './raw-tables.ts'
import type { EventShape } from '../flow/event-shape.ts'
import type { KnownScript, ScriptCache, KnownShape, ShapeCache } from './caches.ts'

/** An input that could not be decoded: kept with its bytes while the rest of its block goes on. */
export interface UndecodedInput {
  readonly blockHeight: number
  /** -1 where it concerns the block. */
  readonly txIndex: number
  /** -1 where it concerns the transaction. */
  readonly eventIndex: number
  readonly code: string
  readonly message: string
  readonly eventType: string | undefined
  readonly rawData: Buffer
}

/** What no node can serve of a block; a row of `raw.unavailable`. */
export interface UnavailablePart {
  readonly blockHeight: number
  readonly part: string
  /** -1 where it concerns the block. */
  readonly txIndex: number
  readonly reason: string
  readonly endpoint: string
}

/** What is counted of a block. */
export interface BlockCounts {
  readonly txCount: number
  readonly eventCount: number
  /** Bytes that were received for it. */
  readonly byteLength: number
}

/** Where a block begins in the rows of each table and in the lists. */
interface BlockStart extends Record<RawTable, number> {
  readonly height: number
  readonly undecoded: number
  readonly unavailable: number
  readonly unnumbered: number
}

/** An event in the rows whose shape the database has not given a number yet. */
interface Unnumbered {
  readonly shape: KnownShape
  /** Where the field of its row begins, and its place in it. */
  readonly start: number
  readonly place: number
}

/**
 * Blocks as COPY rows, ready to be sent, and the few rows that are inserted. Blocks come in the order of heights,
 * rising or falling, and each is added whole or not at all:
 *
 *     between blocks ──beginBlock──► in a block ──endBlock or dropBlock──► between blocks
 */
export class Batch {
  readonly rows: Readonly<Record<RawTable, CopyWriter>> = {
    blocks: new CopyWriter(8 * 1024),
    transactions: new CopyWriter(256 * 1024),
    event_chunks: new CopyWriter(1024 * 1024),
    tx_lookup: new CopyWriter(64 * 1024),
    block_lookup: new CopyWriter(8 * 1024),
  }
  /** Scripts that the database may not have; one of a dropped block does no harm. */
  readonly newScripts = new Set<KnownScript>()
  readonly undecoded: UndecodedInput[] = []
  readonly unavailable: UnavailablePart[] = []
  readonly #unnumbered: Unnumbered[] = []
  /** The blocks themselves, where somebody wants them after the commit. */
  readonly fetched: FetchedBlock[] = []
  readonly #scripts: ScriptCache
  readonly #shapes: ShapeCache
  readonly #blocks: BlockStart[] = []
  #txCount = 0
  #eventCount = 0
  #byteLength = 0

  constructor(scripts: ScriptCache, shapes: ShapeCache) {
    this.#scripts = scripts
    this.#shapes = shapes
  }

  get blockCount(): number {
    return this.#blocks.length
  }

  get txCount(): number {
    return this.#txCount
  }

  get eventCount(): number {
    return this.#eventCount
  }

  /** Bytes that were received for its blocks. */
  get byteLength(): number {
    return this.#byteLength
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0
  }

  /** The heights, half open. A batch holds every height of it. */
  get range(): HeightRange {
    const first = this.#blocks[0]?.height ?? 0
    const last = this.#blocks.at(-1)?.height ?? -1
    return { from: Math.min(first, last), to: Math.max(first, last) + 1 }
  }

  /** Bytes of its rows. */
  get rowBytes(): number {
    return rawTables.reduce((sum, table) => sum + this.rows[table].out.position, 0)
  }

  /** Bytes of memory that it keeps for its rows, filled or not. */
  get capacity(): number {
    return rawTables.reduce((sum, table) => sum + this.rows[table].out.bytes.length, 0)
  }

  /** Whether a block of this height can be the next: the first, or one that goes on in the direction of the others. */
  continuesWith(height: number): boolean {
    const last = this.#blocks.at(-1)?.height
    if (last === undefined) return true
    const step = this.blockCount === 1 ? Math.abs(height - last) : (height - last) * (this.#isAscending ? 1 : -1)
    return step === 1
  }

  /** From now on rows are of this block. */
  beginBlock(height: number): void {
    const { blocks, transactions, event_chunks, tx_lookup, block_lookup } = this.rows
    this.#blocks.push({
      height,
      undecoded: this.undecoded.length,
      unavailable: this.unavailable.length,
      unnumbered: this.#unnumbered.length,
      blocks: blocks.out.position,
      transactions: transactions.out.position,
      event_chunks: event_chunks.out.position,
      tx_lookup: tx_lookup.out.position,
      block_lookup: block_lookup.out.position,
    })
  }

  /** The block is whole. */
  endBlock({ txCount, eventCount, byteLength }: BlockCounts): void {
    this.#txCount += txCount
    this.#eventCount += eventCount
    this.#byteLength += byteLength
  }

  /** Takes back the rows of the block that was begun last and did not become whole. */
  dropBlock(): void {
    const start = this.#blocks.pop()
    if (start === undefined) return
    for (const table of rawTables) this.rows[table].out.position = start[table]
    this.undecoded.length = start.undecoded
    this.unavailable.length = start.unavailable
    this.#unnumbered.length = start.unnumbered
  }

  /** What is known of a script, which is stored with the batch if the database may not have it. */
  addScript(script: Buffer): KnownScript {
    const known = this.#scripts.find(script)
    if (!known.isStored) this.newScripts.add(known)
    return known
  }

  /** Ends a row of events with their shapes, those that have no number yet to be filled in by `numberShapes`. */
  addShapes(shapes: readonly EventShape[]): void {
    const rows = this.rows.event_chunks
    const start = rows.out.position
    const known = shapes.map((shape) => this.#shapes.find(shape))
    rows.int4Array(known.map(({ id }) => id ?? 0))
    for (const [place, shape] of known.entries()) {
      if (shape.id === undefined) this.#unnumbered.push({ shape, start, place })
    }
  }

  /** Shapes that the database has to number before the rows are sent. */
  get newShapes(): ReadonlySet<KnownShape> {
    return new Set(this.#unnumbered.map(({ shape }) => shape))
  }

  /** Fills in the numbers of the new shapes, which they have by now. */
  numberShapes(): void {
    for (const { shape, start, place } of this.#unnumbered) {
      if (shape.id === undefined) throw new Error(`no number for events of the type ${shape.shape.type}`)
      this.rows.event_chunks.overwriteInt4Element(start, place, shape.id)
    }
    this.#unnumbered.length = 0
  }

  /**
   * The rows of a table with heights rising, whichever way the blocks came: a B-tree fills its pages better then, and
   * writes less WAL. Views, valid until the next block is begun.
   */
  rowsOf(table: RawTable): Buffer[] {
    const { out } = this.rows[table]
    if (this.#isAscending) return [out.view()]
    const starts = this.#blocks.map((block) => block[table])
    return starts.map((from, i) => out.bytes.subarray(from, starts[i + 1] ?? out.position)).toReversed()
  }

  /** Forgets the blocks and keeps the memory, for reuse from batch to batch. */
  clear(): void {
    for (const table of rawTables) this.rows[table].clear()
    this.newScripts.clear()
    this.undecoded.length = 0
    this.unavailable.length = 0
    this.#unnumbered.length = 0
    this.fetched.length = 0
    this.#blocks.length = 0
    this.#txCount = this.#eventCount = this.#byteLength = 0
  }

  get #isAscending(): boolean {
    return (this.#blocks.at(-1)?.height ?? 0) >= (this.#blocks[0]?.height ?? 0)
  }
}
