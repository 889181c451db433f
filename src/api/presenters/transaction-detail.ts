import { z } from 'zod'
import { countFormat, heightFormat, idFormat, timestampFormat } from '../formats/formats.ts'
import { defiEventSchema } from './transaction-defi-event.ts'
import type { TransactionDefiEvent } from './transaction-defi-event.ts'
import { evmExecutionSchema } from './evm-execution.ts'
import type { EvmExecution } from './evm-execution.ts'
import type { EventRow } from './event.ts'
import { presentTransaction, presentWithEvents, transactionSchema } from './transaction.ts'
import type { CompleteTransaction } from './transaction.ts'
import { fungibleMoveSchema, nonFungibleMoveSchema } from './transaction-moves.ts'
import type { FungibleMove, NonFungibleMove } from './transaction-moves.ts'

const scheduledSchema = z
  .strictObject({
    scheduled_id: z.string().describe('The number that the scheduler gave it.'),
    matched_by: z
      .enum(['scheduled', 'pending', 'executed', 'failed', 'canceled'])
      .describe('What this transaction did: scheduled or cancelled it, found it due (pending), or was its run.'),
    status: z.enum(['scheduled', 'pending', 'executed', 'failed', 'canceled']).describe('As it stands now.'),
    handler_owner: z.string().nullable(),
    handler_type: z.string().nullable(),
    due_at: timestampFormat.nullable(),
    scheduled_height: heightFormat.nullable(),
    ended_height: heightFormat.nullable(),
  })
  .meta({ id: 'ScheduledMention' })

/** A scheduled transaction that another one mentions, as it is read from the database. */
export const scheduledRow = z.object({
  scheduled_id: z.string(),
  matched_by: scheduledSchema.shape.matched_by,
  status: scheduledSchema.shape.status,
  handler_owner: z.string().nullable(),
  handler_type: z.string().nullable(),
  due_at: z.string().nullable(),
  scheduled_height: z.number().nullable(),
  ended_height: z.number().nullable(),
})
export type ScheduledRow = z.output<typeof scheduledRow>

/** A single transaction. */
export const transactionDetailSchema = transactionSchema
  .extend({
    block_id: idFormat,
    collection: z
      .strictObject({ id: idFormat, index: countFormat })
      .nullable()
      .describe('Null for system transactions.'),
    script: z.string().nullable().describe('Cadence source; null with `lite`.'),
    arguments: z.unknown().describe('The arguments as JSON-Cadence values, in order; none with `lite`.'),
    ft_transfers: z.array(fungibleMoveSchema).describe('Without the fee.'),
    nft_transfers: z.array(nonFungibleMoveSchema),
    defi_events: z.array(defiEventSchema),
    evm_executions: z.array(evmExecutionSchema),
    scheduled_txs: z.array(scheduledSchema),
    other_heights: z
      .array(heightFormat)
      .describe(
        'The nearest other blocks that have a transaction with this id, at most 10. ' +
          'Only system transactions have any: request one with `height`.',
      ),
    lite: z.boolean().describe('Whether the lists of this object, script and arguments were left out on request.'),
  })
  .meta({ id: 'TransactionDetail' })
export type TransactionDetail = z.output<typeof transactionDetailSchema>

/** What only the detail of a transaction shows of the transaction itself. */
export const transactionExtras = z.object({
  block_id: z.string(),
  collection_id: z.string().nullable(),
  script: z.string().nullable(),
  arguments: z.unknown(),
})
export type TransactionExtras = z.output<typeof transactionExtras>

/** All that happened in a transaction. */
export interface TransactionContent {
  readonly events: readonly EventRow[]
  readonly fungible: FungibleMove[]
  readonly nonFungible: NonFungibleMove[]
  readonly defi: TransactionDefiEvent[]
  readonly evm: EvmExecution[]
  readonly scheduled: ScheduledRow[]
}

/** @param content undefined: it was asked to leave all that out */
export function presentTransactionDetail(
  complete: CompleteTransaction,
  extras: TransactionExtras,
  content: TransactionContent | undefined,
  otherHeights: readonly number[],
): TransactionDetail {
  const { collection_index: index } = complete.row
  return {
    ...(content === undefined ? presentTransaction(complete) : presentWithEvents(complete, content.events)),
    block_id: extras.block_id,
    collection: index === null || extras.collection_id === null ? null : { id: extras.collection_id, index },
    script: content === undefined ? null : extras.script,
    arguments: content === undefined ? [] : (extras.arguments ?? []),
    ft_transfers: content?.fungible ?? [],
    nft_transfers: content?.nonFungible ?? [],
    defi_events: content?.defi ?? [],
    evm_executions: content?.evm ?? [],
    scheduled_txs: content?.scheduled ?? [],
    other_heights: [...otherHeights],
    lite: content === undefined,
  }
}
