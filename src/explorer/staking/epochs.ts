import { z } from 'zod'
import { listOf, page, wholeList } from '../paging/pages.ts'
import { cursorParameter, limitParameter } from '../parameters.ts'
import {
  epochSchema,
  epochStatusSchema,
  presentEpochStatus,
  tokenomicsSchema,
  listEpochs,
  readEpochStatus,
  readTokenomics,
} from './epoch-schema.ts'
import { defineRoute } from '../route.ts'

const status = defineRoute({
  path: '/status/epoch/status',
  operationId: 'getEpochStatus',
  tag: 'Statistics',
  summary: 'Where the running epoch is',
  description:
    'From what the chain said when it was asked and from its indexed events, whichever is newer; null where ' +
    'neither tells.',
  response: listOf(epochStatusSchema, 'EpochStatus'),
  example: wholeList([
    {
      epoch: 254,
      epoch_progress: 41.37,
      phase: 0,
      phase_name: 'staking auction' as const,
      start_view: 154030001,
      staking_end_view: 154650000,
      end_view: 154810000,
      current_view: 154352700,
      start_height: 118320117,
      start_time: '2025-06-28T20:00:01.100Z',
      target_end_time: '2025-07-05T20:00:00.000Z',
      height: 118542743,
      source: 'chain' as const,
      updated_at: 1751371200,
    },
  ]),
  handler: async (_input, { database }) => ({ body: wholeList([presentEpochStatus(await readEpochStatus(database))]) }),
})

const stat = defineRoute({
  path: '/status/epoch/stat',
  operationId: 'listEpochNumbers',
  tag: 'Statistics',
  summary: 'Epochs with their stake and rewards, the newest first',
  query: z.object({
    limit: limitParameter({ default: 20, max: 200 }),
    cursor: cursorParameter(/^(\d{1,15})?$/, '<epoch>'),
  }),
  response: listOf(epochSchema, 'EpochNumbers'),
  example: {
    data: [
      {
        epoch: 253,
        status: 'ended' as const,
        start_height: 117562034,
        end_height: 118320116,
        block_count: 758083,
        start_time: '2025-06-21T20:00:00.700Z',
        end_time: '2025-06-28T20:00:01.100Z',
        target_end_time: '2025-06-28T20:00:00.000Z',
        start_view: 153250001,
        staking_end_view: 153870000,
        end_view: 154030000,
        setup_height: 117498310,
        commit_height: 117509144,
        total_nodes: 431,
        total_staked: '893120551.12345678',
        total_supply: '1602110231.44000000',
        total_rewards: '1554021.00000000',
        payout_height: 118331207,
        payout_time: '2025-06-28T22:40:12.010Z',
        payout_total: '1554021.00000000',
        payout_from_fees: '2210.10000000',
        payout_minted: '1551810.90000000',
        payout_fees_burned: '0.00000000',
      },
    ],
    has_more: true,
    cursor: '253',
    _meta: { limit: 1, count: 1 },
  },
  handler: async ({ query: { limit, cursor } }, { database }) => {
    const before = cursor === undefined || cursor === '' ? undefined : Number(cursor)
    const rows = await listEpochs(database, before, limit + 1)
    return {
      body: page(
        rows,
        limit,
        (row) => row,
        ({ epoch }) => String(epoch),
      ),
    }
  },
})

const tokenomics = defineRoute({
  path: '/status/tokenomics',
  operationId: 'getNetworkTokenomics',
  tag: 'Statistics',
  summary: 'How much FLOW there is and is staked, and what that earns',
  response: listOf(tokenomicsSchema, 'NetworkTokenomics'),
  example: wholeList([
    {
      epoch: 254,
      total_supply: '1603661041.00000000',
      total_staked: '893120551.12345678',
      staked_share: 55.69,
      validator_count: 431,
      epoch_payout: '1554021.00000000',
      staking_apy: 9.07,
      source: 'chain' as const,
      updated_at: 1751371200,
    },
  ]),
  handler: async (_input, { database }) => ({ body: wholeList([await readTokenomics(database)]), caching: 'minute' }),
})

/** Epochs, and what FLOW there is. */
export const epochRoutes = [status, stat, tokenomics]
