import { z } from 'zod'
import { addressFormat, amountFormat, countFormat, heightFormat, idFormat, timestampFormat } from '../formats.ts'
import { markKey } from '../transactions/events.ts'
import type { MarkedPlace, TransactionMark } from '../transactions/events.ts'

export const scheduledStatuses = ['scheduled', 'pending', 'executed', 'failed', 'canceled'] as const
const priorities = ['high', 'medium', 'low'] as const
const untold = 'Null where no indexed event tells.'

/** A transaction that an account has scheduled to run by itself. */
export const scheduledTransactionSchema = z
  .strictObject({
    id: z.int().describe("The scheduler's number of it; they rise in the order of scheduling."),
    status: z
      .enum(scheduledStatuses)
      .describe('pending: it was due, and how it went is unknown, since no access node has the result.'),
    priority: z.enum(priorities).nullable().describe(untold),
    due_at: timestampFormat.nullable().describe(`When it is to run. ${untold}`),
    execution_effort: countFormat.nullable().describe(`Computation that it may use. ${untold}`),
    fees: amountFormat.nullable().describe(`Paid in advance, in FLOW. ${untold}`),
    fees_returned: amountFormat.nullable().describe('Given back when it was cancelled, in FLOW; else null.'),
    fees_deducted: amountFormat.nullable().describe('Kept when it was cancelled, in FLOW; else null.'),
    handler_owner: addressFormat.nullable().describe('Account that holds the handler.'),
    handler_type: z.string().nullable().describe(`Cadence type of the handler. ${untold}`),
    handler_uuid: z.string().nullable().describe('Null also before October 2025.'),
    handler_public_path: z
      .string()
      .nullable()
      .describe('Where the handler says that it can be looked at, which nobody checks.'),
    scheduled_height: heightFormat.nullable().describe('Block that scheduled it; null while that is not indexed.'),
    scheduled_at: timestampFormat.nullable(),
    scheduled_tx_id: idFormat.nullable().describe('Transaction that scheduled it.'),
    ended_height: heightFormat.nullable().describe('Block in which it ran or was cancelled; null before.'),
    ended_at: timestampFormat.nullable(),
    executed_tx_id: idFormat.nullable().describe('The transaction that was its run.'),
    canceled_tx_id: idFormat.nullable().describe('Transaction that cancelled it.'),
    error_message: z.string().nullable().describe('Of a run that failed.'),
  })
  .meta({ id: 'ScheduledTransaction' })
export type ScheduledTransaction = z.output<typeof scheduledTransactionSchema>

/** What happened to it. */
const changeSchema = z
  .strictObject({
    kind: z.enum(scheduledStatuses).describe('pending: it was found due.'),
    block_height: heightFormat,
    timestamp: timestampFormat,
    transaction_id: idFormat,
  })
  .meta({ id: 'ScheduledTransactionChange' })

export const scheduledTransactionDetailSchema = scheduledTransactionSchema
  .extend({
    changes: z.array(changeSchema).describe('In the order of the chain.'),
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

/** The transactions that rows name. */
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

/** What accounts have scheduled to be called. */
export const scheduledHandlerSchema = z
  .strictObject({
    handler_uuid: z.string(),
    handler_owner: addressFormat.nullable().describe('Account that holds it.'),
    handler_type: z.string().nullable().describe('Its Cadence type.'),
    handler_public_path: z.string().nullable().describe('Where it says that it can be looked at, which nobody checks.'),
    first: scheduledTransactionSchema.describe('The first transaction that was scheduled with it.'),
    latest: scheduledTransactionSchema.describe('The latest one.'),
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
