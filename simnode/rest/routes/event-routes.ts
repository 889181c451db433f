import type { EventsResponse_Result } from '../../../src/access/gen/flow/access/access_pb.ts'
import { accessCalls } from '../access-calls.ts'
import type { RestCalls } from '../rest-calls.ts'
import type { RestRoute } from '../rest-route.ts'
import { badRequest, hex, readHeight, readIds } from '../rest-values.ts'
import { timeText } from './block-routes.ts'
import { eventJson } from './transaction-json.ts'

/** Source: onflow/flow-go `engine/access/rest/http/request/get_events.go`. */
const mostHeights = 250n
const mostBlocks = 50

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
  return (await calls.ask(accessCalls.latestBlock, { isSealed: true })).block?.height ?? 0n
}

/** Events of one type, of blocks by height or by id. */
export const eventRoutes: readonly RestRoute[] = [
  {
    method: 'GET',
    path: '/v1/events',
    async answer(calls, { query }) {
      const [start, end] = [
        readHeight(query.get('start_height'), 'start height'),
        readHeight(query.get('end_height'), 'end height'),
      ]
      const blockIds = readIds(query.get('block_ids'), mostBlocks)
      const type = query.get('type') ?? ''
      if (blockIds.length > 0 && (start !== undefined || end !== undefined)) {
        throw badRequest('can only provide either block IDs or start and end height range')
      }
      if (blockIds.length === 0 && (start === undefined || end === undefined)) {
        throw badRequest('must provide either block IDs or start and end height range')
      }
      if (type === '') throw badRequest('event type must be provided')
      if (start === undefined || end === undefined)
        return (await calls.ask(accessCalls.eventsOfBlocks, { type, blockIds })).results.map(resultJson)
      const head = await latestHeight(calls)
      const [startHeight, endHeight] = [start === 'latest' ? head : start, end === 'latest' ? head : end]
      if (startHeight > endHeight) throw badRequest('start height must be less than or equal to end height')
      if (endHeight - startHeight >= mostHeights)
        throw badRequest(`height range ${endHeight - startHeight} exceeds maximum allowed of ${mostHeights}`)
      return (await calls.ask(accessCalls.eventsOfHeights, { type, startHeight, endHeight })).results.map(resultJson)
    },
  },
]
