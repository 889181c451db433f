import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import type { ErrorPlace, ListedError } from '../../platform/db/indexing-errors.ts'
import { requireOperations, workerField } from './operations.ts'
import { listOf, page } from '../paging/pages.ts'
import { cursorParameter, limitParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'

const errorSchema = z
  .strictObject({
    id: z.int(),
    worker: z.string().describe('Ingester or worker that reported it.'),
    block_height: z.int(),
    transaction_index: z.int().nullable().describe('Null for block-level errors.'),
    event_index: z.int().nullable().describe('Null for block-level and transaction-level errors.'),
    code: z.string(),
    message: z.string(),
    event_type: z.string().nullable(),
    occurrences: z.int().describe('Number of occurrences.'),
    first_seen_at: z.string(),
    last_seen_at: z.string(),
  })
  .meta({ id: 'IndexingError' })

const indexOf = (index: number): number | null => (index < 0 ? null : index)

function present(error: ListedError): z.output<typeof errorSchema> {
  const { id, worker, height, txIndex, eventIndex, code, message, eventType, occurrences, firstSeenAt, lastSeenAt } =
    error
  return {
    id,
    worker,
    block_height: height,
    transaction_index: indexOf(txIndex),
    event_index: indexOf(eventIndex),
    code,
    message,
    event_type: eventType,
    occurrences,
    first_seen_at: firstSeenAt.toISOString(),
    last_seen_at: lastSeenAt.toISOString(),
  }
}

function parseCursor(cursor: string | undefined): ErrorPlace | undefined {
  if (cursor === undefined || cursor === '') return undefined
  const [lastSeenMicros = 0, id = 0] = cursor.split(':').map(Number)
  return { lastSeenMicros, id }
}

const list = defineRoute({
  path: '/admin/errors',
  operationId: 'adminListErrors',
  tag: 'Administration',
  access: 'admin',
  summary: 'List indexing errors, latest first',
  query: z.object({
    worker: workerField().optional().describe('Ingester or worker.'),
    limit: limitParameter({ default: 50, max: 500 }),
    cursor: cursorParameter(/^(?:\d{1,16}:\d{1,15})?$/, '<last_seen>:<id>'),
  }),
  response: listOf(errorSchema, 'IndexingError'),
  example: {
    data: [
      {
        id: 7,
        worker: 'token_worker',
        block_height: 118542743,
        transaction_index: 1,
        event_index: 4,
        code: 'undecodable-payload',
        message: 'the payload ends in the middle of a value',
        event_type: 'A.1654653399040a61.FlowToken.TokensDeposited',
        occurrences: 1,
        first_seen_at: '2025-07-01T12:00:01.250Z',
        last_seen_at: '2025-07-01T12:00:01.250Z',
      },
    ],
    has_more: false,
    cursor: '',
    _meta: { limit: 50, count: 1 },
  },
  handler: async ({ query: { worker, limit, cursor } }, services) => {
    const errors = await requireOperations(services).listErrors({
      worker,
      after: parseCursor(cursor),
      limit: limit + 1,
    })
    return { body: page(errors, limit, present, ({ lastSeenMicros, id }) => `${lastSeenMicros}:${id}`) }
  },
})

const resolve = defineRoute({
  method: 'POST',
  path: '/admin/errors/resolve',
  operationId: 'adminResolveErrors',
  tag: 'Administration',
  access: 'admin',
  summary: 'Resolve indexing errors',
  description: 'By `ids`, or all of a `worker`. An error that occurs again is reopened.',
  body: z
    .strictObject(
      {
        ids: z
          .array(z.int('must be a number').positive('must be a positive number'), 'must be a list of numbers')
          .min(1, 'must have at least one entry')
          .max(1000, 'must have at most 1,000 entries')
          .optional(),
        worker: workerField().optional(),
      },
      'must be an object',
    )
    .meta({ anyOf: [{ required: ['ids'] }, { required: ['worker'] }] }),
  bodyExample: { worker: 'token_worker' },
  response: z
    .strictObject({ resolved: z.int().describe('Number of errors resolved by this call.') })
    .meta({ id: 'ResolvedErrors' }),
  example: { resolved: 1 },
  handler: async ({ body }, services) => {
    if (body.ids === undefined && body.worker === undefined) {
      throw new ApiError(400, 'invalid-field', 'Field "ids" or "worker" is required.', { field: 'ids' })
    }
    return { body: { resolved: await requireOperations(services).resolveErrors(body) } }
  },
})

export const errorRoutes = [list, resolve]
