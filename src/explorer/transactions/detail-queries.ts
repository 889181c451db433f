import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { FieldShapeError } from '../../flow/event-fields.ts'
import { evmTransactionOf } from '../../flow/evm/evm-transaction.ts'
import type { EvmTransaction } from '../../flow/evm/evm-transaction.ts'
import { fixedStatement } from '../../platform/db/named-query.ts'
import { databaseIdentityFragment } from '../../platform/db/slonik.ts'
import {
  itemRow,
  maxItems,
  presentDefiEvent,
  evmExecutionRow,
  presentEvmExecution,
  presentFungibleMove,
  presentNonFungibleMove,
  transactionDetailRow,
} from './detail-schema.ts'
import type { CoaOwners, EvmExecution, EvmParties, TransactionContent, TransactionDetailRow } from './detail-schema.ts'
import type { EventRow } from './schema.ts'
import { readAssetNames } from './descriptions.ts'
import { unpackEventRows } from './events.ts'
import { priceKey, readPricesAt } from './prices.ts'
import { oneTransaction, transactions } from './queries.ts'
import type { TransactionPlace } from './queries.ts'

const { page, heights } = oneTransaction
const { low, high } = heights
const here = sql.fragment`block_height = t.block_height and tx_index = t.tx_index
  and block_height between ${low} and ${high}`

/** For row `t`. */
const content = sql.fragment`
  json_build_object(
    'database', (${databaseIdentityFragment}),
    'events', (
      select json_agg(json_build_array(first_event_index, shapes, payloads) order by first_event_index)
      from raw.event_chunks where ${here}
    ),
    'fungible', (
      select json_agg(m) from (
        select event_index, leg, from_address, to_address, token, amount::text as amount, transfer_type
        from app.ft_transfers where ${here} and transfer_type <> 'fee' order by event_index, leg
      ) as m
    ),
    'nonFungible', (
      select json_agg(m) from (
        select event_index, leg, from_address, to_address, token, nft_id::text as nft_id, transfer_type
        from app.nft_transfers where ${here} order by event_index, leg
      ) as m
    ),
    'defi', (
      select json_agg(d) from (
        select e.event_type, e.event_index, e.pair, p.dex, e.maker, e.asset0, e.asset1,
          e.asset0_in::text as asset0_in, e.asset0_out::text as asset0_out, e.asset1_in::text as asset1_in,
          e.asset1_out::text as asset1_out
        from app.defi_events e left join app.defi_pairs p using (pair)
        where ${here} order by e.event_index
      ) as d
    ),
    'scheduled', (
      select json_agg(s) from (
        select c.scheduled_id::text as scheduled_id, c.kind as matched_by, s.status, s.handler_owner, s.handler_type,
          s.due_at, s.scheduled_height, s.ended_height
        from app.scheduled_transaction_changes c join app.scheduled_transactions s using (scheduled_id)
        where ${here} order by c.event_index, c.scheduled_id
      ) as s
    )
  )
`

const extras = sql.fragment`
  , encode(b.id, 'hex') as block_id, encode(b.collection_ids[t.collection_index + 1], 'hex') as collection_id,
  t.arguments
`

const detailWithContent = fixedStatement(sql.prepared('transaction', transactionDetailRow)`
  ${transactions(page, heights, 'all', sql.fragment`${extras}, ${content} as content`)}
`)
const detailWithoutContent = fixedStatement(sql.prepared('lite transaction', transactionDetailRow)`
  ${transactions(page, heights, 'all', sql.fragment`${extras}, null::json as content`)}
`)

export async function readTransactionDetail(
  database: DatabasePool,
  { height, index }: TransactionPlace,
  isLite: boolean,
): Promise<TransactionDetailRow | undefined> {
  const row = await database.maybeOne((isLite ? detailWithoutContent : detailWithContent)(height, index))
  return row ?? undefined
}

export async function completeContent(
  database: DatabasePool,
  row: TransactionDetailRow,
): Promise<TransactionContent | undefined> {
  if (row.content === null) return undefined
  const { fungible, nonFungible, defi, scheduled } = row.content
  const { timestamp } = row
  const [events, owners, names, prices, items] = await Promise.all([
    unpackEventRows(database, row.tx_index, row.content),
    readCoaOwners(
      database,
      [...(fungible ?? []), ...(nonFungible ?? [])].flatMap((move) => [move.from_address, move.to_address]),
    ),
    readAssetNames(
      database,
      [
        ...(fungible ?? []).map(({ token }) => token),
        ...(defi ?? []).flatMap(({ asset0, asset1 }) => [asset0 ?? [], asset1 ?? []].flat()),
      ],
      (nonFungible ?? []).flatMap(({ token }) => token ?? []),
    ),
    readPricesAt(
      database,
      (fungible ?? []).map(({ token }) => priceKey(token, timestamp)),
    ),
    readItems(database, nonFungible ?? []),
  ])
  return {
    events,
    fungible: (fungible ?? []).map((move) =>
      presentFungibleMove(move, names, owners, prices.get(priceKey(move.token, timestamp))),
    ),
    nonFungible: (nonFungible ?? []).map((move) =>
      presentNonFungibleMove(move, names, owners, items.get(`${move.token} ${move.nft_id}`)),
    ),
    defi: (defi ?? []).map((event) => presentDefiEvent(event, names)),
    evm: events.some(isEvmEvent) ? await readEvmExecutions(database, row, events) : [],
    scheduled: (scheduled ?? []).map((one) => {
      return { ...one, due_at: one.due_at === null ? null : new Date(one.due_at).toISOString() }
    }),
  }
}

type Item = z.output<typeof itemRow>

const itemsAmong = fixedStatement(sql.prepared('items of a transaction', itemRow)`
  select token, nft_id::text as nft_id, name, thumbnail
  from app.nft_items join unnest($1::text[], $2::numeric[]) as wanted (token, nft_id) using (token, nft_id)
`)

/** By token and id. */
async function readItems(
  database: DatabasePool,
  moves: readonly { readonly token: string | null; readonly nft_id: string }[],
): Promise<ReadonlyMap<string, Item>> {
  const wanted = new Map<string, { readonly token: string; readonly id: string }>()
  for (const { token, nft_id: id } of moves) {
    if (token !== null && wanted.size < maxItems) wanted.set(`${token} ${id}`, { token, id })
  }
  if (wanted.size === 0) return new Map()
  const keys = [...wanted.values()]
  const rows = await database.any(
    itemsAmong(
      keys.map(({ token }) => token),
      keys.map(({ id }) => id),
    ),
  )
  return new Map(rows.map((item) => [`${item.token} ${item.nft_id}`, item]))
}

const evmExecutions = fixedStatement(sql.prepared('EVM executions', evmExecutionRow)`
  select h.event_index, h.evm_hash, h.evm_from, h.evm_to, h.evm_value::text as evm_value,
    h.evm_gas_used::text as evm_gas_used, h.evm_status, t.evm_block_height, t.evm_tx_index, t.tx_type, t.call_type,
    t.nonce::text as nonce, t.gas_limit::text as gas_limit,
    coalesce(t.gas_price, least(t.max_fee_per_gas, t.max_priority_fee_per_gas))::text as gas_price,
    t.contract_address, t.error_message
  from app.evm_tx_hashes h join app.evm_transactions t using (block_height, tx_index, event_index)
  where h.block_height = $1::int8 and h.tx_index = $2::int4
  order by h.event_index
`)

async function readEvmExecutions(
  database: DatabasePool,
  { block_height: height, tx_index: index, timestamp }: TransactionDetailRow,
  events: readonly EventRow[],
): Promise<EvmExecution[]> {
  const rows = await database.any(evmExecutions(height, index))
  const byIndex = new Map(events.filter(isEvmEvent).map((event) => [event.event_index, event]))
  const parties = await readEvmParties(
    database,
    rows.flatMap((row) => [row.evm_from ?? [], row.evm_to ?? []].flat()),
  )
  return rows.map((row) => presentEvmExecution(row, decoded(byIndex.get(row.event_index)), timestamp, parties))
}

function isEvmEvent({ type }: EventRow): boolean {
  return type.endsWith('.EVM.TransactionExecuted')
}

function decoded(event: EventRow | undefined): EvmTransaction | undefined {
  if (event === undefined || event.payload === null) return undefined
  try {
    return evmTransactionOf({ type: event.type, index: event.event_index, fields: event.payload })
  } catch (error) {
    // The worker has recorded the error and wrote no row.
    if (error instanceof FieldShapeError) return undefined
    throw error
  }
}

const coaRow = z.object({ coa_address: z.string(), flow_address: z.string().nullable() })

const coasOf = fixedStatement(sql.prepared('COAs', coaRow)`
  select distinct on (coa_address) coa_address, flow_address from app.coa_accounts
  where coa_address = any ($1::text[])
  order by coa_address, block_height, tx_index, event_index
`)

async function readCoaOwners(database: DatabasePool, addresses: readonly (string | null)[]): Promise<CoaOwners> {
  const evm = [...new Set(addresses.filter((address) => address?.length === 42))].flatMap((address) => address ?? [])
  return new Map(
    (await readCoas(database, evm)).flatMap(({ coa_address: coa, flow_address: owner }) => {
      return owner === null ? [] : [[coa, owner] as const]
    }),
  )
}

const tokensAmong = fixedStatement(sql.prepared('EVM tokens among addresses', z.object({ token: z.string() }))`
  select distinct token from app.evm_tokens where token = any ($1::text[])
`)

async function readEvmParties(database: DatabasePool, addresses: readonly string[]): Promise<EvmParties> {
  const distinct = [...new Set(addresses)]
  const [coas, tokens] = await Promise.all([
    readCoas(
      database,
      distinct.map((address) => `0x${address}`),
    ),
    distinct.length === 0 ? [] : database.any(tokensAmong(distinct)),
  ])
  return {
    coas: new Map(coas.map((row) => [row.coa_address.slice(2), row.flow_address])),
    tokens: new Set(tokens.map(({ token }) => token)),
  }
}

async function readCoas(
  database: DatabasePool,
  addresses: readonly string[],
): Promise<readonly z.output<typeof coaRow>[]> {
  if (addresses.length === 0) return []
  return database.any(coasOf(addresses))
}
