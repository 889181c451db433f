import { query } from '../../db/pool.ts'
import { present } from './event-source.ts'
import type { EventSource } from './event-source.ts'

/** Blocks that were stored. */
export const blockSource: EventSource = {
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

/** Transactions of users; the chain's own come with every block and tell nothing. */
export const transactionSource: EventSource = {
  types: ['transaction.sealed'],
  workers: [],
  read: async (client, { from, to }) => {
    const { rows } = await query<TransactionRow>(
      client,
      `select block_height, tx_index, encode(id, 'hex') as id, payer_address as payer, proposer_address as proposer, authorizers, is_evm,
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
