import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { readBounds, readBoundsOfDays } from '../paging/bounds.ts'
import { listOf, page, singleOf, keyCursor, keyParts } from '../paging/pages.ts'
import { eventCursor, parseEventCursor } from '../paging/event-pages.ts'
import { heightFormat } from '../formats.ts'
import { contractParameter, dayFilters, limitParameter } from '../parameters.ts'
import {
  defiAssetSchema,
  defiEventSchema,
  defiEventTypes,
  defiPairSchema,
  dexKeys,
  presentDefiAsset,
  presentDefiEvent,
  presentDefiPair,
} from './schema.ts'
import type { DefiEventItem } from './schema.ts'
import { readBlockTimes } from '../blocks/queries.ts'
import { isKnownPair, listDefiAssets, listDefiEvents, listDefiPairs, readSymbols } from './queries.ts'
import { defineRoute } from '../route.ts'

const tag = 'DeFi'
const limit = limitParameter({ default: 20, max: 200 })
const pairParameter = contractParameter().optional().describe('Pair of the events.')

const latestBlock = defineRoute({
  path: '/defi/latest-block',
  operationId: 'getLatestDefiBlock',
  tag,
  summary: 'Newest indexed block',
  response: singleOf(
    z.strictObject({ latest_block: heightFormat.nullable().describe('Height; null before the first block.') }),
    'LatestBlock',
  ),
  example: { data: [{ latest_block: 118_542_743 }] },
  handler: async (_input, { database }) => ({
    body: { data: [{ latest_block: (await readBounds(database))?.max ?? null }] },
  }),
})

const assetCursor = keyCursor({ id: keyParts.contract })

const assetList = defineRoute({
  path: '/defi/asset',
  operationId: 'listDefiAssets',
  tag,
  summary: 'Tokens of exchange pairs, by id',
  query: z.object({ limit, cursor: assetCursor.parameter }),
  response: listOf(defiAssetSchema, 'DefiAsset'),
  example: {
    data: [
      {
        id: 'A.1654653399040a61.FlowToken',
        symbol: 'FLOW',
        name: 'FLOW Network Token',
        logo: 'https://flow.com/logo.svg',
        contract_name: 'FlowToken',
        price_usd: '0.3512',
      },
    ],
    has_more: true,
    cursor: 'A.1654653399040a61.FlowToken',
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ query: { cursor, limit: max } }, { database }) => {
    const rows = await listDefiAssets(database, assetCursor.parse(cursor)?.id, max + 1)
    return { body: page(rows, max, presentDefiAsset, assetCursor.format) }
  },
})

const pairCursor = keyCursor({
  last_height: keyParts.height,
  last_tx_index: keyParts.index,
  last_event_index: keyParts.index,
  id: keyParts.contract,
})

const pairList = defineRoute({
  path: '/defi/pair',
  operationId: 'listDefiPairs',
  tag,
  summary: 'Exchange pairs, most recently active first',
  description: 'A pair that becomes active during paging may appear twice.',
  query: z.object({
    limit,
    cursor: pairCursor.parameter,
    dex: z
      .enum(dexKeys, `must be one of ${dexKeys.join(', ')}`)
      .optional()
      .describe('Exchange.'),
    asset: contractParameter().optional().describe('Token of the pairs.'),
    pair_id: contractParameter().optional().describe('A single pair.'),
  }),
  response: listOf(defiPairSchema, 'DefiPair'),
  example: {
    data: [
      {
        id: 'A.fa82796435e15832.SwapPair',
        dex_key: 'incrementfi',
        address: '0xfa82796435e15832',
        asset0_id: 'A.1654653399040a61.FlowToken',
        asset1_id: 'A.b19436aae4d94622.FiatToken',
        asset0_symbol: 'FLOW',
        asset1_symbol: 'USDC',
        is_stable: false,
        fee_bps: 30,
        reserves_asset0: '102311.00412210',
        reserves_asset1: '35931.62345100',
        price: '0.351199812003417765',
        swap_count_7d: 812,
        volume_asset0_7d: '48211.10250000',
        volume_asset1_7d: '16933.81450211',
        created_height: 23_184_550,
        last_height: 118_542_743,
        updated_at: '2025-07-01T12:00:00.250Z',
      },
    ],
    has_more: true,
    cursor: '118542743:0:12:A.fa82796435e15832.SwapPair',
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ query: { cursor, limit: max, dex, asset, pair_id: pair } }, { database }) => {
    const key = pairCursor.parse(cursor)
    const rows = await listDefiPairs(
      database,
      { dex, asset, pair },
      key === undefined
        ? undefined
        : {
            height: Number(key.last_height),
            txIndex: Number(key.last_tx_index),
            eventIndex: Number(key.last_event_index),
            pair: key.id,
          },
      max + 1,
    )
    const times = await readBlockTimes(
      database,
      rows.map((row) => row.last_height),
    )
    return { body: page(rows, max, (row) => presentDefiPair(row, times), pairCursor.format) }
  },
})

const exampleSwap: DefiEventItem = {
  block_height: 118_542_743,
  transaction_id: '3f1c9b8e27d64a05c8f2e1b79d3a604f5e8c27b1906fd4a38e5b2c7d10f9a6e4',
  transaction_index: 0,
  event_index: 12,
  pair_id: 'A.fa82796435e15832.SwapPair',
  event_type: 'Swap',
  maker: '0x18eb4ee6b3c026d2',
  direction: 'asset0_to_asset1',
  asset0_id: 'A.1654653399040a61.FlowToken',
  asset1_id: 'A.b19436aae4d94622.FiatToken',
  asset0_symbol: 'FLOW',
  asset1_symbol: 'USDC',
  asset0_in: '10.00000000',
  asset0_out: null,
  asset1_in: null,
  asset1_out: '3.51199812',
  lp_amount: null,
  price_native: '0.351199812',
  timestamp: '2025-07-01T12:00:00.250Z',
}

const eventList = defineRoute({
  path: '/defi/events',
  operationId: 'listDefiEvents',
  tag,
  summary: 'Swaps, liquidity changes and flash loans, latest first',
  query: z.object({
    limit,
    cursor: eventCursor.parameter,
    pair_id: pairParameter,
    event_type: z
      .enum(defiEventTypes, `must be one of ${defiEventTypes.join(', ')}`)
      .optional()
      .describe('Event type.'),
    ...dayFilters,
  }),
  response: listOf(defiEventSchema, 'DefiEvent'),
  example: { data: [exampleSwap], has_more: true, cursor: '118542743:0:12', _meta: { limit: 1, count: 1 } },
  handler: async ({ query: { cursor, limit: max, pair_id: pair, event_type: type, ...days } }, { database }) => {
    const before = parseEventCursor(cursor)
    const rows = await listDefiEvents(database, await readBoundsOfDays(database, days), { pair, type }, before, max + 1)
    const symbols = await readSymbols(
      database,
      rows.flatMap(({ row }) => [row.asset0, row.asset1]),
    )
    return {
      body: page(
        rows,
        max,
        (event) => presentDefiEvent(event, symbols),
        ({ row }) => eventCursor.format(row),
      ),
    }
  },
})

const latestSwap = defineRoute({
  path: '/defi/latest-swap',
  operationId: 'getLatestSwap',
  tag,
  summary: 'Latest swap of all pairs or one pair',
  query: z.object({ pair_id: pairParameter }),
  response: singleOf(defiEventSchema, 'DefiEvent'),
  problems: { 404: 'The pair is unknown or has no swap.' },
  example: { data: [exampleSwap] },
  handler: async ({ query: { pair_id: pair } }, { database }) => {
    const [swap] = await listDefiEvents(database, await readBounds(database), { pair, type: 'Swap' }, undefined, 1)
    if (swap === undefined) {
      if (pair !== undefined && !(await isKnownPair(database, pair))) {
        throw new ApiError(404, 'unknown-pair', `Pair ${pair} is unknown.`, { field: 'pair_id' })
      }
      throw new ApiError(404, 'no-swap', 'No swap is indexed yet.')
    }
    const symbols = await readSymbols(database, [swap.row.asset0, swap.row.asset1])
    return { body: { data: [presentDefiEvent(swap, symbols)] } }
  },
})

export const defiRoutes = [assetList, pairList, eventList, latestSwap, latestBlock]
