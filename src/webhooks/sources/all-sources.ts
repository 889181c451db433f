import { query } from '../../platform/db/pool.ts'
import { accountKeySource, activitySource, contractChangeSource, newAccountSource } from './accounts.ts'
import { placeOf, prefixed, present } from './event-source.ts'
import type { EventSource, PlacedRow } from './event-source.ts'
import { isOwnEventType } from '../events.ts'
import { ownTableSource } from './own-tables.ts'
import { defiSource, stakingSource } from './finance.ts'

interface TransferRow extends PlacedRow {
  readonly leg: number
  readonly token: string | null
  readonly from_address: string | null
  readonly to_address: string | null
  readonly transfer_type: string
  readonly transaction_id: string
}

/** Excludes fees. */
const ftTransferSource: EventSource = {
  types: ['ft.transfer', 'ft.large_transfer'],
  workers: ['token_worker'],
  read: async (client, { from, to }) => {
    const { rows } = await query<TransferRow & { token: string; amount: string }>(
      client,
      `select t.block_height, t.tx_index, t.event_index, t.leg, t.token, t.from_address, t.to_address,
        t.amount::text as amount,
         t.transfer_type, encode(x.id, 'hex') as transaction_id
       from app.ft_transfers t join raw.transactions x using (block_height, tx_index)
       where t.block_height >= $1 and t.block_height < $2 and x.block_height >= $1 and x.block_height < $2 and
         t.transfer_type <> 'fee'`,
      [from, to],
    )
    return rows.map((row) => ({
      types: ['ft.large_transfer', 'ft.transfer'],
      place: placeOf(row, row.leg),
      data: {
        transaction_id: row.transaction_id,
        event_index: row.event_index,
        token: row.token,
        from: row.from_address,
        to: row.to_address,
        amount: row.amount,
        transfer_type: row.transfer_type,
      },
      facets: {
        from: present(row.from_address),
        to: present(row.to_address),
        tokens: [row.token],
        contracts: [row.token],
        amount: row.amount,
        names: [row.transfer_type],
      },
    }))
  },
}

const nftTransferSource: EventSource = {
  types: ['nft.transfer'],
  workers: ['token_worker'],
  read: async (client, { from, to }) => {
    const { rows } = await query<TransferRow & { nft_id: string; nft_uuid: string | null }>(
      client,
      `select t.block_height, t.tx_index, t.event_index, t.leg, t.token, t.from_address, t.to_address,
        t.nft_id::text as nft_id,
         t.nft_uuid, t.transfer_type, encode(x.id, 'hex') as transaction_id
       from app.nft_transfers t join raw.transactions x using (block_height, tx_index)
       where t.block_height >= $1 and t.block_height < $2 and x.block_height >= $1 and x.block_height < $2`,
      [from, to],
    )
    return rows.map((row) => ({
      types: ['nft.transfer'],
      place: placeOf(row, row.leg),
      data: {
        transaction_id: row.transaction_id,
        event_index: row.event_index,
        collection: row.token,
        nft_id: row.nft_id,
        uuid: row.nft_uuid,
        from: row.from_address,
        to: row.to_address,
        transfer_type: row.transfer_type,
      },
      facets: {
        from: present(row.from_address),
        to: present(row.to_address),
        tokens: present(row.token),
        contracts: present(row.token),
        nftIds: [row.nft_id],
        names: [row.transfer_type],
      },
    }))
  },
}

interface EventRow extends PlacedRow {
  readonly type: string
  readonly contract: string
  readonly payload: unknown
  readonly transaction_id: string
}

/** Characters: deliveries are stored, up to 10,000 per subscription. */
const maxPayload = 262_144

/** Reads only the requested events: all events are most of the database. */
const contractEventSource: EventSource = {
  types: ['contract.event'],
  workers: [],
  read: async (client, { from, to }, wanted) => {
    const contracts = new Set(wanted.flatMap((conditions) => conditions.contracts ?? []))
    const names = new Set(wanted.flatMap((conditions) => conditions.event_names ?? []))
    if (contracts.size === 0 && names.size === 0) return []
    const { rows } = await query<EventRow>(
      client,
      `select e.block_height, e.tx_index, e.event_index, e.type, regexp_replace(e.type, '\\.[^.]*$', '') as
        contract, case when length(e.payload::text) <= $5 then e.payload end as payload,
         encode(x.id, 'hex') as transaction_id
       from raw.events e join raw.transactions x using (block_height, tx_index)
       where e.block_height >= $1 and e.block_height < $2 and x.block_height >= $1 and x.block_height < $2
         and (regexp_replace(e.type, '\\.[^.]*$', '') = any ($3) or e.type = any ($4))`,
      [from, to, [...contracts], [...names], maxPayload],
    )
    return rows.map((row) => ({
      types: ['contract.event'],
      place: placeOf(row),
      data: { transaction_id: row.transaction_id, event_index: row.event_index, type: row.type, payload: row.payload },
      facets: { contracts: [row.contract], names: [row.type] },
    }))
  },
}

interface EvmRow extends PlacedRow {
  readonly evm_hash: string
  readonly evm_from: string | null
  readonly evm_to: string | null
  readonly value: string | null
  readonly evm_gas_used: string
  readonly evm_status: number
  readonly contract_address: string | null
  readonly error_message: string | null
  readonly tx_id: string
}

const evmTransactionSource: EventSource = {
  types: ['evm.transaction'],
  workers: ['evm_worker'],
  read: async (client, { from, to }) => {
    const { rows } = await query<EvmRow>(
      client,
      `select h.block_height, h.tx_index, h.event_index, h.evm_hash, h.evm_from, h.evm_to, h.evm_value::text as
        value, h.evm_gas_used,
         h.evm_status, t.contract_address, left(t.error_message, 2000) as error_message, h.tx_id
       from app.evm_tx_hashes h join app.evm_transactions t using (block_height, tx_index, event_index)
       where h.block_height >= $1 and h.block_height < $2 and t.block_height >= $1 and t.block_height < $2`,
      [from, to],
    )
    return rows.map((row) => {
      const [sender, receiver, created] = [prefixed(row.evm_from), prefixed(row.evm_to), prefixed(row.contract_address)]
      return {
        types: ['evm.transaction'],
        place: placeOf(row),
        data: {
          transaction_id: row.tx_id,
          event_index: row.event_index,
          evm_hash: `0x${row.evm_hash}`,
          from: sender,
          to: receiver,
          value_attoflow: row.value,
          gas_used: Number(row.evm_gas_used),
          is_failed: row.evm_status === 0,
          contract_address: created,
          error: row.error_message,
        },
        facets: {
          from: present(sender),
          to: present(receiver, created),
          ...(row.value === null ? {} : { amount: wholeFlow(row.value) }),
        },
      }
    })
  },
}

function wholeFlow(attoflow: string): string {
  const digits = attoflow.padStart(19, '0')
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`
}

const blockSource: EventSource = {
  types: ['block.sealed'],
  workers: [],
  read: async (client, { from, to }) => {
    const { rows } = await query<{
      height: string
      id: string
      parent_id: string
      tx_count: number
      event_count: number
    }>(
      client,
      `select height, encode(id, 'hex') as id, encode(parent_id, 'hex') as parent_id, tx_count, event_count
       from raw.blocks where height >= $1 and height < $2`,
      [from, to],
    )
    return rows.map(({ height, ...data }) => ({
      types: ['block.sealed'],
      place: { height: Number(height), txIndex: -1, eventIndex: -1, leg: 0 },
      data: { height: Number(height), ...data },
      facets: {},
    }))
  },
}

interface TransactionRow {
  readonly block_height: string
  readonly tx_index: number
  readonly id: string
  readonly payer: string | null
  readonly proposer: string | null
  readonly authorizers: string[]
  readonly is_evm: boolean
  readonly event_count: number
  readonly gas_used: string | null
  readonly status_code: number | null
  readonly error: string | null
}

/** Excludes system transactions, which occur in every block. */
const transactionSource: EventSource = {
  types: ['transaction.sealed'],
  workers: [],
  read: async (client, { from, to }) => {
    const { rows } = await query<TransactionRow>(
      client,
      `select block_height, tx_index, encode(id, 'hex') as id, payer_address as payer, proposer_address as proposer,
        authorizers, is_evm,
         event_count, gas_used, status_code, left(error_message, 2000) as error
       from raw.transactions where block_height >= $1 and block_height < $2 and payer_address is not null`,
      [from, to],
    )
    return rows.map((row) => ({
      types: ['transaction.sealed'],
      place: { height: Number(row.block_height), txIndex: row.tx_index, eventIndex: -1, leg: 0 },
      data: {
        transaction_id: row.id,
        payer: row.payer,
        proposer: row.proposer,
        authorizers: row.authorizers,
        is_evm: row.is_evm,
        event_count: row.event_count,
        gas_used: row.gas_used === null ? null : Number(row.gas_used),
        is_failed: row.status_code === 1,
        error: row.error,
      },
      facets: { from: present(row.payer), addresses: [...present(row.payer, row.proposer), ...row.authorizers] },
    }))
  },
}

export const allSources: readonly EventSource[] = [
  blockSource,
  transactionSource,
  activitySource,
  ftTransferSource,
  nftTransferSource,
  newAccountSource,
  accountKeySource,
  contractChangeSource,
  contractEventSource,
  evmTransactionSource,
  defiSource,
  stakingSource,
]

export function sourcesOf(types: readonly string[]): readonly EventSource[] {
  return [
    ...allSources.filter((source) => source.types.some((type) => types.includes(type))),
    ...[...new Set(types.filter(isOwnEventType))].map(ownTableSource),
  ]
}
