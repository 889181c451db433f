import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import type { PayloadValue } from '../../chain/payload-value.ts'
import type { Bounds } from '../paging/bounds.ts'
import { newestEventFirst, readEventPage, withinEvents } from '../paging/event-pages.ts'
import type { EventKey, EventSpan } from '../paging/event-pages.ts'
import { derivedEvmRow } from '../presenters/evm-transaction.ts'
import type { EvmTransactionRow } from '../presenters/evm-transaction.ts'
import { chunkStartOf, eventColumns, fieldsOfEvents, singleEvent } from './event-chunks.ts'

const storedRow = derivedEvmRow.extend(singleEvent)
const placeRow = z.object({ block_height: z.number(), tx_index: z.number(), event_index: z.number() })
/** The event of an EVM transaction. */
export type EvmPlace = z.output<typeof placeRow>

/** Which transactions; what is undefined does not matter. */
export interface EvmTransactionSelection {
  /** Sent or received: 40 hex digits. */
  readonly address?: string | undefined
}

/** Up to `count` transactions of the EVM before a place, the latest first. */
export async function listEvmTransactions(
  database: DatabasePool,
  bounds: Bounds | undefined,
  { address }: EvmTransactionSelection,
  before: EventKey | undefined,
  count: number,
): Promise<readonly EvmTransactionRow[]> {
  const places = await readEventPage(bounds, before, count, (span) =>
    database.any(sql.type(placeRow)`
    ${address === undefined ? selectAny(span) : selectOfAddress(span, address)}
    order by ${newestEventFirst}
    limit ${span.count}
  `),
  )
  return readEvmTransactions(database, places)
}

function selectAny(span: EventSpan): FragmentSqlToken {
  return sql.fragment`select block_height, tx_index, event_index from app.evm_tx_hashes where ${withinEvents(span)}`
}

/** What an address sent and what it received, by an index each; `union` leaves one of what it sent itself. */
function selectOfAddress(span: EventSpan, address: string): FragmentSqlToken {
  const sides = [sql.fragment`evm_from`, sql.fragment`evm_to`].map(
    (side) => sql.fragment`(
    select block_height, tx_index, event_index from app.evm_tx_hashes
    where (${side}, block_height) between (${address}, ${span.low}) and (${address}, ${span.high})
      and ${side} is not null and ${withinEvents(span)}
    order by ${side} desc, ${newestEventFirst}
    limit ${span.count}
  )`,
  )
  return sql.fragment`${sql.join(sides, sql.fragment` union `)}`
}

/**
 * Whole transactions by their places, in the order of these. The heights given as values leave out all partitions but
 * theirs, which a join would not.
 */
export async function readEvmTransactions(
  database: DatabasePool,
  places: readonly EvmPlace[],
): Promise<readonly EvmTransactionRow[]> {
  if (places.length === 0) return []
  const heights = sql.array(
    places.map((place) => place.block_height),
    'int8',
  )
  const rows = await database.any(sql.type(storedRow)`
    select h.block_height, h.tx_index, h.event_index, h.tx_id, h.evm_hash, h.evm_from, h.evm_to,
      h.evm_value::text as evm_value, h.evm_gas_used, h.evm_status, b.timestamp, t.evm_block_height, t.evm_tx_index,
      t.error_code, t.tx_type, t.call_type, t.nonce::text as nonce, t.gas_limit::text as gas_limit,
      t.gas_price::text as gas_price, t.max_fee_per_gas::text as max_fee_per_gas,
      t.max_priority_fee_per_gas::text as max_priority_fee_per_gas, t.contract_address, t.error_message,
      ${eventColumns(sql.fragment`place.event`)},
      exists (
        select from app.evm_token_transfers m
        where m.block_height = h.block_height and m.tx_index = h.tx_index and m.event_index = h.event_index
          and m.block_height = any (${heights})
      ) as moves_tokens
    from unnest(
      ${heights}, ${sql.array(
        places.map((place) => place.tx_index),
        'int4',
      )},
      ${sql.array(
        places.map((place) => place.event_index),
        'int4',
      )}
    ) as place (height, tx, event)
    join app.evm_tx_hashes h on h.block_height = place.height and h.tx_index = place.tx
      and h.event_index = place.event and h.block_height = any (${heights})
    join app.evm_transactions t on t.block_height = place.height and t.tx_index = place.tx
      and t.event_index = place.event and t.block_height = any (${heights})
    join raw.event_chunks c on c.block_height = place.height and c.tx_index = place.tx
      and c.first_event_index = ${chunkStartOf(sql.fragment`place.event`)} and c.block_height = any (${heights})
    join raw.blocks b on b.height = place.height and b.height = any (${heights})
  `)
  const fields = await fieldsOfEvents(database, rows)
  const byPlace = new Map(rows.map((row, i) => [keyOf(row), { ...row, payload: textOf(fields[i]?.['payload']) }]))
  return places.flatMap((place) => byPlace.get(keyOf(place)) ?? [])
}

function keyOf(place: EvmPlace): string {
  return `${place.block_height}:${place.tx_index}:${place.event_index}`
}

/**
 * Where the transaction with this hash is. What was not valid may have been tried again: then that which was run, else the
 * latest.
 * @param hash 64 hex digits
 */
export async function findEvmTransaction(database: DatabasePool, hash: string): Promise<EvmPlace | undefined> {
  const [place] = await database.any(sql.type(placeRow)`
    select block_height, tx_index, event_index from app.evm_tx_hashes
    where evm_hash = ${hash}
    order by evm_status desc, ${newestEventFirst}
    limit 1
  `)
  return place
}

function textOf(value: PayloadValue | undefined): string | null {
  return typeof value === 'string' ? value : null
}

/** The logs of a transaction as its event carries them: hex digits, with `0x` or without. */
export async function readEvmLogs(database: DatabasePool, place: EvmPlace): Promise<string | null> {
  const index = sql.fragment`${place.event_index}::int4`
  const rows = await database.any(sql.type(z.object(singleEvent))`
    select ${eventColumns(index)} from raw.event_chunks c
    where c.block_height = ${place.block_height} and c.tx_index = ${place.tx_index} and c.first_event_index = ${chunkStartOf(index)}
  `)
  const [fields] = await fieldsOfEvents(database, rows)
  return textOf(fields?.['logs'])
}
