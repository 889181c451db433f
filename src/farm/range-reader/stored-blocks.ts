import type pg from 'pg'
import type { DecodedBlock, DecodedEvent, DecodedTransaction, WeighedBlock } from '../../flow/decoded-block.ts'
import { eventsOfChunk, EventShapes } from '../../flow/event-shape.ts'
import type { EventShape, StoredShape } from '../../flow/event-shape.ts'
import { databaseIdentity } from '../../platform/db/pool.ts'
import { asDatabaseError } from '../../platform/db/errors.ts'
import { clearKnownPartitions } from '../../platform/db/partitions.ts'
import { RetryableError } from '../../platform/errors.ts'
import type { HeightRange } from '../../platform/ranges.ts'
import { versionQuery } from '../leases/chain-version.ts'

/**
 * Height offset in the range, id, microseconds, transactions, events, chain version, database
 * identity.
 */
type BlockRow = readonly [
  offset: number,
  id: Buffer,
  timestampUs: string,
  transactions: number,
  events: number,
  chainVersion: string,
  database: string,
]
type TransactionRow = readonly [
  offset: number,
  index: number,
  id: Buffer,
  isSystem: boolean,
  payer: string | null,
  proposer: string | null,
  authorizers: string[],
  scriptHash: Buffer,
  statusCode: number | null,
  isEvm: boolean,
  gasUsed: string | null,
]
type ChunkRow = readonly [offset: number, txIndex: number, firstEventIndex: number, shapes: string, payloads: string]

export interface StoredPiece {
  readonly from: number
  readonly blocks: readonly WeighedBlock[]
  readonly chainVersion: number
}

/** Memory besides the texts, and the expansion of a payload by decoding. */
export const eventBytes = 250
const transactionBytes = 700
export const decodedFactor = 4

const maxBytes = 32 * 1024 * 1024

export const usualEventBytes = 2000

// The version is read with the blocks: a rollback after this statement makes the commit fail.
const blocksQuery = `
  select (height - $1)::int4, id, (extract(epoch from timestamp) * 1000000)::int8, tx_count, event_count,
    coalesce((${versionQuery}), 0), (${databaseIdentity})
  from raw.blocks where height >= $1 and height < $2 order by height`

// System transactions are in no collection. Some nodes report no collections at all; system
// transactions are unsigned.
const transactionsQuery = `
  select (block_height - $1)::int4, tx_index, id, collection_index is null and signatures is null, payer_address,
    proposer_address, authorizers,
    script_hash, status_code, is_evm, gas_used
  from raw.transactions where block_height >= $1 and block_height < $2 order by block_height, tx_index`

// Arrays of JSON are faster as text.
const chunksQuery = `
  select (block_height - $1)::int4, tx_index, first_event_index, array_to_json(shapes)::text,
    array_to_json(payloads)::text
  from raw.event_chunks where block_height >= $1 and block_height < $2 order by block_height, tx_index,
    first_event_index`

export class StoredBlocks {
  readonly #pool: pg.Pool
  #scripts: ScriptTexts
  #shapes: EventShapes
  #database: string | undefined
  /** Estimate of an event's bytes: rises at once, falls slowly. */
  #eventBytes = usualEventBytes

  constructor(pool: pg.Pool) {
    this.#pool = pool
    this.#scripts = new ScriptTexts(pool)
    this.#shapes = new EventShapes((ids) => readShapes(pool, ids))
  }

  /**
   * At least one block, within the estimated bytes. Statements are unnamed, so that each is planned
   * for the partitions of its range.
   *
   * @throws RetryableError `range-not-stored`
   */
  async read({ from, to }: HeightRange): Promise<StoredPiece> {
    try {
      const all = await this.#ask<BlockRow>(blocksQuery, from, to)
      if (all.length !== to - from) {
        throw new RetryableError(
          'range-not-stored',
          `Could not read heights ${from} to ${to - 1}: only ${all.length} are stored`,
        )
      }
      this.#checkDatabase(all[0]?.[6])
      const blocks = all.slice(0, this.#affordable(all))
      const end = from + blocks.length
      const [transactions, chunks] = await Promise.all([
        blocks.some((row) => row[3] > 0) ? this.#ask<TransactionRow>(transactionsQuery, from, end) : [],
        blocks.some((row) => row[4] > 0) ? this.#ask<ChunkRow>(chunksQuery, from, end) : [],
      ])
      const texts = await this.#scripts.read(transactions.map((row) => row[7]))
      const shapes = await this.#shapes.ofAll(chunks.map((row) => JSON.parse(row[3]) as number[]))
      const assembled = assemble(from, blocks, transactions, chunks, { texts, shapes })
      const eventCount = blocks.reduce((sum, row) => sum + row[4], 0)
      const weight = assembled.reduce((sum, { bytes }) => sum + bytes, 0) - transactions.length * transactionBytes
      if (eventCount > 0) this.#eventBytes = Math.max(weight / eventCount, this.#eventBytes / 2)
      return { from, blocks: assembled, chainVersion: Number(all[0]?.[5]) }
    } catch (error) {
      throw asDatabaseError(error)
    }
  }

  #checkDatabase(database: string | undefined): void {
    if (this.#database !== undefined && database !== this.#database) {
      this.#scripts = new ScriptTexts(this.#pool)
      this.#shapes = new EventShapes((ids) => readShapes(this.#pool, ids))
      clearKnownPartitions(this.#pool)
    }
    this.#database = database
  }

  async #ask<Row extends readonly unknown[]>(text: string, from: number, to: number): Promise<Row[]> {
    const { rows } = await this.#pool.query<Row & unknown[]>({ text, values: [from, to], rowMode: 'array' })
    return rows
  }

  #affordable(blocks: readonly BlockRow[]): number {
    let bytes = 0
    const tooMuch = blocks.findIndex(([, , , transactions, events]) => {
      bytes += transactions * transactionBytes + events * this.#eventBytes
      return bytes > maxBytes
    })
    return tooMuch === -1 ? blocks.length : Math.max(1, tooMuch)
  }
}

async function readShapes(pool: pg.Pool, ids: readonly number[]): Promise<readonly StoredShape[]> {
  const { rows } = await pool.query<StoredShape>({
    name: 'farm-event-shapes',
    text: 'select id, type, fields from raw.event_shapes where id = any ($1::int4[])',
    values: [ids],
  })
  return rows
}

interface Named {
  readonly texts: ReadonlyMap<string, string>
  readonly shapes: readonly (readonly EventShape[])[]
}

function assemble(
  from: number,
  blocks: readonly BlockRow[],
  transactions: readonly TransactionRow[],
  chunks: readonly ChunkRow[],
  { texts, shapes }: Named,
): WeighedBlock[] {
  let nextTransaction = 0
  let nextChunk = 0
  return blocks.map(([offset, id, timestampUs]) => {
    let bytes = 0
    const ofBlock: DecodedTransaction[] = []
    for (; transactions[nextTransaction]?.[0] === offset; nextTransaction++) {
      const row = transactions[nextTransaction] as TransactionRow
      const ofTransaction: DecodedEvent[] = []
      for (; chunks[nextChunk]?.[0] === offset && chunks[nextChunk]?.[1] === row[1]; nextChunk++) {
        const [, , firstEventIndex, , payloads] = chunks[nextChunk] as ChunkRow
        const ofChunk = eventsOfChunk({ firstEventIndex, shapes: shapes[nextChunk] ?? [], payloads })
        ofTransaction.push(...ofChunk)
        bytes += ofChunk.length * eventBytes + payloads.length * decodedFactor
      }
      ofBlock.push(storedTransaction(row, texts.get(row[7].toString('latin1')) as string, ofTransaction))
      bytes += transactionBytes
    }
    const block: DecodedBlock = { height: from + offset, id, timestampUs: Number(timestampUs), transactions: ofBlock }
    return { block, bytes }
  })
}

function storedTransaction(row: TransactionRow, script: string, events: readonly DecodedEvent[]): DecodedTransaction {
  const [, index, id, isSystem, payer, proposer, authorizers, scriptHash, statusCode, isEvm, gasUsed] = row
  return {
    index,
    id,
    isSystem,
    payer: payer ?? undefined,
    proposer: proposer ?? undefined,
    authorizers,
    scriptHash,
    script,
    statusCode: statusCode ?? undefined,
    isEvm,
    gasUsed: gasUsed === null ? undefined : BigInt(gasUsed),
    events,
  }
}

/** A few thousand scripts make up nearly all transactions. */
const maxCharacters = 16 * 1024 * 1024

class ScriptTexts {
  readonly #pool: pg.Pool
  readonly #texts = new Map<string, string>()
  #characters = 0

  constructor(pool: pg.Pool) {
    this.#pool = pool
  }

  /** Texts by hash (latin1). @throws RetryableError if one is not stored */
  async read(hashes: readonly Buffer[]): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>()
    const missing = new Map<string, Buffer>()
    for (const hash of hashes) {
      const key = hash.toString('latin1')
      const text = this.#texts.get(key)
      if (text === undefined) missing.set(key, hash)
      else found.set(key, text)
    }
    if (missing.size === 0) return found
    const { rows } = await this.#pool.query<{ script_hash: Buffer; script_text: string }>({
      name: 'farm-script-texts',
      text: 'select script_hash, script_text from raw.scripts where script_hash = any ($1::bytea[])',
      values: [[...missing.values()]],
    })
    if (rows.length < missing.size)
      throw new RetryableError(
        'script-not-stored',
        `Could not read scripts of transactions: ${missing.size - rows.length} are not stored`,
      )
    for (const { script_hash: hash, script_text: text } of rows) {
      const key = hash.toString('latin1')
      found.set(key, text)
      this.#keep(key, text)
    }
    return found
  }

  #keep(key: string, text: string): void {
    // A full cache is cleared, which costs some reads.
    if (this.#characters + text.length > maxCharacters) {
      this.#texts.clear()
      this.#characters = 0
    }
    this.#texts.set(key, text)
    this.#characters += text.length
  }
}
