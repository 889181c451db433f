import { z } from 'zod'
import { contractParts } from '../formats/contract-parts.ts'
import {
  addressFormat,
  amountFormat,
  countFormat,
  heightFormat,
  idFormat,
  timestampFormat,
} from '../formats/formats.ts'
import { ftTransferTypes } from './ft-transfer.ts'
import { partyFormat } from './transfer.ts'

/** Kinds of big transfers that can be asked for. */
export const bigTransferTypes = ['mint', 'burn', 'transfer', 'swap', 'bridge', 'staking'] as const
export type BigTransferType = (typeof bigTransferTypes)[number]

/** A movement of much of a fungible token. */
export const bigTransferSchema = z
  .strictObject({
    tx_id: idFormat,
    block_height: heightFormat,
    tx_index: countFormat.describe('Position of the transaction in the block.'),
    event_index: countFormat.describe('The event by which it arrived, by its position in the transaction.'),
    leg: countFormat.describe('Counts from 0 the transfers that this event made; nearly always 0.'),
    timestamp: timestampFormat.describe('Time of the block.'),
    type: z
      .enum(bigTransferTypes)
      .describe('swap: a transfer in a transaction that swapped. staking: into stake, out of it, or a reward.'),
    transfer_type: z.enum(ftTransferTypes).describe('As transfers of tokens have it.'),
    token: z.string().describe('`A.<address>.<name>`.'),
    token_symbol: z
      .string()
      .nullable()
      .describe('Null, as the logo, where the contract does not say it, or was not asked yet.'),
    token_contract_address: addressFormat.describe('Account that has the contract.'),
    contract_name: z.string(),
    token_logo: z.string().nullable().describe('Address of an image.'),
    amount: amountFormat.describe('In whole tokens.'),
    usd_value: amountFormat
      .nullable()
      .describe('US dollars at the last price known before it, of at most 48 hours. Null where there is none.'),
    from_address: partyFormat.nullable().describe('Null where nobody gave it, as of what was minted.'),
    to_address: partyFormat.nullable().describe('Null where nobody got it, as of what was burned.'),
  })
  .meta({ id: 'BigTransfer' })
export type BigTransfer = z.output<typeof bigTransferSchema>

/** A big transfer as it is read. */
export const bigTransferRow = z.object({
  tx_id: z.string(),
  block_height: z.number(),
  tx_index: z.number(),
  event_index: z.number(),
  leg: z.number(),
  timestamp: z.string(),
  type: z.enum(bigTransferTypes),
  transfer_type: z.enum(ftTransferTypes),
  token: z.string(),
  symbol: z.string().nullable(),
  logo: z.string().nullable(),
  amount: z.string(),
  usd_value: z.string().nullable(),
  from_address: z.string().nullable(),
  to_address: z.string().nullable(),
})
export type BigTransferRow = z.output<typeof bigTransferRow>

export function presentBigTransfer(row: BigTransferRow): BigTransfer {
  const { symbol, logo, token, ...same } = row
  const { name, address } = contractParts(token)
  return {
    ...same,
    token,
    token_symbol: symbol,
    token_logo: logo,
    token_contract_address: address,
    contract_name: name,
  }
}
