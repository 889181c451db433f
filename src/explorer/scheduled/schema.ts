import { z } from 'zod'
import { addressFormat, amountFormat, countFormat, heightFormat, idFormat, timestampFormat } from '../formats.ts'
import { markKey } from '../transactions/events.ts'
import type { MarkedPlace, TransactionMark } from '../transactions/events.ts'

export const scheduledStatuses = ['scheduled', 'pending', 'executed', 'failed', 'canceled'] as const
const priorities = ['high', 'medium', 'low'] as const
const notIndexed = 'Null if not indexed.'

export const scheduledTransactionSchema = z
  .strictObject({
    id: z.int().describe('Id assigned by the scheduler, ascending.'),
    status: z
      .enum(scheduledStatuses)
      .describe('pending: due, but the outcome is unknown because no access node serves the result.'),
    priority: z.enum(priorities).nullable().describe(notIndexed),
    due_at: timestampFormat.nullable().describe(`Scheduled time. ${notIndexed}`),
    execution_effort: countFormat.nullable().describe(`Computation limit. ${notIndexed}`),
    fees: amountFormat.nullable().describe(`Prepaid fees in FLOW. ${notIndexed}`),
    fees_returned: amountFormat.nullable().describe('FLOW refunded on cancellation; otherwise null.'),
    fees_deducted: amountFormat.nullable().describe('FLOW retained on cancellation; otherwise null.'),
    handler_owner: addressFormat.nullable().describe('Account that holds the handler.'),
    handler_type: z.string().nullable().describe(`Cadence type of the handler. ${notIndexed}`),
    handler_uuid: z.string().nullable().describe('Null before October 2025 or if not indexed.'),
    handler_public_path: z.string().nullable().describe('Public path reported by the handler; not verified.'),
    scheduled_height: heightFormat.nullable().describe('Block that scheduled it; null if not indexed.'),
    scheduled_at: timestampFormat.nullable(),
    scheduled_tx_id: idFormat.nullable().describe('Transaction that scheduled it.'),
    ended_height: heightFormat.nullable().describe('Block in which it was executed or canceled; null before.'),
    ended_at: timestampFormat.nullable(),
    executed_tx_id: idFormat.nullable().describe('Transaction that executed it.'),
    canceled_tx_id: idFormat.nullable().describe('Transaction that canceled it.'),
    error_message: z.string().nullable().describe('Error of a failed execution.'),
  })
  .meta({ id: 'ScheduledTransaction' })
export type ScheduledTransaction = z.output<typeof scheduledTransactionSchema>

const changeSchema = z
  .strictObject({
    kind: z.enum(scheduledStatuses).describe('pending: marked as due.'),
    block_height: heightFormat,
    timestamp: timestampFormat,
    transaction_id: idFormat,
  })
  .meta({ id: 'ScheduledTransactionChange' })

export const scheduledTransactionDetailSchema = scheduledTransactionSchema
  .extend({
    changes: z.array(changeSchema).describe('In chain order.'),
  })
  .meta({ id: 'ScheduledTransactionDetail' })
export type ScheduledTransactionDetail = z.output<typeof scheduledTransactionDetailSchema>

export const scheduledTransactionRow = z.object({
  scheduled_id: z.number(),
  status: z.enum(scheduledStatuses),
  priority: z.number().nullable(),
  due_at: z.string().nullable(),
  execution_effort: z.number().nullable(),
  fees: z.string().nullable(),
  fees_returned: z.string().nullable(),
  fees_deducted: z.string().nullable(),
  handler_owner: z.string().nullable(),
  handler_type: z.string().nullable(),
  handler_uuid: z.string().nullable(),
  handler_public_path: z.string().nullable(),
  scheduled_height: z.number().nullable(),
  scheduled_tx_index: z.number().nullable(),
  ended_height: z.number().nullable(),
  ended_tx_index: z.number().nullable(),
})
export type ScheduledTransactionRow = z.output<typeof scheduledTransactionRow>

export const scheduledChangeRow = z.object({
  block_height: z.number(),
  tx_index: z.number(),
  kind: z.enum(scheduledStatuses),
})
export type ScheduledChangeRow = z.output<typeof scheduledChangeRow>

type Marks = ReadonlyMap<string, TransactionMark>

export function presentScheduledTransaction(row: ScheduledTransactionRow, marks: Marks): ScheduledTransaction {
  const { scheduled_id: id, priority, scheduled_tx_index: scheduledIndex, ended_tx_index: endedIndex, ...fields } = row
  const scheduled = markAt(marks, row.scheduled_height, scheduledIndex)
  const ended = markAt(marks, row.ended_height, endedIndex)
  return {
    ...fields,
    id,
    priority: priority === null ? null : (priorities[priority] ?? null),
    scheduled_at: scheduled?.timestamp ?? null,
    scheduled_tx_id: scheduled?.id ?? null,
    ended_at: ended?.timestamp ?? null,
    executed_tx_id: row.status === 'canceled' ? null : (ended?.id ?? null),
    canceled_tx_id: row.status === 'canceled' ? (ended?.id ?? null) : null,
    error_message: row.status === 'failed' ? (ended?.error_message ?? null) : null,
  }
}

export function presentScheduledTransactionDetail(
  row: ScheduledTransactionRow,
  changes: readonly ScheduledChangeRow[],
  marks: Marks,
): ScheduledTransactionDetail {
  return {
    ...presentScheduledTransaction(row, marks),
    changes: changes.flatMap((change) => {
      const mark = marks.get(markKey(change))
      if (mark === undefined) return []
      return [
        {
          kind: change.kind,
          block_height: change.block_height,
          timestamp: mark.timestamp,
          transaction_id: mark.id,
        },
      ]
    }),
  }
}

export function placesOf(rows: readonly ScheduledTransactionRow[]): readonly MarkedPlace[] {
  return rows.flatMap((row) => [
    ...placeAt(row.scheduled_height, row.scheduled_tx_index),
    ...placeAt(row.ended_height, row.ended_tx_index),
  ])
}

function placeAt(height: number | null, index: number | null): readonly MarkedPlace[] {
  return height === null || index === null ? [] : [{ block_height: height, tx_index: index }]
}

function markAt(marks: Marks, height: number | null, index: number | null): TransactionMark | undefined {
  const [place] = placeAt(height, index)
  return place === undefined ? undefined : marks.get(markKey(place))
}

export const scheduledHandlerSchema = z
  .strictObject({
    handler_uuid: z.string(),
    handler_owner: addressFormat.nullable().describe('Account that holds the handler.'),
    handler_type: z.string().nullable().describe('Cadence type.'),
    handler_public_path: z.string().nullable().describe('Public path reported by the handler; not verified.'),
    first: scheduledTransactionSchema.describe('First transaction scheduled with it.'),
    latest: scheduledTransactionSchema.describe('Latest transaction scheduled with it.'),
  })
  .meta({ id: 'ScheduledHandler' })
export type ScheduledHandler = z.output<typeof scheduledHandlerSchema>

export function presentScheduledHandler(
  first: ScheduledTransactionRow,
  latest: ScheduledTransactionRow,
  marks: Marks,
): ScheduledHandler {
  return {
    handler_uuid: latest.handler_uuid ?? '',
    handler_owner: latest.handler_owner,
    handler_type: latest.handler_type,
    handler_public_path: latest.handler_public_path,
    first: presentScheduledTransaction(first, marks),
    latest: presentScheduledTransaction(latest, marks),
  }
}
