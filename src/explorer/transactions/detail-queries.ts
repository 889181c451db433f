import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { FieldShapeError } from '../../flow/event-fields.ts'
import { evmTransactionOf } from '../../flow/evm/evm-transaction.ts'
import type { EvmTransaction } from '../../flow/evm/evm-transaction.ts'
import {
  defiEventRow,
  presentDefiEvent,
  evmExecutionRow,
  presentEvmExecution,
  scheduledRow,
  fungibleMoveRow,
  nonFungibleMoveRow,
  presentFungibleMove,
  presentNonFungibleMove,
} from './detail-schema.ts'
import type { EvmExecution, EvmParties, TransactionContent, CoaOwners } from './detail-schema.ts'
import type { EventRow } from './schema.ts'
import { readAssetNames } from './descriptions.ts'
import { readEventsOfTransaction } from './events.ts'
import type { TransactionPlace } from './queries.ts'

/** @param timestampOf undefined if the block is no longer stored */
export async function readTransactionContent(
  database: DatabasePool,
  place: TransactionPlace,
  timestampOf: () => Promise<string | undefined>,
): Promise<TransactionContent> {
  const { height, index } = place
  const here = sql.fragment`block_height = ${height} and tx_index = ${index}`
  const [events, fungible, nonFungible, defi, scheduled] = await Promise.all([
    readEventsOfTransaction(database, place),
    database.any(sql.prepared('fungible moves', fungibleMoveRow)`
      select event_index, leg, from_address, to_address, token, amount::text as amount, transfer_type
      from app.ft_transfers where ${here} and transfer_type <> 'fee' order by event_index, leg
    `),
    database.any(sql.prepared('non-fungible moves', nonFungibleMoveRow)`
      select event_index, leg, from_address, to_address, token, nft_id::text as nft_id, transfer_type
      from app.nft_transfers where ${here} order by event_index, leg
    `),
    database.any(sql.prepared('DeFi events of a transaction', defiEventRow)`
      select e.event_type, e.event_index, e.pair, p.dex, e.maker, e.asset0, e.asset1, e.asset0_in::text as asset0_in,
        e.asset0_out::text as asset0_out, e.asset1_in::text as asset1_in, e.asset1_out::text as asset1_out
      from app.defi_events e left join app.defi_pairs p using (pair)
      where e.block_height = ${height} and e.tx_index = ${index}
      order by e.event_index
    `),
    database.any(sql.prepared('scheduled transactions of one', scheduledRow)`
      select c.scheduled_id::text as scheduled_id, c.kind as matched_by, s.status, s.handler_owner, s.handler_type,
        s.due_at, s.scheduled_height, s.ended_height
      from app.scheduled_transaction_changes c join app.scheduled_transactions s using (scheduled_id)
      where c.block_height = ${height} and c.tx_index = ${index}
      order by c.event_index, c.scheduled_id
    `),
  ])
  const [evm, owners, names] = await Promise.all([
    readEvmExecutions(database, place, events, timestampOf),
    readCoaOwners(
      database,
      [...fungible, ...nonFungible].flatMap((row) => [row.from_address, row.to_address]),
    ),
    readAssetNames(
      database,
      [
        ...fungible.map(({ token }) => token),
        ...defi.flatMap(({ asset0, asset1 }) => [asset0 ?? [], asset1 ?? []].flat()),
      ],
      nonFungible.flatMap(({ token }) => token ?? []),
    ),
  ])
  return {
    events,
    fungible: fungible.map((row) => presentFungibleMove(row, names, owners)),
    nonFungible: nonFungible.map((row) => presentNonFungibleMove(row, names, owners)),
    defi: defi.map((row) => presentDefiEvent(row, names)),
    evm,
    scheduled: [...scheduled],
  }
}

async function readEvmExecutions(
  database: DatabasePool,
  { height, index }: TransactionPlace,
  events: readonly EventRow[],
  timestampOf: () => Promise<string | undefined>,
): Promise<EvmExecution[]> {
  const timestamp = events.some(isEvmEvent) ? await timestampOf() : undefined
  if (timestamp === undefined) return []
  const rows = await database.any(sql.prepared('EVM executions', evmExecutionRow)`
    select h.event_index, h.evm_hash, h.evm_from, h.evm_to, h.evm_value::text as evm_value,
      h.evm_gas_used::text as evm_gas_used, h.evm_status, t.evm_block_height, t.evm_tx_index, t.tx_type, t.call_type,
      t.nonce::text as nonce, t.gas_limit::text as gas_limit,
      coalesce(t.gas_price, t.max_fee_per_gas)::text as gas_price, t.contract_address, t.error_message
    from app.evm_tx_hashes h join app.evm_transactions t using (block_height, tx_index, event_index)
    where h.block_height = ${height} and h.tx_index = ${index}
    order by h.event_index
  `)
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

async function readCoaOwners(database: DatabasePool, addresses: readonly (string | null)[]): Promise<CoaOwners> {
  const evm = [...new Set(addresses.filter((address) => address?.length === 42))].flatMap((address) => address ?? [])
  return new Map(
    (await readCoas(database, evm)).flatMap(({ coa_address: coa, flow_address: owner }) => {
      return owner === null ? [] : [[coa, owner] as const]
    }),
  )
}

async function readEvmParties(database: DatabasePool, addresses: readonly string[]): Promise<EvmParties> {
  const distinct = [...new Set(addresses)]
  const [coas, tokens] = await Promise.all([
    readCoas(
      database,
      distinct.map((address) => `0x${address}`),
    ),
    distinct.length === 0
      ? []
      : database.any(sql.type(z.object({ token: z.string() }))`
      select distinct token from app.evm_tokens where token = any (${sql.array(distinct, 'text')})
    `),
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
  return database.any(sql.prepared('COAs', coaRow)`
    select distinct on (coa_address) coa_address, flow_address from app.coa_accounts
    where coa_address = any (${sql.array(addresses, 'text')})
    order by coa_address, block_height, tx_index, event_index
  `)
}
