import { z } from 'zod'
import { amountFormat, countFormat, heightFormat, idFormat, timestampFormat } from '../formats.ts'
import { transactionSummarySchema } from '../transactions/schema.ts'
import type { TransactionSummary } from '../transactions/schema.ts'
import type { DescribedBlockRow } from './queries.ts'

const blockFields = {
  height: heightFormat,
  id: idFormat,
  parent_id: idFormat,
  timestamp: timestampFormat,
  tx_count: countFormat.describe('Transactions, including system transactions.'),
  event_count: countFormat.describe('Events of all transactions.'),
}

export const blockSchema = z
  .strictObject({
    ...blockFields,
    parent_hash: idFormat.describe('Alias of parent_id.'),
    total_gas_used: countFormat
      .nullable()
      .describe('Computation used by its transactions. Null until the block is derived.'),
    evm_tx_count: countFormat
      .nullable()
      .describe('Transactions that executed EVM transactions. Null until the block is derived.'),
    fees: amountFormat.nullable().describe('Deducted fees in FLOW. Null until the block is derived.'),
  })
  .meta({ id: 'Block' })
export type Block = z.output<typeof blockSchema>

export const newBlockSchema = z.strictObject(blockFields).meta({ id: 'NewBlock' })
export type NewBlock = z.output<typeof newBlockSchema>

const collectionSchema = z
  .strictObject({
    id: idFormat,
    tx_count: countFormat,
    transaction_ids: z.array(idFormat),
  })
  .meta({ id: 'Collection' })

export const blockDetailSchema = blockSchema
  .extend({
    collections: z
      .array(collectionSchema)
      .describe('Guaranteed collections, in order; excludes the system collection.'),
    transactions: z.array(transactionSummarySchema).describe('Summaries of all transactions, as in the live feed.'),
  })
  .meta({ id: 'BlockDetail' })
export type BlockDetail = z.output<typeof blockDetailSchema>

export const blockRow = z.object({
  height: z.number(),
  id: z.string(),
  parent_id: z.string(),
  timestamp: z.string(),
  tx_count: z.number(),
  event_count: z.number(),
  gas_used: z.number().nullable(),
  evm_tx_count: z.number().nullable(),
  fees: z.string().nullable(),
})
export type BlockRow = z.output<typeof blockRow>

export function presentNewBlock(row: BlockRow): NewBlock {
  const { height, id, parent_id, timestamp, tx_count, event_count } = row
  return { height, id, parent_id, timestamp, tx_count, event_count }
}

export function presentBlock(row: BlockRow): Block {
  return {
    ...presentNewBlock(row),
    parent_hash: row.parent_id,
    total_gas_used: row.gas_used,
    evm_tx_count: row.evm_tx_count,
    fees: row.fees,
  }
}

/** @param summaries of its transactions, in order */
export function presentBlockDetail(row: DescribedBlockRow, summaries: readonly TransactionSummary[]): BlockDetail {
  const members: string[][] = row.collection_ids.map(() => [])
  for (const { id, collection_index: index } of row.transactions ?? []) if (index !== null) members[index]?.push(id)
  return {
    ...presentBlock(row),
    collections: row.collection_ids.map((id, i) => {
      const ids = members[i] ?? []
      return { id, tx_count: ids.length, transaction_ids: ids }
    }),
    transactions: [...summaries],
  }
}
