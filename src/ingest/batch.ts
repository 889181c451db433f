import { CopyWriter } from '../db/copy/copy-writer.ts'
import type { HeightRange } from '../base/ranges.ts'
import type { FetchedBlock } from '../access/messages.ts'

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

export interface ScriptRow {
  readonly hash: Buffer
  readonly script: Buffer
}

/** Blocks as COPY rows, ready to be sent: one writer for each raw table, and the few rows that are inserted. */
export class Batch {
  readonly blocks = new CopyWriter(8 * 1024)
  readonly transactions = new CopyWriter(256 * 1024)
  readonly events = new CopyWriter(1024 * 1024)
  readonly txLookup = new CopyWriter(64 * 1024)
  readonly blockLookup = new CopyWriter(8 * 1024)
  /** Scripts that the database may not have, by hash. */
  readonly scripts = new Map<string, ScriptRow>()
  readonly #knownScripts: ReadonlySet<string>
  readonly undecoded: UndecodedInput[] = []
  readonly unavailable: UnavailablePart[] = []
  /** The blocks themselves, where somebody wants them after the commit. */
  readonly fetched: FetchedBlock[] = []
  /** Lowest and highest height so far. */
  lowest = Number.POSITIVE_INFINITY
  highest = Number.NEGATIVE_INFINITY
  blockCount = 0
  txCount = 0
  eventCount = 0
  /** Bytes that were received for it. */
  byteLength = 0

  /** @param knownScripts hashes (latin1) of scripts that the database has for certain */
  constructor(knownScripts: ReadonlySet<string>) {
    this.#knownScripts = knownScripts
  }

  /** Remembers a script for storing. The bytes are copied: they are a view that would keep a whole answer in memory. */
  addScript(hash: Buffer, script: Buffer): void {
    const key = hash.toString('latin1')
    if (!this.#knownScripts.has(key) && !this.scripts.has(key)) this.scripts.set(key, { hash, script: Buffer.from(script) })
  }

  get isEmpty(): boolean {
    return this.blockCount === 0
  }

  /** The heights, half open. A batch holds every height of it. */
  get range(): HeightRange {
    return { from: this.lowest, to: this.highest + 1 }
  }

  /** Forgets the rows and keeps the buffers, so that memory is reused from batch to batch. */
  clear(): void {
    for (const writer of [this.blocks, this.transactions, this.events, this.txLookup, this.blockLookup]) writer.clear()
    this.scripts.clear()
    this.undecoded.length = 0
    this.unavailable.length = 0
    this.fetched.length = 0
    this.lowest = Number.POSITIVE_INFINITY
    this.highest = Number.NEGATIVE_INFINITY
    this.blockCount = this.txCount = this.eventCount = this.byteLength = 0
  }
}
