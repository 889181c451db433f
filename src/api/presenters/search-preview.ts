import { z } from 'zod'
import { addressFormat, countFormat, heightFormat, idFormat, timestampFormat } from '../formats/formats.ts'
import { evmHashFormat, evmPartySchema } from './evm-address.ts'
import { evmTransactionSchema } from './evm-transaction.ts'
import { presentTransactionSummary } from './transaction.ts'
import type { DescribedTransaction } from './transaction.ts'

const previewedTransactionSchema = z
  .strictObject({
    id: idFormat,
    status: z.string(),
    execution_status: z.enum(['SUCCESS', 'FAILURE', 'UNKNOWN']),
    block_height: heightFormat,
    timestamp: timestampFormat,
    authorizers: z.array(addressFormat),
    is_evm: z.boolean(),
    gas_used: z.int().nullable(),
    tags: z.array(z.string()),
  })
  .meta({ id: 'PreviewedTransaction' })
type PreviewedTransaction = z.output<typeof previewedTransactionSchema>

/** A scheduled transaction as previews show it. */
export const previewedScheduleSchema = z
  .strictObject({
    id: z.string().describe('The number that the scheduler gave it.'),
    status: z.enum(['scheduled', 'pending', 'executed', 'failed', 'canceled']),
    handler_type: z.string().nullable().describe('Cadence type of the handler.'),
    handler_owner: z.string().nullable().describe('Account that holds the handler.'),
  })
  .meta({ id: 'PreviewedSchedule' })
export type PreviewedSchedule = z.output<typeof previewedScheduleSchema>

/** What a transaction is on both sides of the chain. */
export const transactionPreviewSchema = z
  .strictObject({
    query: z.string(),
    type: z.literal('tx'),
    cadence: previewedTransactionSchema.nullable(),
    evm: evmTransactionSchema.nullable(),
    link: z
      .strictObject({ cadence_tx_id: idFormat, evm_hash: evmHashFormat })
      .nullable()
      .describe('Which of both belong together; null where there are not both.'),
    scheduled: previewedScheduleSchema.nullable().describe('What ran in it, or what it scheduled or cancelled.'),
  })
  .meta({ id: 'TransactionPreview' })

/** What an account of Flow is, as previews show it. */
export const previewedAccountSchema = z
  .strictObject({
    address: addressFormat,
    contract_count: countFormat.describe('Contracts that it has.'),
    contracts_count: countFormat.describe(
      'The same as contract_count; some clients of the Flow explorer API read this name.',
    ),
    has_active_keys: z.boolean().describe('Whether it has a key that is not revoked, as far as keys are indexed.'),
    has_keys: z
      .boolean()
      .describe('The same as has_active_keys; some clients of the Flow explorer API read this name.'),
  })
  .meta({ id: 'PreviewedAccount' })
export type PreviewedAccount = z.output<typeof previewedAccountSchema>

/** What an address is on both sides of the chain. */
export const addressPreviewSchema = z
  .strictObject({
    query: z.string(),
    type: z.literal('address'),
    cadence: previewedAccountSchema.nullable(),
    evm: evmPartySchema.extend({ address: z.string().describe('The same as hash.') }).nullable(),
    link: z
      .strictObject({ flow_address: addressFormat, coa_address: z.string() })
      .nullable()
      .describe('Which of both belong together; null where there are not both.'),
  })
  .meta({ id: 'AddressPreview' })

export const searchPreviewSchema = z.union([transactionPreviewSchema, addressPreviewSchema])
export type SearchPreview = z.output<typeof searchPreviewSchema>

export function presentPreviewedTransaction(described: DescribedTransaction): PreviewedTransaction {
  const { id, status, execution_status, block_height, timestamp, is_evm, tags } = presentTransactionSummary(described)
  const { row, gasUsed } = described
  return {
    id,
    status,
    execution_status,
    block_height,
    timestamp,
    authorizers: row.authorizers,
    is_evm,
    gas_used: gasUsed === undefined ? null : Number(gasUsed),
    tags,
  }
}
