import { z } from 'zod'
import { countFormat, heightFormat, idFormat, timestampFormat } from '../formats/formats.ts'

/** Somebody who gives or gets tokens. */
export const partyFormat = z
  .string()
  .regex(/^0x([0-9a-f]{16}|[0-9a-f]{40})$/)
  .describe('0x and 16 hex digits; 40 for an account of Flow EVM.')

export const directionFormat = z
  .enum(['deposit', 'withdraw'])
  .describe(
    'As the account sees it whose transfers are listed: withdraw where it is the sender. Without an account, withdraw for a ' +
      'burn, else deposit.',
  )

/** Fields that transfers of all kinds have. */
export const transferFields = {
  transaction_hash: idFormat.describe('Id of the transaction.'),
  block_height: heightFormat,
  tx_index: countFormat.describe('Position of the transaction in the block.'),
  event_index: countFormat.describe('The event by which it arrived, by its position in the transaction.'),
  leg: countFormat.describe('Counts from 0 the transfers that this event made; nearly always 0.'),
  timestamp: timestampFormat.describe('Time of the block.'),
  sender: partyFormat.nullable().describe('Null where nobody gave it, as of what was minted.'),
  receiver: partyFormat.nullable().describe('Null where nobody got it, as of what was burned.'),
  direction: directionFormat,
}

/** What rows of transfers of all kinds have, with the id of the transaction and the time of the block. */
export const transferRowFields = {
  block_height: z.number(),
  tx_index: z.number(),
  event_index: z.number(),
  leg: z.number(),
  transaction_hash: z.string(),
  timestamp: z.string(),
  token: z.string(),
  from_address: z.string().nullable(),
  to_address: z.string().nullable(),
  transfer_type: z.string(),
}

type TransferFields = z.output<z.ZodObject<typeof transferFields>>
type TransferRow = Omit<z.output<z.ZodObject<typeof transferRowFields>>, 'token'>

/** The fields that transfers of all kinds have. @param address the account whose transfers are listed */
export function presentTransfer(
  row: TransferRow,
  address: string | undefined,
): TransferFields & { address: string | null } {
  return {
    address: address ?? null,
    transaction_hash: row.transaction_hash,
    block_height: row.block_height,
    tx_index: row.tx_index,
    event_index: row.event_index,
    leg: row.leg,
    timestamp: row.timestamp,
    sender: row.from_address,
    receiver: row.to_address,
    direction: directionOf(row, address),
  }
}

function directionOf(row: TransferRow, address: string | undefined): 'deposit' | 'withdraw' {
  if (address === undefined) return row.transfer_type === 'burn' ? 'withdraw' : 'deposit'
  return row.from_address === address ? 'withdraw' : 'deposit'
}
