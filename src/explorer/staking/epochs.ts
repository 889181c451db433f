import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { amountFormat, countFormat, heightFormat, timestampFormat } from '../formats.ts'
import { listOf, page, wholeList } from '../paging/pages.ts'
import { cursorParameter, limitParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'

const view = z.int().min(0).nullable()
const notTold = 'null where no indexed event told.'

const phaseNames = ['staking auction', 'setup', 'commit'] as const

/** Where the running epoch is. */
export const epochStatusSchema = z
  .strictObject({
    epoch: countFormat.nullable().describe('Counter of the epoch that runs; null where it is not known.'),
    epoch_progress: z
      .number()
      .min(0)
      .max(100)
      .nullable()
      .describe(
        'How much of it is over, in percent, 2 decimals: by views, or where these are not known by time; null ' +
          'where neither is known.',
      ),
    phase: z.int().min(0).max(2).nullable().describe('0 staking auction, 1 setup, 2 commit.'),
    phase_name: z.enum(phaseNames).nullable(),
    start_view: view.describe('First view of the epoch.'),
    staking_end_view: view.describe('Last view of its staking auction.'),
    end_view: view.describe('Last view of the epoch.'),
    current_view: view.describe(
      'View of the newest block of which the chain was asked; blocks are stored without theirs.',
    ),
    start_height: heightFormat.nullable().describe('First block of the epoch.'),
    start_time: timestampFormat.nullable().describe('Time of that block.'),
    target_end_time: timestampFormat.nullable().describe('When it is meant to end.'),
    height: heightFormat.nullable().describe('The block of which epoch and phase are told.'),
    source: z
      .enum(['chain', 'events'])
      .nullable()
      .describe('Who told epoch and phase: the contract FlowEpoch when it was asked, or its indexed events.'),
    updated_at: z.int().nullable().describe('Time of that block, seconds since 1970.'),
  })
  .meta({ id: 'EpochStatus' })
export type EpochStatus = z.output<typeof epochStatusSchema>

/** What the chain said when it was asked, and what its events said. */
const epochStatusRow = z.object({
  asked_height: z.number().nullable(),
  asked_time: z.string().nullable(),
  asked_epoch: z.number().nullable(),
  asked_phase: z.number().nullable(),
  asked_view: z.number().nullable(),
  asked_start_view: z.number().nullable(),
  asked_staking_end_view: z.number().nullable(),
  asked_end_view: z.number().nullable(),
  asked_target_end_time: z.string().nullable(),
  told_height: z.number().nullable(),
  told_time: z.string().nullable(),
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

/** Takes epoch and phase from whoever told of the newer block, and the rest from whoever knows it of that epoch. */
export function presentEpochStatus(row: EpochStatusRow): EpochStatus {
  const source = sourceOf(row)
  const epoch = source === 'chain' ? row.asked_epoch : source === 'events' ? row.epoch : null
  const asked = epoch !== null && row.asked_epoch === epoch
  const told = epoch !== null && row.epoch === epoch
  const phase = source === 'chain' ? row.asked_phase : source === 'events' ? phaseByEvents(row) : null
  const now = source === 'chain' ? row.asked_time : source === 'events' ? row.told_time : null
  const startView = (told ? row.first_view : null) ?? (asked ? row.asked_start_view : null)
  const endView = (told ? row.final_view : null) ?? (asked ? row.asked_end_view : null)
  const currentView = asked ? row.asked_view : null
  const startTime = told ? row.start_time : null
  const targetEndTime = (told ? row.target_end_time : null) ?? (asked ? row.asked_target_end_time : null)
  return {
    epoch,
    epoch_progress:
      progress(startView, endView, currentView) ?? progress(seconds(startTime), seconds(targetEndTime), seconds(now)),
    phase,
    phase_name: phase === null ? null : (phaseNames[phase] ?? null),
    start_view: startView,
    staking_end_view: (told ? row.staking_end_view : null) ?? (asked ? row.asked_staking_end_view : null),
    end_view: endView,
    current_view: currentView,
    start_height: told ? row.start_height : null,
    start_time: startTime,
    target_end_time: targetEndTime,
    height: source === 'chain' ? row.asked_height : source === 'events' ? row.told_height : null,
    source,
    updated_at: seconds(now),
  }
}

function sourceOf(row: EpochStatusRow): EpochStatus['source'] {
  const isTold = row.epoch !== null && row.told_height !== null
  if (row.asked_height === null) return isTold ? 'events' : null
  return isTold && (row.told_height ?? 0) > row.asked_height ? 'events' : 'chain'
}

/** The next epoch is set up when the auction has ended, and committed when its nodes have their keys. */
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

/** One epoch. */
export const epochSchema = z
  .strictObject({
    epoch: countFormat.describe('Counter of the epoch.'),
    status: z.enum(['planned', 'running', 'ended']).describe('planned: no indexed event told that it started.'),
    start_height: heightFormat.nullable().describe(`Block in which it started; ${notTold}`),
    end_height: heightFormat.nullable().describe(`Last block of it; ${notTold}`),
    block_count: countFormat.nullable().describe('Blocks from the one to the other.'),
    start_time: timestampFormat.nullable(),
    end_time: timestampFormat.nullable(),
    target_end_time: timestampFormat.nullable().describe('When it is meant to end.'),
    start_view: view.describe('First view.'),
    staking_end_view: view.describe('Last view of the staking auction.'),
    end_view: view.describe('Last view.'),
    setup_height: heightFormat.nullable().describe('Block of the event that told its nodes.'),
    commit_height: heightFormat.nullable().describe('Block of its EpochCommit.'),
    total_nodes: countFormat.nullable().describe('Nodes that take part.'),
    total_staked: amountFormat.nullable().describe('FLOW staked by nodes and delegators, without access nodes.'),
    total_supply: amountFormat.nullable().describe('FLOW in all when it started.'),
    total_rewards: amountFormat.nullable().describe('FLOW to be paid for it, as told when it started.'),
    payout_height: heightFormat.nullable().describe('Block in which its rewards were paid.'),
    payout_time: timestampFormat.nullable(),
    payout_total: amountFormat.nullable().describe('FLOW that was paid to nodes and delegators.'),
    payout_from_fees: amountFormat.nullable().describe('FLOW of it that came from transaction fees.'),
    payout_minted: amountFormat.nullable().describe('FLOW of it that was made.'),
    payout_fees_burned: amountFormat.nullable().describe('FLOW of the fees that was destroyed.'),
  })
  .meta({ id: 'EpochNumbers' })
export type Epoch = z.output<typeof epochSchema>

/** FLOW: how much there is, how much of it is staked, and what that earns. */
export const tokenomicsSchema = z
  .strictObject({
    epoch: countFormat.nullable().describe('The epoch of which stake and supply are told.'),
    total_supply: amountFormat.nullable().describe('FLOW in existence.'),
    total_staked: amountFormat.nullable().describe('FLOW staked by nodes and delegators, without access nodes.'),
    staked_share: z.number().nullable().describe('total_staked of total_supply, in percent, 2 decimals.'),
    validator_count: countFormat.nullable().describe('Nodes that take part in the epoch.'),
    epoch_payout: amountFormat.nullable().describe('FLOW paid for the newest epoch whose rewards are paid.'),
    staking_apy: z
      .number()
      .nullable()
      .describe(
        'That payout as a part of what was staked in its epoch, for a year of such epochs, in percent, 2 decimals; ' +
          'null where the ' +
          'length of the epoch is not known.',
      ),
    source: z
      .enum(['chain', 'events'])
      .nullable()
      .describe('Who told supply and stake: the contracts when they were asked, or indexed events.'),
    updated_at: z.int().nullable().describe('When that was so, seconds since 1970.'),
  })
  .meta({ id: 'NetworkTokenomics' })
export type Tokenomics = z.output<typeof tokenomicsSchema>

/**
 * What is known of the running epoch: from the chain, when it was asked, and from the newest epoch that an event
 * started, as far above it as the heights are derived without a gap. Some rows by their keys.
 */
export async function readEpochStatus(database: DatabasePool): Promise<EpochStatusRow> {
  return database.one(sql.type(epochStatusRow)`
    select s.height as asked_height, s.block_time as asked_time, s.epoch as asked_epoch, s.epoch_phase as asked_phase,
      s.chain_view as asked_view, s.epoch_start_view as asked_start_view,
      s.staking_end_view as asked_staking_end_view, s.epoch_end_view as asked_end_view,
      s.target_end_time as asked_target_end_time, told.height as told_height, b.timestamp as told_time, e.epoch,
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
    ) told on true
    left join raw.blocks b on b.height = told.height
  `)
}

/** Up to `count` epochs below one, the newest first: rows of the key in its order, of which there are some hundreds. */
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
 * Supply and stake: as the chain told when it was asked, else as the newest epoch that tells of them began. What the
 * stake earned is that of the newest epoch whose payout, stake and length are known. app.epoch_stats has some
 * hundreds of rows.
 */
export async function readTokenomics(database: DatabasePool): Promise<Tokenomics> {
  return database.one(sql.type(tokenomicsSchema)`
    with known as (
      (select 1 as rank, 'chain' as source, epoch, total_supply, total_staked, staked_node_count as validator_count,
         block_time as told_at
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
      floor(extract(epoch from k.told_at))::bigint as updated_at
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
