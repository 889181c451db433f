import { CopyWriter } from '../platform/db/copy-writer.ts'
import type { HeightRange } from '../platform/ranges.ts'
import type { FetchedBlock } from '../access/messages.ts'
import { rawTables } from './raw-tables.ts'
import type { RawTable } from './raw-tables.ts'
import type { EventShape } from '../flow/event-shape.ts'
import type { KnownScript, ScriptCache, KnownShape, ShapeCache } from './caches.ts'

/** Stored unchanged while the rest of its block proceeds. */
export interface UndecodedInput {
  readonly blockHeight: number
  /** -1 if it concerns the block. */
  readonly txIndex: number
  /** -1 if it concerns the transaction. */
  readonly eventIndex: number
  readonly code: string
  readonly message: string
  readonly eventType: string | undefined
  readonly rawData: Buffer
}

export interface UnavailablePart {
  readonly blockHeight: number
  readonly part: string
  /** -1 if it concerns the block. */
  readonly txIndex: number
  readonly reason: string
  readonly endpoint: string
}

export interface BlockCounts {
  readonly txCount: number
  readonly eventCount: number
  readonly byteLength: number
}

/** Start of a block in the rows of each table and in the lists. */
interface BlockStart extends Record<RawTable, number> {
  readonly height: number
  readonly undecoded: number
  readonly unavailable: number
  readonly unnumbered: number
}

interface Unnumbered {
  readonly shape: KnownShape
  /** Position of the row's field and index in it. */
  readonly start: number
  readonly place: number
}

/**
 * Blocks as COPY rows, in ascending or descending order, each completely or not at all:
 * `beginBlock`, then `endBlock` or `dropBlock`.
 */
export class Batch {
  readonly rows: Readonly<Record<RawTable, CopyWriter>> = {
    blocks: new CopyWriter(8 * 1024),
    transactions: new CopyWriter(256 * 1024),
    event_chunks: new CopyWriter(1024 * 1024),
    tx_lookup: new CopyWriter(64 * 1024),
    block_lookup: new CopyWriter(8 * 1024),
  }
  /** May be missing in the database. Scripts of a dropped block are harmless. */
  readonly newScripts = new Set<KnownScript>()
  readonly undecoded: UndecodedInput[] = []
  readonly unavailable: UnavailablePart[] = []
  readonly #unnumbered: Unnumbered[] = []
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

  get byteLength(): number {
    return this.#byteLength
  }

  get isEmpty(): boolean {
    return this.#blocks.length === 0
  }

  /** Half open; the batch holds every height of it. */
  get range(): HeightRange {
    const first = this.#blocks[0]?.height ?? 0
    const last = this.#blocks.at(-1)?.height ?? -1
    return { from: Math.min(first, last), to: Math.max(first, last) + 1 }
  }

  get rowBytes(): number {
    return rawTables.reduce((sum, table) => sum + this.rows[table].out.position, 0)
  }

  get capacity(): number {
    return rawTables.reduce((sum, table) => sum + this.rows[table].out.bytes.length, 0)
  }

  /** The first height, or the next in the same direction. */
  continuesWith(height: number): boolean {
    const last = this.#blocks.at(-1)?.height
    if (last === undefined) return true
    const step = this.blockCount === 1 ? Math.abs(height - last) : (height - last) * (this.#isAscending ? 1 : -1)
    return step === 1
  }

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

  endBlock({ txCount, eventCount, byteLength }: BlockCounts): void {
    this.#txCount += txCount
    this.#eventCount += eventCount
    this.#byteLength += byteLength
  }

  dropBlock(): void {
    const start = this.#blocks.pop()
    if (start === undefined) return
    for (const table of rawTables) this.rows[table].out.position = start[table]
    this.undecoded.length = start.undecoded
    this.unavailable.length = start.unavailable
    this.#unnumbered.length = start.unnumbered
  }

  /** Unless the database has it. */
  addScript(script: Buffer): KnownScript {
    const known = this.#scripts.find(script)
    if (!known.isStored) this.newScripts.add(known)
    return known
  }

  /** `numberShapes` fills in missing shape ids. */
  addShapes(shapes: readonly EventShape[]): void {
    const rows = this.rows.event_chunks
    const start = rows.out.position
    const ids: number[] = []
    for (const shape of shapes) {
      const known = this.#shapes.find(shape)
      if (known.id === undefined) this.#unnumbered.push({ shape: known, start, place: ids.length })
      ids.push(known.id ?? 0)
    }
    rows.int4Array(ids)
  }

  /** Shapes that need ids before the rows are sent. */
  get newShapes(): ReadonlySet<KnownShape> {
    return new Set(this.#unnumbered.map(({ shape }) => shape))
  }

  numberShapes(): void {
    for (const { shape, start, place } of this.#unnumbered) {
      if (shape.id === undefined) throw new Error(`no id for events of type ${shape.shape.type}`)
      this.rows.event_chunks.overwriteInt4Element(start, place, shape.id)
    }
    this.#unnumbered.length = 0
  }

  /**
   * In ascending order of height: fills B-tree pages better and writes less WAL. Views, valid until
   * the next block begins.
   */
  rowsOf(table: RawTable): Buffer[] {
    const { out } = this.rows[table]
    if (this.#isAscending) return [out.view()]
    const starts = this.#blocks.map((block) => block[table])
    return starts.map((from, i) => out.bytes.subarray(from, starts[i + 1] ?? out.position)).toReversed()
  }

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
