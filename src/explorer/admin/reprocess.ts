import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { requireOperations, workerField } from './operations.ts'
import { listOf, singleOf, wholeList } from '../paging/pages.ts'
import { defineRoute } from '../route.ts'

const heightField = z
  .int('must be a block height')
  .min(0, 'must be a block height')
  .max(999_999_999_999_999, 'must be a block height')

const requestSchema = z
  .strictObject({
    id: z.int(),
    workers: z.array(z.string()).describe('Workers that derive the heights.'),
    from_height: z.int().describe('First height.'),
    to_height: z.int().describe('Last height.'),
    workers_off: z.array(z.string()).describe('Disabled workers, which the request waits for.'),
    created_at: z.string(),
  })
  .meta({ id: 'DeriveRequest' })

const list = defineRoute({
  path: '/admin/reprocess',
  operationId: 'adminListReprocessing',
  tag: 'Administration',
  access: 'admin',
  summary: 'List pending reprocessing requests, oldest first',
  response: listOf(requestSchema, 'DeriveRequest'),
  example: {
    data: [
      {
        id: 3,
        workers: ['token_worker', 'ft_holdings_worker'],
        from_height: 118000000,
        to_height: 118000999,
        workers_off: [],
        created_at: '2025-07-01T12:00:01.250Z',
      },
    ],
    has_more: false,
    cursor: '',
    _meta: { count: 1 },
  },
  handler: async (_input, services) => {
    const requests = await requireOperations(services).listRequests()
    return {
      body: wholeList(
        requests.map(({ id, workers, from, to, workersOff, createdAt }) => ({
          id,
          workers: [...workers],
          from_height: from,
          to_height: to - 1,
          workers_off: [...workersOff],
          created_at: createdAt.toISOString(),
        })),
      ),
    }
  },
})

const reprocess = defineRoute({
  method: 'POST',
  path: '/admin/reprocess',
  operationId: 'adminReprocess',
  tag: 'Administration',
  access: 'admin',
  summary: 'Reprocess heights by workers and their dependents',
  description: 'Takes precedence over other history. Existing rows remain until they are replaced.',
  body: z.strictObject(
    {
      workers: z
        .array(workerField(), 'must be a list of workers')
        .min(1, 'must have at least one entry')
        .max(100, 'must have at most 100 entries'),
      from_height: heightField.describe('First height.'),
      to_height: heightField.describe('Last height.'),
    },
    'must be an object',
  ),
  bodyExample: { workers: ['token_worker'], from_height: 118000000, to_height: 118000999 },
  response: singleOf(
    z.strictObject({ id: z.int(), workers: z.array(z.string()) }).meta({ id: 'Reprocessing' }),
    'Reprocessing',
  ),
  example: { data: [{ id: 3, workers: ['token_worker', 'ft_holdings_worker'] }] },
  handler: async ({ body: { workers, from_height: from, to_height: to } }, services) => {
    if (to < from)
      throw new ApiError(400, 'invalid-field', 'Field "to_height" must not be below "from_height".', {
        field: 'to_height',
      })
    const request = await requireOperations(services).deriveAgain(workers, from, to + 1)
    return { body: { data: [{ id: request.id, workers: [...request.workers] }] } }
  },
})

const refetch = defineRoute({
  method: 'POST',
  path: '/admin/refetch-metadata',
  operationId: 'adminRefetchMetadata',
  tag: 'Administration',
  access: 'admin',
  summary: 'Refresh the metadata of tokens and collections',
  body: z.strictObject(
    {
      tokens: z
        .array(
          z.string('must be a token').regex(/^A\.[0-9a-f]{16}\.\w{1,200}$/, 'must have the form A.<address>.<name>'),
          'must be a list of tokens',
        )
        .min(1, 'must have at least one entry')
        .max(500, 'must have at most 500 entries')
        .describe('Tokens and collections.'),
    },
    'must be an object',
  ),
  bodyExample: { tokens: ['A.1654653399040a61.FlowToken'] },
  response: z
    .strictObject({
      tokens: z.array(z.string()).describe('Known tokens, which are scheduled now.'),
    })
    .meta({ id: 'MetadataRefetch' }),
  example: { tokens: ['A.1654653399040a61.FlowToken'] },
  handler: async ({ body }, services) => ({
    body: { tokens: [...(await requireOperations(services).refreshTokens(body.tokens))] },
  }),
})

export const reprocessRoutes = [list, reprocess, refetch]
