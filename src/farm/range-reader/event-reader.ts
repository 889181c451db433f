import type pg from 'pg'
import { heightsPerPiece } from '../../../jobs/tx-contracts-worker.ts'
import type { EventDerivation } from '../../../jobs/worker.ts'
import type { DecodedBlock, PlacedEvent } from '../../flow/decoded-block.ts'
import { fieldsOf } from '../../flow/event-shape.ts'
import type { EventShape, StoredShape } from '../../flow/event-shape.ts'
import type { PayloadValue } from '../../flow/payload-value.ts'
import { asDatabaseError } from '../../platform/db/errors.ts'
import type { HeightRange } from '../../platform/ranges.ts'
import { versionQuery } from '../leases/chain-version.ts'
import { decodedFactor, eventBytes, usualEventBytes } from './stored-blocks.ts'

export interface EventBatch extends HeightRange {
  /** In chain order. Without undecodable ones, which ingestion has recorded. */
  readonly events: readonly PlacedEvent[]
  /** A commit requires it. */
  readonly chainVersion: number
}

/** Examined at a time: 10,000 heights. */
const maxPieces = 100
const defaultBytes = 4 * 1024 * 1024

interface IndexRow {
  readonly version: string
  readonly types: string[]
  readonly pieces: string[]
}

type BlockRow = readonly [height: number, events: number]

type EventRow = readonly [
  height: number,
  txIndex: number,
  index: number,
  shape: number,
  payload: string,
  transactionId: Buffer,
  timestampUs: string,
]

// LIMIT makes the planner read each type's pieces from the index. The version is read first: a
// rollback after this statement makes the commit fail.
const indexQuery = `
  with types as materialized (
    select type from app.event_types
    where type >= $3 and type < $4 and ($5::text[] is null or type = any ($5::text[]))
  )
  select coalesce((${versionQuery}), 0) as version, array(select type from types) as types, array(
    select distinct p.piece from types t cross join lateral (
      select piece from app.event_type_pieces
      where type = t.type and piece >= $1::bigint / ${heightsPerPiece}
        and piece <= ($2::bigint - 1) / ${heightsPerPiece}
      order by piece limit ${maxPieces + 1}
    ) p
    order by p.piece limit ${maxPieces + 1}
  ) as pieces`

const blocksQuery = `
  select b.block_height::float8, (
    select sum(t.event_count) from unnest(b.types, b.event_counts) as t (type, event_count)
    where t.type = any ($3::text[])
  )::float8
  from unnest($4::bigint[]) as p (piece) cross join lateral (
    select * from app.block_event_types
    where block_height >= p.piece * ${heightsPerPiece} and block_height < (p.piece + 1) * ${heightsPerPiece}
      and block_height >= $1 and block_height < $2 and types && $3::text[]
    limit ${heightsPerPiece}
  ) b
  order by b.block_height`

const shapesQuery = 'select id, type, fields from raw.event_shapes where type = any ($1::text[])'

const eventsQuery = `
  select c.block_height::float8, c.tx_index, c.first_event_index + e.place::integer - 1, e.shape, e.payload::text, t.id,
    (extract(epoch from b.timestamp) * 1000000)::int8
  from raw.event_chunks c
  join raw.transactions t on t.block_height = c.block_height and t.tx_index = c.tx_index
  join raw.blocks b on b.height = c.block_height
  cross join lateral unnest(c.shapes, c.payloads) with ordinality as e (shape, payload, place)
  where c.block_height = any ($1::bigint[]) and t.block_height = any ($1::bigint[]) and b.height = any ($1::bigint[])
    and c.shapes && $2::int4[] and e.shape = any ($2::int4[]) and e.payload is not null
  order by 1, 2, 3`

/**
 * Reads the events of one contract by the index that tx_contracts_worker writes, which must cover
 * the heights. A range without such events costs one statement. Nothing is cached: the next read may
 * be of another fork or a restored database.
 */
export class EventReader {
  readonly #pool: pg.Pool
  readonly #derivation: EventDerivation
  readonly #maxBytes: number
  /** Estimate: rises at once, falls slowly. */
  #eventBytes = usualEventBytes

  /** @param maxBytes limit of a batch, except for one larger block. Default 4 MiB. */
  constructor(pool: pg.Pool, derivation: EventDerivation, maxBytes = defaultBytes) {
    this.#pool = pool
    this.#derivation = derivation
    this.#maxBytes = maxBytes
  }

  /** From `from` to at most `to`, exclusive. Statements are unnamed: planned for their partitions. */
  async read(from: number, to: number): Promise<EventBatch> {
    try {
      const { contract, types: chosen, startHeight } = this.#derivation
      const low = Math.max(from, startHeight)
      // "/" follows "." in byte order.
      const index = await this.#pool.query<IndexRow>(indexQuery, [low, to, `${contract}.`, `${contract}/`, chosen])
      const { version, types, pieces } = index.rows[0] as IndexRow
      const chainVersion = Number(version)
      const next = pieces[maxPieces]
      let end = next === undefined ? to : Number(next) * heightsPerPiece
      if (pieces.length === 0 || low >= to) return { from, to: end, events: [], chainVersion }
      const [blocks, shapes] = await Promise.all([
        this.#ask<BlockRow>(blocksQuery, [low, end, types, pieces.slice(0, maxPieces)]),
        this.#pool.query<StoredShape>(shapesQuery, [types]),
      ])
      const count = this.#affordable(blocks)
      end = blocks[count]?.[0] ?? end
      const heights = blocks.slice(0, count).map(([height]) => height)
      const rows =
        heights.length === 0 ? [] : await this.#ask<EventRow>(eventsQuery, [heights, shapes.rows.map(({ id }) => id)])
      this.#weigh(rows)
      const byId = new Map<number, EventShape>(shapes.rows.map((shape) => [shape.id, shape]))
      return { from, to: end, events: rows.map((row) => placedEvent(row, byId)), chainVersion }
    } catch (error) {
      throw asDatabaseError(error)
    }
  }

  async #ask<Row extends readonly unknown[]>(text: string, values: unknown[]): Promise<Row[]> {
    return (await this.#pool.query<Row & unknown[]>({ text, values, rowMode: 'array' })).rows
  }

  /** Number of blocks, at least one. */
  #affordable(blocks: readonly BlockRow[]): number {
    let bytes = 0
    const tooMuch = blocks.findIndex(([, events]) => (bytes += events * this.#eventBytes) > this.#maxBytes)
    return tooMuch === -1 ? blocks.length : Math.max(1, tooMuch)
  }

  #weigh(rows: readonly EventRow[]): void {
    if (rows.length === 0) return
    const bytes = rows.reduce((sum, [, , , , payload]) => sum + eventBytes + payload.length * decodedFactor, 0)
    this.#eventBytes = Math.max(bytes / rows.length, this.#eventBytes / 2)
  }
}

function placedEvent(row: EventRow, shapes: ReadonlyMap<number, EventShape>): PlacedEvent {
  const [height, txIndex, index, id, payload, transactionId, timestampUs] = row
  const shape = shapes.get(id) as EventShape
  const fields = fieldsOf(shape, JSON.parse(payload) as PayloadValue[])
  return { height, timestampUs: Number(timestampUs), txIndex, transactionId, index, type: shape.type, fields }
}

/** The same events, from decoded blocks. */
export function eventsOfBlocks(
  { contract, types, startHeight }: EventDerivation,
  blocks: readonly DecodedBlock[],
): PlacedEvent[] {
  const events: PlacedEvent[] = []
  for (const { height, timestampUs, transactions } of blocks) {
    if (height < startHeight) continue
    for (const { index: txIndex, id: transactionId, events: all } of transactions) {
      for (const { type, index, fields } of all) {
        const isOfContract = type.startsWith(`${contract}.`) && (types?.includes(type) ?? true)
        if (isOfContract && fields !== undefined)
          events.push({ height, timestampUs, txIndex, transactionId, index, type, fields })
      }
    }
  }
  return events
}
