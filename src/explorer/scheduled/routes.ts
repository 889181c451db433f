import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { listOf, page, singleOf, keyCursor, keyParts } from '../paging/pages.ts'
import type { List } from '../paging/pages.ts'
import { accountParameter, limitParameter } from '../parameters.ts'
import {
  placesOf,
  presentScheduledHandler,
  presentScheduledTransaction,
  presentScheduledTransactionDetail,
  scheduledHandlerSchema,
  scheduledStatuses,
  scheduledTransactionDetailSchema,
  scheduledTransactionSchema,
} from './schema.ts'
import type { ScheduledTransaction } from './schema.ts'
import {
  listScheduledHandlers,
  listScheduledTransactions,
  readScheduledChanges,
  readScheduledHandler,
  readScheduledTransaction,
} from './queries.ts'
import type { ScheduledSelection } from './queries.ts'
import { readTransactionMarks } from '../transactions/events.ts'
import { defineRoute } from '../route.ts'

const tag = 'Scheduled transactions'
const limit = limitParameter({ default: 20, max: 200 })
const scheduledCursor = keyCursor({ id: keyParts.height })

const example: ScheduledTransaction = {
  id: 41_207,
  status: 'executed',
  priority: 'medium',
  due_at: '2025-11-01T12:00:00.000Z',
  execution_effort: 500,
  fees: '0.00006025',
  fees_returned: null,
  fees_deducted: null,
  handler_owner: '0xe03daebed8ca0615',
  handler_type: 'A.f3fcd2c1a78f5eee.Alarm.Job',
  handler_uuid: '81363860455427',
  handler_public_path: '/public/AlarmJob',
  scheduled_height: 131_204_118,
  scheduled_at: '2025-11-01T11:54:10.220Z',
  scheduled_tx_id: '3f1c9b8e27d64a05c8f2e1b79d3a604f5e8c27b1906fd4a38e5b2c7d10f9a6e4',
  ended_height: 131_204_560,
  ended_at: '2025-11-01T12:00:01.020Z',
  executed_tx_id: '9a7e2c04d1b85f63e0f49d8712cb6a5390fe41d7826bc3a5941e0d7f68b2c5a9',
  canceled_tx_id: null,
  error_message: null,
}

const statusParameter = z
  .enum(scheduledStatuses, `must be one of ${scheduledStatuses.join(', ')}`)
  .optional()
  .describe('Status.')

/** UInt64. */
function uuidParameter(): z.ZodString {
  return z
    .string()
    .regex(/^\d{1,18}$/, 'must be a handler uuid: a whole number')
    .describe('Handler uuid.')
}

const scheduledList = defineRoute({
  path: '/flow/scheduled-transaction',
  operationId: 'listScheduledTransactions',
  tag,
  summary: 'Scheduled transactions, latest first',
  query: z.object({
    limit,
    cursor: scheduledCursor.parameter,
    status: statusParameter,
    owner: accountParameter().optional().describe('Account that holds the handler.'),
    handler: uuidParameter().optional().describe('Handler uuid.'),
  }),
  response: listOf(scheduledTransactionSchema, 'ScheduledTransaction'),
  example: { data: [example], has_more: true, cursor: '41207', _meta: { limit: 1, count: 1 } },
  handler: async ({ query: { cursor, limit: max, ...selection } }, { database }) => ({
    body: await scheduledPage(database, selection, cursor, max),
  }),
})

const scheduledOfAccount = defineRoute({
  path: '/flow/account/{address}/scheduled-transaction',
  operationId: 'listScheduledTransactionsOfAccount',
  tag,
  summary: 'Scheduled transactions of an account, latest first',
  params: z.object({ address: accountParameter() }),
  query: z.object({ limit, cursor: scheduledCursor.parameter, status: statusParameter }),
  response: listOf(scheduledTransactionSchema, 'ScheduledTransaction'),
  example: { data: [example], has_more: true, cursor: '41207', _meta: { limit: 1, count: 1 } },
  handler: async ({ params: { address }, query: { cursor, limit: max, status } }, { database }) => ({
    body: await scheduledPage(database, { owner: address, status }, cursor, max),
  }),
})

async function scheduledPage(
  database: DatabasePool,
  selection: ScheduledSelection,
  cursor: string | undefined,
  max: number,
): Promise<List<ScheduledTransaction>> {
  const key = scheduledCursor.parse(cursor)
  const rows = await listScheduledTransactions(
    database,
    selection,
    key === undefined ? undefined : Number(key.id),
    max + 1,
  )
  const marks = await readTransactionMarks(database, placesOf(rows))
  return page(
    rows,
    max,
    (row) => presentScheduledTransaction(row, marks),
    (row) => scheduledCursor.format({ id: row.scheduled_id }),
  )
}

const scheduledTransaction = defineRoute({
  path: '/flow/scheduled-transaction/{id}',
  operationId: 'getScheduledTransaction',
  tag,
  summary: 'Scheduled transaction with its history',
  params: z.object({
    id: z
      .string()
      .regex(/^\d{1,15}$/, 'must be the id of a scheduled transaction')
      .describe('Id assigned by the scheduler.'),
  }),
  response: singleOf(scheduledTransactionDetailSchema, 'ScheduledTransaction'),
  problems: { 404: 'The scheduled transaction is not indexed.' },
  example: {
    data: [
      {
        ...example,
        changes: [
          {
            kind: 'scheduled',
            block_height: 131_204_118,
            timestamp: '2025-11-01T11:54:10.220Z',
            transaction_id: '3f1c9b8e27d64a05c8f2e1b79d3a604f5e8c27b1906fd4a38e5b2c7d10f9a6e4',
          },
        ],
      },
    ],
  },
  handler: async ({ params: { id } }, { database }) => {
    const [row, changes] = await Promise.all([
      readScheduledTransaction(database, Number(id)),
      readScheduledChanges(database, Number(id)),
    ])
    if (row === undefined) {
      throw new ApiError(404, 'unknown-scheduled-transaction', `Scheduled transaction ${id} is not indexed.`, {
        field: 'id',
      })
    }
    const marks = await readTransactionMarks(database, [...placesOf([row]), ...changes])
    return { body: { data: [presentScheduledTransactionDetail(row, changes, marks)] } }
  },
})

const handlerCursor = keyCursor({ handler_uuid: keyParts.id })
const exampleHandler = {
  handler_uuid: '81363860455427',
  handler_owner: example.handler_owner,
  handler_type: example.handler_type,
  handler_public_path: example.handler_public_path,
  first: example,
  latest: example,
}

const handlerList = defineRoute({
  path: '/flow/scheduled-handler',
  operationId: 'listScheduledHandlers',
  tag,
  summary: 'Handlers of scheduled transactions, by uuid, descending',
  description: 'Excludes transactions scheduled before October 2025, whose events have no handler uuid.',
  query: z.object({ limit, cursor: handlerCursor.parameter }),
  response: listOf(scheduledHandlerSchema, 'ScheduledHandler'),
  example: { data: [exampleHandler], has_more: false, cursor: '', _meta: { limit: 20, count: 1 } },
  handler: async ({ query: { cursor, limit: max } }, { database }) => {
    const rows = await listScheduledHandlers(database, handlerCursor.parse(cursor)?.handler_uuid, max + 1)
    const marks = await readTransactionMarks(database, placesOf(rows.flat()))
    return {
      body: page(
        rows,
        max,
        ([first, latest]) => presentScheduledHandler(first, latest, marks),
        ([, latest]) => handlerCursor.format({ handler_uuid: latest.handler_uuid ?? '' }),
      ),
    }
  },
})

const handler = defineRoute({
  path: '/flow/scheduled-handler/{id}',
  operationId: 'getScheduledHandler',
  tag,
  summary: 'Handler of scheduled transactions',
  params: z.object({ id: uuidParameter() }),
  response: singleOf(scheduledHandlerSchema, 'ScheduledHandler'),
  problems: { 404: 'The handler is not indexed.' },
  example: { data: [exampleHandler] },
  handler: async ({ params: { id: uuid } }, { database }) => {
    const found = await readScheduledHandler(database, uuid)
    if (found === undefined) {
      throw new ApiError(404, 'unknown-handler', `Handler ${uuid} is not indexed.`, { field: 'id' })
    }
    const marks = await readTransactionMarks(database, placesOf(found))
    return { body: { data: [presentScheduledHandler(...found, marks)] } }
  },
})

export const scheduledTransactionRoutes = [
  scheduledList,
  scheduledTransaction,
  scheduledOfAccount,
  handlerList,
  handler,
]
