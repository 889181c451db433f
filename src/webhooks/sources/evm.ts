import { query } from '../../db/pool.ts'
import { placeOf, prefixed, present } from './event-source.ts'
import type { EventSource, PlacedRow } from './event-source.ts'

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

/** Transactions of Flow EVM. */
export const evmTransactionSource: EventSource = {
  types: ['evm.transaction'],
  workers: ['evm_worker'],
  read: async (client, { from, to }) => {
    const { rows } = await query<EvmRow>(
      client,
      `select h.block_height, h.tx_index, h.event_index, h.evm_hash, h.evm_from, h.evm_to, h.evm_value::text as value, h.evm_gas_used,
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

/** Attoflow as FLOW, exactly. */
function wholeFlow(attoflow: string): string {
  const digits = attoflow.padStart(19, '0')
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`
}
