import { z } from 'zod'
import { serviceEventTypes } from '../../flow/core-contracts.ts'
import { ApiError } from '../../platform/errors.ts'
import {
  exampleBlock,
  exampleCollectionId,
  exampleSummary,
  exampleTransaction,
  presentServiceEvent,
  serviceEventSchema,
  presentWithEvents,
  transactionSchema,
} from '../transactions/schema.ts'
import { hashPattern } from '../formats.ts'
import { readBoundsOf } from '../paging/bounds.ts'
import { blockCursorPattern, parseBlockCursor, readTransactions } from '../transactions/queries.ts'
import { listOf, page, singleOf, wholeList } from '../paging/pages.ts'
import { cursorParameter, dayFilters, flagParameter, heightParameter, limitParameter } from '../parameters.ts'
import { blockDetailSchema, blockSchema, presentBlock, presentBlockDetail } from './schema.ts'
import { findBlockHeight, listBlocks, readBlock, readDescribedBlock } from './queries.ts'
import type { WholeBlockRow } from './queries.ts'
import { completeTransactions, summarizeTransactions } from '../transactions/descriptions.ts'
import { transactionWorkers } from '../transactions/derived-details.ts'
import { readEventsOfBlock } from '../transactions/events.ts'
import { defineRoute } from '../route.ts'
import type { Services } from '../route.ts'

const blockKeyParameters = z.object({
  height: z
    .string()
    .regex(/^([0-9]{1,15}|(0[xX])?[0-9a-fA-F]{64})$/, 'must be a block height or a block id of 64 hex digits')
    .describe('Block height, or block id of 64 hex digits.'),
})

/** @throws ApiError 404 `unknown-block` */
async function requireBlock(key: string, { database }: Services): Promise<WholeBlockRow> {
  const height = hashPattern.test(key) ? await findBlockHeight(database, key) : Number(key)
  const block = height === undefined ? undefined : await readBlock(database, height)
  if (block === undefined) throw unknownBlock(key)
  return block
}

function unknownBlock(key: string): ApiError {
  return new ApiError(404, 'unknown-block', `Block ${key} is not stored.`, { field: 'height' })
}

const problems = { 404: 'The block is not stored.' }

const blockList = defineRoute({
  path: '/flow/block',
  operationId: 'listBlocks',
  tag: 'Blocks',
  summary: 'Blocks, highest first',
  query: z.object({
    limit: limitParameter({ default: 20, max: 100 }),
    cursor: cursorParameter(blockCursorPattern, '<height>'),
    height: heightParameter().optional().describe('Block height.'),
    ...dayFilters,
  }),
  response: listOf(blockSchema, 'Block'),
  example: { data: [exampleBlock], has_more: true, cursor: String(exampleBlock.height), _meta: { limit: 1, count: 1 } },
  handler: async ({ query: { limit, cursor, ...selection } }, { database }) => {
    const after = parseBlockCursor(cursor)
    const top = after === undefined ? Number.MAX_SAFE_INTEGER : after - 1
    const rows = await listBlocks(database, await readBoundsOf(database, selection), top, limit + 1)
    return { body: page(rows, limit, presentBlock, (row) => String(row.height)) }
  },
})

const block = defineRoute({
  path: '/flow/block/{height}',
  operationId: 'getBlock',
  tag: 'Blocks',
  summary: 'Block with its collections and transactions',
  params: blockKeyParameters,
  response: singleOf(blockDetailSchema, 'Block'),
  problems,
  derivedBy: ['daily_stats_worker', ...transactionWorkers],
  example: {
    data: [
      {
        ...exampleBlock,
        collections: [
          {
            id: exampleCollectionId,
            tx_count: 1,
            transaction_ids: [exampleTransaction.id],
          },
        ],
        transactions: [exampleSummary],
      },
    ],
  },
  handler: async ({ params, cachingAt }, services) => {
    const { database, network } = services
    const height = await heightOf(params.height, services)
    const caching = await cachingAt(height)
    const row = await readDescribedBlock(database, height)
    if (row === undefined) throw unknownBlock(String(height))
    const summaries = await summarizeTransactions(database, network(), row, row.transactions ?? [])
    return {
      body: { data: [presentBlockDetail(row, summaries)] },
      caching,
    }
  },
})

async function heightOf(key: string, services: Services): Promise<number> {
  return hashPattern.test(key) ? (await requireBlock(key, services)).height : Number(key)
}

const blockTransactions = defineRoute({
  path: '/flow/block/{height}/transaction',
  operationId: 'listBlockTransactions',
  tag: 'Blocks',
  summary: 'Transactions of a block',
  params: blockKeyParameters,
  query: z.object({ include_events: flagParameter('Include events.') }),
  response: listOf(transactionSchema, 'Transaction'),
  problems,
  derivedBy: transactionWorkers,
  example: { data: [exampleTransaction], has_more: false, cursor: '', _meta: { count: 1 } },
  handler: async ({ params, query, cachingAt }, services) => {
    const { database, network } = services
    const height = await heightOf(params.height, services)
    const caching = await cachingAt(height)
    const [rows] = await Promise.all([
      readTransactions(database, height, height, 'all'),
      requireBlock(String(height), services),
    ])
    const transactions = await completeTransactions(database, network(), rows)
    const events = query.include_events ? await readEventsOfBlock(database, height) : []
    const eventsByIndex = Map.groupBy(events, (event) => event.tx_index)
    const data = transactions.map((one) => presentWithEvents(one, eventsByIndex.get(one.row.tx_index) ?? []))
    return {
      body: wholeList(data),
      caching,
    }
  },
})

const blockServiceEvents = defineRoute({
  path: '/flow/block/{height}/service-event',
  operationId: 'listBlockServiceEvents',
  tag: 'Blocks',
  summary: 'Service events of a block',
  description:
    'Events by which system contracts change the protocol state: epochs, node versions and the protocol state ' +
    'version. Most blocks have none.',
  params: blockKeyParameters,
  response: listOf(serviceEventSchema, 'ServiceEvent'),
  problems,
  example: {
    data: [
      {
        block_height: exampleBlock.height,
        name: 'VersionBeacon',
        type: 'A.e467b9dd11fa00df.NodeVersionBeacon.VersionBeacon',
        timestamp: exampleBlock.timestamp,
        fields: {
          versionBoundaries: [
            { blockHeight: '119000000', version: { major: '0', minor: '38', patch: '0', preRelease: null } },
          ],
          sequence: '12',
        },
      },
    ],
    has_more: false,
    cursor: '',
    _meta: { count: 1 },
  },
  handler: async ({ params, cachingAt }, services) => {
    const { database, network } = services
    const place = await requireBlock(params.height, services)
    const events = await readEventsOfBlock(database, place.height, serviceEventTypes(network()))
    return {
      body: wholeList(events.map((event) => presentServiceEvent(event, place))),
      caching: await cachingAt(place.height),
    }
  },
})

export const blockRoutes = [blockList, block, blockTransactions, blockServiceEvents]
