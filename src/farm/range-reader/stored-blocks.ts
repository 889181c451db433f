import type pg from 'pg'
import { RetryableError } from '../../base/errors.ts'
import type { HeightRange } from '../../base/ranges.ts'
import type { DecodedBlock, DecodedEvent, DecodedTransaction } from '../../chain/decoded-block.ts'
import type { PayloadFields } from '../../chain/payload-value.ts'
import { asDatabaseError } from '../../db/errors.ts'
import type { WeighedBlock } from './block-cache.ts'
import type { ScriptTexts } from './script-texts.ts'

/** Height above the first of the range, id, microseconds. */
type BlockRow = readonly [number, Buffer, string]
type TransactionRow = readonly [
  offset: number, index: number, id: Buffer, isSystem: boolean, payer: string | null, proposer: string | null, authorizers: string[],
  scriptHash: Buffer, statusCode: number | null, isEvm: boolean, gasUsed: string | null,
]
type EventRow = readonly [offset: number, txIndex: number, index: number, type: string, payload: string | null]

/** What an event and a transaction weigh besides their texts, and how much more a payload weighs when it is decoded. */
const eventBytes = 250
const transactionBytes = 700
const decodedFactor = 4

const blocksQuery = `
  select (height - $1)::int4, id, (extract(epoch from timestamp) * 1000000)::int8
  from raw.blocks where height >= $1 and height < $2 order by height`

// A transaction is the chain's own when it is in no collection; not every node names collections, but those are not signed.
const transactionsQuery = `
  select (block_height - $1)::int4, tx_index, id, collection_index is null and signatures is null, payer_address, proposer_address, authorizers,
    script_hash, status_code, is_evm, gas_used
  from raw.transactions where block_height >= $1 and block_height < $2 order by block_height, tx_index`

const eventsQuery = `
  select (block_height - $1)::int4, tx_index, event_index, type, payload::text
  from raw.events where block_height >= $1 and block_height < $2 order by block_height, tx_index, event_index`

/**
 * Reads a range from the raw tables: three queries side by side, by primary key, unnamed so that each is planned for the
 * partitions of its range.
 * @throws RetryableError `range-not-stored` where a block is missing
 */
export async function readStoredBlocks(pool: pg.Pool, scripts: ScriptTexts, range: HeightRange): Promise<WeighedBlock[]> {
  const values = [range.from, range.to]
  const ask = async <Row extends readonly unknown[]>(text: string): Promise<Row[]> => {
    const { rows } = await pool.query<Row & unknown[]>({ text, values, rowMode: 'array' })
    return rows
  }
  try {
    const [blocks, transactions, events] = await Promise.all([
      ask<BlockRow>(blocksQuery), ask<TransactionRow>(transactionsQuery), ask<EventRow>(eventsQuery),
    ])
    if (blocks.length !== range.to - range.from) {
      throw new RetryableError('range-not-stored', `of the heights ${range.from} to ${range.to - 1} only ${blocks.length} are stored`)
    }
    const texts = await scripts.read(transactions.map((row) => row[7]))
    return assemble(range.from, blocks, transactions, events, texts)
  } catch (error) {
    throw asDatabaseError(error)
  }
}

/** All three lists are in the order of the chain, so one pass over each puts them together. */
function assemble(
  from: number, blocks: readonly BlockRow[], transactions: readonly TransactionRow[], events: readonly EventRow[], texts: ReadonlyMap<string, string>,
): WeighedBlock[] {
  let nextTransaction = 0
  let nextEvent = 0
  return blocks.map(([offset, id, timestampUs]) => {
    let bytes = 0
    const ofBlock: DecodedTransaction[] = []
    for (; transactions[nextTransaction]?.[0] === offset; nextTransaction++) {
      const row = transactions[nextTransaction] as TransactionRow
      const ofTransaction: DecodedEvent[] = []
      for (; events[nextEvent]?.[0] === offset && events[nextEvent]?.[1] === row[1]; nextEvent++) {
        const [, , index, type, payload] = events[nextEvent] as EventRow
        ofTransaction.push(new StoredEvent(type, index, payload))
        bytes += eventBytes + (payload?.length ?? 0) * decodedFactor
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
    index, id, isSystem, payer: payer ?? undefined, proposer: proposer ?? undefined, authorizers, scriptHash, script,
    statusCode: statusCode ?? undefined, isEvm, gasUsed: gasUsed === null ? undefined : BigInt(gasUsed), events,
  }
}

class StoredEvent implements DecodedEvent {
  readonly type: string
  readonly index: number
  #payload: string | null
  #fields: PayloadFields | undefined

  constructor(type: string, index: number, payload: string | null) {
    this.type = type
    this.index = index
    this.#payload = payload
  }

  get fields(): PayloadFields | undefined {
    if (this.#payload !== null) {
      this.#fields = JSON.parse(this.#payload) as PayloadFields
      this.#payload = null
    }
    return this.#fields
  }
}
