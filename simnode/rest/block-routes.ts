import { z } from 'zod'
import { timestampDate } from '@bufbuild/protobuf/wkt'
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import type { BlockResponse, EventsResponse_Result } from '../../src/access/gen/flow/access/access_pb.ts'
import { Refusal } from '../node/node-view.ts'
import { accessCalls, route } from './rest-calls.ts'
import type { RestCalls } from './rest-calls.ts'
import {
  badRequest,
  base64,
  expandParameter,
  heightParameter,
  hex,
  idParameter,
  readHeight,
  readIds,
} from './rest-values.ts'
import type { RequestedHeight } from './rest-values.ts'
import { transactionJson, eventJson } from './transaction-routes.ts'

/** Source: onflow/flow-go `engine/access/rest/http/request/get_block.go`. */
const maxBlocks = 50
const statuses = ['BLOCK_UNKNOWN', 'BLOCK_FINALIZED', 'BLOCK_SEALED'] as const

/** In milliseconds. */
function timeText(timestamp: Timestamp | undefined): string {
  return (timestamp === undefined ? new Date(0) : timestampDate(timestamp)).toISOString()
}

/** Without seals and execution results. */
function blockJson({ block, blockStatus }: BlockResponse, expand: ReadonlySet<string>): unknown {
  if (block === undefined) throw new Refusal('INTERNAL', 'the answer has no block')
  const id = hex(block.id)
  return {
    header: {
      id,
      parent_id: hex(block.parentId),
      height: String(block.height),
      timestamp: timeText(block.timestamp),
      parent_voter_signature: base64(block.blockHeader?.parentVoterSigData ?? new Uint8Array()),
    },
    ...(expand.has('payload') ? { payload: payloadJson(block) } : {}),
    _expandable: expand.has('payload') ? {} : { payload: `/v1/blocks/${id}/payload` },
    _links: { _self: `/v1/blocks/${id}` },
    block_status: statuses[blockStatus] ?? 'BLOCK_UNKNOWN',
  }
}

function payloadJson({ collectionGuarantees }: NonNullable<BlockResponse['block']>): unknown {
  return {
    collection_guarantees: collectionGuarantees.map(({ collectionId, signerIds, signature }) => ({
      collection_id: hex(collectionId),
      signer_ids: signerIds.map(hex),
      signature: base64(signature),
    })),
    block_seals: [],
  }
}

const fullBlockResponse = true

function blockAt(calls: RestCalls, height: RequestedHeight): Promise<BlockResponse> {
  if (height === 'latest') return calls.ask(accessCalls.getLatestBlock, { isSealed: true, fullBlockResponse })
  return calls.ask(accessCalls.getBlockByHeight, { height, fullBlockResponse })
}

function blockOfId(calls: RestCalls, id: Buffer): Promise<BlockResponse> {
  return calls.ask(accessCalls.getBlockByID, { id, fullBlockResponse })
}

const heightRange = { start_height: heightParameter('start height'), end_height: heightParameter('end height') }
const heightsQuery = z.object({
  ...heightRange,
  height: z
    .string()
    .default('')
    .transform((text) => text.split(',').flatMap((one) => readHeight(one) ?? [])),
  expand: expandParameter,
})

/** @throws ApiError */
async function heightsOf(
  calls: RestCalls,
  { height: heights, start_height: start, end_height: end }: z.output<typeof heightsQuery>,
): Promise<readonly RequestedHeight[]> {
  if (heights.length > 0 && (start !== undefined || end !== undefined)) {
    throw badRequest('can only provide either heights or start and end height range')
  }
  if (heights.length > 1 && heights.includes('latest'))
    throw badRequest("can not provide 'final' or 'sealed' values with other height values")
  if (heights.length > maxBlocks) throw badRequest(`at most ${maxBlocks} heights can be requested at a time`)
  if (heights.length > 0) return heights
  if (start === undefined || end === undefined || start === 'latest')
    throw badRequest('must provide either heights or start and end height range')
  const last = end === 'latest' ? ((await blockAt(calls, end)).block?.height ?? 0n) : end
  if (start > last) throw badRequest('start height must be less than or equal to end height')
  if (last - start >= BigInt(maxBlocks))
    throw badRequest(`height range ${last - start} exceeds maximum allowed of ${maxBlocks}`)
  return Array.from({ length: Number(last - start) + 1 }, (_, at) => start + BigInt(at))
}

const ids = z.string().transform((text) => readIds(text, maxBlocks))
const block = { tag: 'Blocks', access: 'client' } as const

export const blockRoutes = [
  route({
    ...block,
    path: '/v1/blocks',
    operationId: 'getBlocksByHeight',
    summary: 'Blocks by height',
    query: heightsQuery,
    async handler({ query, caller: calls }) {
      const blocks: BlockResponse[] = []
      for (const height of await heightsOf(calls, query)) blocks.push(await blockAt(calls, height))
      return { body: blocks.map((one) => blockJson(one, query.expand)) }
    },
  }),
  route({
    ...block,
    path: '/v1/blocks/{ids}',
    operationId: 'getBlocksById',
    summary: 'Blocks by id',
    params: z.object({ ids }),
    query: z.object({ expand: expandParameter }),
    async handler({ params, query, caller: calls }) {
      const blocks = await Promise.all(params.ids.map((id) => blockOfId(calls, id)))
      return { body: blocks.map((one) => blockJson(one, query.expand)) }
    },
  }),
  route({
    ...block,
    path: '/v1/blocks/{id}/payload',
    operationId: 'getBlockPayload',
    summary: 'The guarantees of a block',
    params: z.object({ id: idParameter }),
    async handler({ params, caller: calls }) {
      const { block: found } = await blockOfId(calls, params.id)
      if (found === undefined) throw new Refusal('INTERNAL', 'the answer has no block')
      return { body: payloadJson(found) }
    },
  }),
  route({
    ...block,
    path: '/v1/collections/{id}',
    operationId: 'getCollection',
    summary: 'A collection',
    params: z.object({ id: idParameter }),
    query: z.object({ expand: expandParameter }),
    async handler({ params: { id }, query, caller: calls }) {
      const { collection } = await calls.ask(accessCalls.getCollectionByID, { id })
      const transactionIds = collection?.transactionIds ?? []
      const links = { _self: `/v1/collections/${hex(id)}` }
      if (!query.expand.has('transactions')) {
        const transactions = transactionIds.map((one) => `/v1/transactions/${hex(one)}`)
        return { body: { id: hex(id), _expandable: { transactions }, _links: links } }
      }
      const answers = await Promise.all(transactionIds.map((one) => calls.ask(accessCalls.getTransaction, { id: one })))
      const transactions = answers.map((answer, at) => transactionJson(transactionIds[at] ?? id, answer))
      return { body: { id: hex(id), transactions, _expandable: {}, _links: links } }
    },
  }),
]

/** Source: onflow/flow-go `engine/access/rest/http/request/get_events.go`. */
const maxHeights = 250n

function resultJson({ blockId, blockHeight, blockTimestamp, events }: EventsResponse_Result): unknown {
  return {
    block_id: hex(blockId),
    block_height: String(blockHeight),
    block_timestamp: timeText(blockTimestamp),
    events: events.map(eventJson),
    _links: { _self: `/v1/events?block_ids=${hex(blockId)}` },
  }
}

async function latestHeight(calls: RestCalls): Promise<bigint> {
  return (await calls.ask(accessCalls.getLatestBlock, { isSealed: true })).block?.height ?? 0n
}

export const eventRoutes = [
  route({
    path: '/v1/events',
    operationId: 'getEvents',
    tag: 'Events',
    summary: 'Events of one type',
    access: 'client',
    query: z.object({ ...heightRange, block_ids: ids.prefault(''), type: z.string().default('') }),
    async handler({ query: { start_height: start, end_height: end, block_ids: blockIds, type }, caller: calls }) {
      if (blockIds.length > 0 && (start !== undefined || end !== undefined)) {
        throw badRequest('can only provide either block IDs or start and end height range')
      }
      if (blockIds.length === 0 && (start === undefined || end === undefined)) {
        throw badRequest('must provide either block IDs or start and end height range')
      }
      if (type === '') throw badRequest('event type must be provided')
      if (start === undefined || end === undefined)
        return { body: (await calls.ask(accessCalls.getEventsForBlockIDs, { type, blockIds })).results.map(resultJson) }
      const head = await latestHeight(calls)
      const [startHeight, endHeight] = [start === 'latest' ? head : start, end === 'latest' ? head : end]
      if (startHeight > endHeight) throw badRequest('start height must be less than or equal to end height')
      if (endHeight - startHeight >= maxHeights)
        throw badRequest(`height range ${endHeight - startHeight} exceeds maximum allowed of ${maxHeights}`)
      const { results } = await calls.ask(accessCalls.getEventsForHeightRange, { type, startHeight, endHeight })
      return { body: results.map(resultJson) }
    },
  }),
]
