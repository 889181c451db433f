import { z } from 'zod'
import type { Network } from '../../chain/network.ts'
import { amountFormat, countFormat, heightFormat, idFormat, timestampFormat } from '../formats/formats.ts'
import { evmHashFormat, evmPartySchema, presentEvmParty } from './evm-address.ts'
import type { EvmDirectory } from './evm-address.ts'
import { evmTokenRefRow, evmTokenRefSchema, presentEvmTokenRef } from './evm-token.ts'

/** What a log moved. */
export const evmTokenTransferSchema = z
  .strictObject({
    transaction_hash: evmHashFormat,
    transaction_id: idFormat.describe('The Flow transaction.'),
    block_height: heightFormat.describe('Flow block.'),
    transaction_index: countFormat,
    event_index: countFormat,
    log_index: countFormat.describe('Position of the log in the EVM transaction.'),
    batch_index: countFormat.describe('Counts what one log moved.'),
    timestamp: timestampFormat,
    type: z.enum(['token_transfer', 'token_minting', 'token_burning']),
    from: evmPartySchema.nullable().describe('Null: nobody, it was minted.'),
    to: evmPartySchema.nullable().describe('Null: nobody, it was burned.'),
    token: evmTokenRefSchema,
    total: z.strictObject({
      value: amountFormat.describe(
        'ERC-20: in raw units, the smallest unit of the token. ERC-721: 1. ERC-1155: number of items.',
      ),
      decimals: z.int().nullable().describe('Null: unknown, or not an ERC-20 token.'),
      token_id: amountFormat.nullable().describe('Item of ERC-721, kind of ERC-1155.'),
    }),
  })
  .meta({ id: 'EvmTokenTransfer' })
export type EvmTokenTransferItem = z.output<typeof evmTokenTransferSchema>

export const evmTokenTransferRow = evmTokenRefRow.extend({
  block_height: z.number(),
  tx_index: z.number(),
  event_index: z.number(),
  log_index: z.number(),
  batch_index: z.number(),
  tx_id: z.string(),
  evm_hash: z.string(),
  timestamp: z.string(),
  from_address: z.string().nullable(),
  to_address: z.string().nullable(),
  token_id: z.string().nullable(),
  amount: z.string(),
})
export type EvmTokenTransferRow = z.output<typeof evmTokenTransferRow>

export function presentEvmTokenTransfer(
  row: EvmTokenTransferRow,
  directory: EvmDirectory,
  network: Network,
): EvmTokenTransferItem {
  const token = presentEvmTokenRef(row, network)
  return {
    transaction_hash: `0x${row.evm_hash}`,
    transaction_id: row.tx_id,
    block_height: row.block_height,
    transaction_index: row.tx_index,
    event_index: row.event_index,
    log_index: row.log_index,
    batch_index: row.batch_index,
    timestamp: row.timestamp,
    type: typeOf(row),
    from: presentEvmParty(row.from_address, directory),
    to: presentEvmParty(row.to_address, directory),
    token,
    total: { value: row.amount, decimals: token.decimals, token_id: row.token_id },
  }
}

function typeOf(row: EvmTokenTransferRow): EvmTokenTransferItem['type'] {
  if (row.from_address === null) return 'token_minting'
  return row.to_address === null ? 'token_burning' : 'token_transfer'
}
