import { z } from 'zod'
import { addressFormat, heightFormat, idFormat, timestampFormat } from '../formats/formats.ts'
import { timeAt } from './block-time.ts'

/** The EVM account of a Flow account, by its creation. */
export const coaSchema = z
  .strictObject({
    coa_address: z
      .string()
      .regex(/^0x[0-9a-f]{40}$/)
      .describe('EVM address: 0x and 40 hex digits.'),
    flow_address: addressFormat.nullable().describe('Who has it; null where the transaction does not tell.'),
    owner_evidence: z
      .enum(['capability', 'only_account'])
      .nullable()
      .describe(
        'How that is known: the account issued a capability for it in the transaction that created it, or no other account ' +
          'could store anything there.',
      ),
    transaction_id: idFormat,
    block_height: heightFormat,
    timestamp: timestampFormat.nullable(),
  })
  .meta({ id: 'CoaMapping' })
export type Coa = z.output<typeof coaSchema>

/** As it is read from the database. */
export const coaRow = z.object({
  block_height: z.number(),
  tx_index: z.number(),
  event_index: z.number(),
  coa_address: z.string(),
  flow_address: z.string().nullable(),
  owner_evidence: z.enum(['capability', 'only_account']).nullable(),
})
export type CoaRow = z.output<typeof coaRow>

export function presentCoa(row: CoaRow, transactionId: string, times: ReadonlyMap<number, string>): Coa {
  return {
    coa_address: row.coa_address,
    flow_address: row.flow_address,
    owner_evidence: row.owner_evidence,
    transaction_id: transactionId,
    block_height: row.block_height,
    timestamp: timeAt(times, row.block_height),
  }
}
