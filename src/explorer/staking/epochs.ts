import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { amountFormat, countFormat, heightFormat, timestampFormat } from '../formats.ts'
import { listOf, page, wholeList } from '../paging/pages.ts'
import { cursorParameter, limitParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'

const view = z.int().min(0).nullable()
const nullIfNotIndexed = 'null if not indexed.'

const phaseNames = ['staking auction', 'setup', 'commit'] as const

export const epochStatusSchema = z
  .strictObject({
    epoch: countFormat.nullable().describe('Counter of the current epoch; null if unknown.'),
    epoch_progress: z
      .number()
      .min(0)
      .max(100)
      .nullable()
      .describe(
        'Progress in percent, 2 decimals: by views, or by time if views are unknown; null if both are unknown.',
      ),
    phase: z.int().min(0).max(2).nullable().describe('0 staking auction, 1 setup, 2 commit.'),
    phase_name: z.enum(phaseNames).nullable(),
    start_view: view.describe('First view.'),
    staking_end_view: view.describe('Last view of the staking auction.'),
    end_view: view.describe('Last view.'),
    current_view: view.describe('View at the last query of the chain; stored blocks have no view.'),
    start_height: heightFormat.nullable().describe('First block of the epoch.'),
    start_time: timestampFormat.nullable().describe('Time of the first block.'),
    target_end_time: timestampFormat.nullable().describe('Target end time.'),
    height: heightFormat.nullable().describe('Height at which epoch and phase were determined.'),
    source: z
      .enum(['chain', 'events'])
      .nullable()
      .describe('Source of epoch and phase: a query of the FlowEpoch contract, or its indexed events.'),
    updated_at: z.int().nullable().describe('Time of that height, seconds since 1970.'),
  })
  .meta({ id: 'EpochStatus' })
export type EpochStatus = z.output<typeof epochStatusSchema>

/** `chain_…`: last query of the chain. */
const epochStatusRow = z.object({
  chain_height: z.number().nullable(),
  chain_time: z.string().nullable(),
  chain_epoch: z.number().nullable(),
  chain_phase: z.number().nullable(),
  chain_view: z.number().nullable(),
  chain_start_view: z.number().nullable(),
  chain_staking_end_view: z.number().nullable(),
  chain_end_view: z.number().nullable(),
  chain_target_end_time: z.string().nullable(),
  event_height: z.number().nullable(),
  event_time: z.string().nullable(),
  epoch: z.number().nullable(),
  start_height: z.number().nullable(),
  start_time: z.string().nullable(),
  first_view: z.number().nullable(),
  staking_end_view: z.number().nullable(),
  final_view: z.number().nullable(),
  target_end_time: z.string().nullable(),
  is_next_set_up: z.boolean(),
  is_next_committed: z.boolean(),
})
type EpochStatusRow = z.output<typeof epochStatusRow>

/** Epoch and phase come from the newer source; other fields from either source for that epoch. */
export function presentEpochStatus(row: EpochStatusRow): EpochStatus {
  const source = sourceOf(row)
  const epoch = source === 'chain' ? row.chain_epoch : source === 'events' ? row.epoch : null
  const fromChain = epoch !== null && row.chain_epoch === epoch
  const fromEvents = epoch !== null && row.epoch === epoch
  const phase = source === 'chain' ? row.chain_phase : source === 'events' ? phaseByEvents(row) : null
  const now = source === 'chain' ? row.chain_time : source === 'events' ? row.event_time : null
  const startView = (fromEvents ? row.first_view : null) ?? (fromChain ? row.chain_start_view : null)
  const endView = (fromEvents ? row.final_view : null) ?? (fromChain ? row.chain_end_view : null)
  const currentView = fromChain ? row.chain_view : null
  const startTime = fromEvents ? row.start_time : null
  const targetEndTime = (fromEvents ? row.target_end_time : null) ?? (fromChain ? row.chain_target_end_time : null)
  return {
    epoch,
    epoch_progress:
      progress(startView, endView, currentView) ?? progress(seconds(startTime), seconds(targetEndTime), seconds(now)),
    phase,
    phase_name: phase === null ? null : (phaseNames[phase] ?? null),
    start_view: startView,
    staking_end_view: (fromEvents ? row.staking_end_view : null) ?? (fromChain ? row.chain_staking_end_view : null),
    end_view: endView,
    current_view: currentView,
    start_height: fromEvents ? row.start_height : null,
    start_time: startTime,
    target_end_time: targetEndTime,
    height: source === 'chain' ? row.chain_height : source === 'events' ? row.event_height : null,
    source,
    updated_at: seconds(now),
  }
}

function sourceOf(row: EpochStatusRow): EpochStatus['source'] {
  const hasEvents = row.epoch !== null && row.event_height !== null
  if (row.chain_height === null) return hasEvents ? 'events' : null
  return hasEvents && (row.event_height ?? 0) > row.chain_height ? 'events' : 'chain'
}

/** Setup follows the end of the auction; commit follows once the nodes have their keys. */
function phaseByEvents(row: EpochStatusRow): number {
  if (row.is_next_committed) return 2
  return row.is_next_set_up ? 1 : 0
}

function progress(start: number | null, end: number | null, now: number | null): number | null {
  if (start === null || end === null || now === null || end <= start) return null
  const share = Math.min(1, Math.max(0, (now - start) / (end - start)))
  return Math.round(share * 10_000) / 100
}

function seconds(time: string | null): number | null {
  return time === null ? null : Math.floor(Date.parse(time) / 1000)
}

export const epochSchema = z
  .strictObject({
    epoch: countFormat.describe('Epoch counter.'),
    status: z.enum(['planned', 'running', 'ended']).describe('planned: its start is not indexed.'),
    start_height: heightFormat.nullable().describe(`First block; ${nullIfNotIndexed}`),
    end_height: heightFormat.nullable().describe(`Last block; ${nullIfNotIndexed}`),
    block_count: countFormat.nullable().describe('Number of blocks.'),
    start_time: timestampFormat.nullable(),
    end_time: timestampFormat.nullable(),
    target_end_time: timestampFormat.nullable().describe('Target end time.'),
    start_view: view.describe('First view.'),
    staking_end_view: view.describe('Last view of the staking auction.'),
    end_view: view.describe('Last view.'),
    setup_height: heightFormat.nullable().describe('Block of its EpochSetup.'),
    commit_height: heightFormat.nullable().describe('Block of its EpochCommit.'),
    total_nodes: countFormat.nullable().describe('Participating nodes.'),
    total_staked: amountFormat.nullable().describe('FLOW staked by nodes and delegators, excluding access nodes.'),
    total_supply: amountFormat.nullable().describe('FLOW supply at its start.'),
    total_rewards: amountFormat.nullable().describe('Expected rewards in FLOW, as announced at its start.'),
    payout_height: heightFormat.nullable().describe('Block of the reward payout.'),
    payout_time: timestampFormat.nullable(),
    payout_total: amountFormat.nullable().describe('FLOW paid to nodes and delegators.'),
    payout_from_fees: amountFormat.nullable().describe('Part of the payout from transaction fees.'),
    payout_minted: amountFormat.nullable().describe('Part of the payout that was minted.'),
    payout_fees_burned: amountFormat.nullable().describe('Burned fees in FLOW.'),
  })
  .meta({ id: 'EpochNumbers' })
export type Epoch = z.output<typeof epochSchema>

export const tokenomicsSchema = z
  .strictObject({
    epoch: countFormat.nullable().describe('Epoch of stake and supply.'),
    total_supply: amountFormat.nullable().describe('FLOW supply.'),
    total_staked: amountFormat.nullable().describe('FLOW staked by nodes and delegators, excluding access nodes.'),
    staked_share: z.number().nullable().describe('Share of the supply that is staked, in percent, 2 decimals.'),
    validator_count: countFormat.nullable().describe('Participating nodes.'),
    epoch_payout: amountFormat.nullable().describe('FLOW paid for the newest epoch with a payout.'),
    staking_apy: z
      .number()
      .nullable()
      .describe(
        'Payout relative to the stake of its epoch, extrapolated to a year, in percent, 2 decimals; null if the ' +
          'length of the epoch is unknown.',
      ),
    source: z
      .enum(['chain', 'events'])
      .nullable()
      .describe('Source of supply and stake: a query of the contracts, or indexed events.'),
    updated_at: z.int().nullable().describe('Time of the data, seconds since 1970.'),
  })
  .meta({ id: 'NetworkTokenomics' })
export type Tokenomics = z.output<typeof tokenomicsSchema>

/** The newest epoch is the last one started below the first coverage gap. */
export async function readEpochStatus(database: DatabasePool): Promise<EpochStatusRow> {
  return database.one(sql.type(epochStatusRow)`
    select s.height as chain_height, s.block_time as chain_time, s.epoch as chain_epoch, s.epoch_phase as chain_phase,
      s.chain_view, s.epoch_start_view as chain_start_view,
      s.staking_end_view as chain_staking_end_view, s.epoch_end_view as chain_end_view,
      s.target_end_time as chain_target_end_time, started.height as event_height, b.timestamp as event_time, e.epoch,
      e.start_height, e.start_time, e.first_view, e.staking_end_view, e.final_view, e.target_end_time,
      n.setup_height is not null as is_next_set_up, n.commit_height is not null as is_next_committed
    from (values (true)) as one
    left join app.network_state s on s.subject = 'network'
    left join lateral (
      select * from app.epoch_stats where start_height is not null order by epoch desc limit 1
    ) e on true
    left join app.epoch_stats n on n.epoch = e.epoch + 1
    left join lateral (
      select upper(r) - 1 as height from app.coverage c cross join lateral unnest(c.covered) as r
      where c.service_name = 'staking_worker' and r @> e.start_height
    ) started on true
    left join raw.blocks b on b.height = started.height
  `)
}

export async function listEpochs(
  database: DatabasePool,
  before: number | undefined,
  count: number,
): Promise<readonly Epoch[]> {
  return database.any(sql.type(epochSchema)`
    select e.epoch,
      case when e.start_height is null then 'planned'
        when e.end_height is not null or exists (
          select from app.epoch_stats l where l.epoch > e.epoch and l.start_height is not null
        ) then 'ended' else 'running' end as status,
      e.start_height, e.end_height, e.end_height - e.start_height + 1 as block_count, e.start_time, e.end_time,
      e.target_end_time, e.first_view as start_view, e.staking_end_view, e.final_view as end_view, e.setup_height,
      e.commit_height, e.total_nodes, e.total_staked::text as total_staked, e.total_supply::text as total_supply,
      e.total_rewards::text as total_rewards, e.payout_height, e.payout_time, e.payout_total::text as payout_total,
      e.payout_from_fees::text as payout_from_fees, e.payout_minted::text as payout_minted,
      e.payout_fees_burned::text as payout_fees_burned
    from app.epoch_stats e
    where e.epoch < ${before ?? Number.MAX_SAFE_INTEGER}
    order by e.epoch desc
    limit ${count}
  `)
}

/**
 * From the last query of the chain, else from the start of the newest epoch that has the data. The
 * yield is that of the newest epoch with payout, stake and length.
 */
export async function readTokenomics(database: DatabasePool): Promise<Tokenomics> {
  return database.one(sql.type(tokenomicsSchema)`
    with known as (
      (select 1 as rank, 'chain' as source, epoch, total_supply, total_staked, staked_node_count as validator_count,
         block_time as event_at
       from app.network_state where height is not null)
      union all
      (select 2, 'events', epoch, total_supply, total_staked, total_nodes, start_time
       from app.epoch_stats where total_staked is not null order by epoch desc limit 1)
      order by rank limit 1
    ), paid as (
      select payout_total from app.epoch_stats where payout_total is not null order by epoch desc limit 1
    ), earned as (
      select payout_total / total_staked * 31557600 / extract(epoch from end_time - start_time) * 100 as percent
      from app.epoch_stats
      where payout_total is not null and total_staked > 0 and end_time > start_time
      order by epoch desc limit 1
    )
    select k.epoch, k.total_supply::text as total_supply, k.total_staked::text as total_staked,
      round(k.total_staked / nullif(k.total_supply, 0) * 100, 2)::float8 as staked_share, k.validator_count,
      p.payout_total::text as epoch_payout, round(e.percent, 2)::float8 as staking_apy, k.source,
      floor(extract(epoch from k.event_at))::bigint as updated_at
    from (values (true)) as one
    left join known k on true
    left join paid p on true
    left join earned e on true
  `)
}

const status = defineRoute({
  path: '/status/epoch/status',
  operationId: 'getEpochStatus',
  tag: 'Statistics',
  summary: 'Current epoch',
  description: 'From the last query of the chain or from indexed events, whichever is newer; null if unknown.',
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

export const exampleEpoch: Epoch = {
  epoch: 253,
  status: 'ended',
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
}

const stat = defineRoute({
  path: '/status/epoch/stat',
  operationId: 'listEpochNumbers',
  tag: 'Statistics',
  summary: 'Epochs with stake and rewards, newest first',
  query: z.object({
    limit: limitParameter({ default: 20, max: 200 }),
    cursor: cursorParameter(/^(\d{1,15})?$/, '<epoch>'),
  }),
  response: listOf(epochSchema, 'EpochNumbers'),
  example: {
    data: [exampleEpoch],
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

export const exampleTokenomics = {
  epoch: 254,
  total_supply: '1603661041.00000000',
  total_staked: '893120551.12345678',
  staked_share: 55.69,
  validator_count: 431,
  epoch_payout: '1554021.00000000',
  staking_apy: 9.07,
  source: 'chain' as const,
  updated_at: 1751371200,
}

const tokenomics = defineRoute({
  path: '/status/tokenomics',
  operationId: 'getNetworkTokenomics',
  tag: 'Statistics',
  summary: 'FLOW supply, stake and yield',
  response: listOf(tokenomicsSchema, 'NetworkTokenomics'),
  example: wholeList([exampleTokenomics]),
  handler: async (_input, { database }) => ({ body: wholeList([await readTokenomics(database)]), caching: 'minute' }),
})

const unknownSupply = { 503: 'The supply is not known yet.' }

async function requireSupply(database: DatabasePool): Promise<string> {
  const { total_supply: supply } = await readTokenomics(database)
  if (supply === null) throw new ApiError(503, 'unknown-supply', `${unknownSupply[503]} Retry later.`)
  return supply
}

/** For price services, which expect a number and nothing else. */
const totalSupply = defineRoute({
  path: '/public/v1/totalSupply',
  operationId: 'getTotalSupply',
  tag: 'Statistics',
  summary: 'FLOW supply, without decimals',
  response: z.string(),
  contentType: 'text/plain; charset=utf-8',
  problems: unknownSupply,
  example: '1603661041',
  handler: async (_input, { database }) => ({
    body: (await requireSupply(database)).replace(/\..*/, ''),
    caching: 'minute',
  }),
})

const totalSupplyWithDecimals = defineRoute({
  path: '/public/v1/totalSupplyWithDecimal',
  operationId: 'getTotalSupplyWithDecimal',
  tag: 'Statistics',
  summary: 'FLOW supply, with decimals',
  response: z.string(),
  contentType: 'text/plain; charset=utf-8',
  problems: unknownSupply,
  example: '1603661041.00000000',
  handler: async (_input, { database }) => {
    const [whole = '', decimals = ''] = (await requireSupply(database)).split('.')
    return { body: `${whole}.${decimals.padEnd(8, '0')}`, caching: 'minute' }
  },
})

export const epochRoutes = [status, stat, tokenomics, totalSupply, totalSupplyWithDecimals]
