import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { amountFormat, countFormat, heightFormat, timestampFormat } from '../formats.ts'
import type { Grain, MeasureName } from '../../measures/measures.ts'
import { listOf, wholeList } from '../paging/pages.ts'
import type { List } from '../paging/pages.ts'
import { dayParameter, resolveDays, dayFormat, integerParameter } from '../parameters.ts'
import type { DaySpan, DayRange } from '../parameters.ts'
import { readIndexedDays, seriesFragment } from './insights.ts'
import { defineRoute } from '../route.ts'
import type { Answer } from '../../platform/http/route.ts'
import type { Services } from '../route.ts'
import { requireToken, tokenParameters, unknownToken } from '../tokens/queries.ts'
import { nftTypeParameters, requireNftCollection, unknownNftCollection } from '../nfts/queries.ts'

const timescales = ['hourly', 'daily', 'weekly', 'monthly'] as const
type Timescale = (typeof timescales)[number]

const periodSchema = z
  .strictObject({
    date: dayFormat.describe('First day of the period, UTC.'),
    timestamp: timestampFormat.describe('Start of the period.'),
    block_count: countFormat.describe('Indexed blocks.'),
    tx_count: countFormat.describe('Transactions, including system transactions.'),
    system_tx_count: countFormat.describe('System transactions, including scheduled transactions.'),
    evm_tx_count: countFormat.describe('Transactions that executed EVM transactions.'),
    failed_tx_count: countFormat.describe('Failed user transactions.'),
    event_count: countFormat,
    total_gas_used: countFormat.describe('Computation used.'),
    fees: amountFormat.describe('Deducted fees in FLOW.'),
    ft_transfers: countFormat.describe('Fungible token transfers, excluding fees.'),
    nft_transfers: countFormat.describe('NFT transfers.'),
    active_accounts: countFormat
      .nullable()
      .describe(
        'Accounts that proposed, paid for or authorized a transaction. Null except for days, as accounts are counted ' +
          'per day.',
      ),
    daily_active_accounts: z
      .number()
      .min(0)
      .nullable()
      .describe('Mean daily active accounts over the days with blocks, 2 decimals; null for hours.'),
    new_accounts: countFormat.describe('Created accounts.'),
    new_contracts: countFormat.describe('Deployed contracts.'),
  })
  .meta({ id: 'PeriodNumbers' })
export type Period = z.output<typeof periodSchema>

const chainNumbersSchema = z
  .strictObject({
    min_height: heightFormat.nullable().describe('Lowest stored height; null if nothing is stored.'),
    max_height: heightFormat.nullable().describe('Highest stored height; null if nothing is stored.'),
    block_count: countFormat.describe('Stored blocks.'),
    tx_count: countFormat.describe('Stored transactions.'),
    event_count: countFormat.describe('Stored events.'),
  })
  .meta({ id: 'ChainNumbers' })
type ChainNumbers = z.output<typeof chainNumbersSchema>

/** Field names of another route. */
const chainCountsSchema = z
  .strictObject({
    block_count: countFormat.describe('Stored blocks.'),
    transaction_count: countFormat.describe('Stored transactions.'),
    max_height: heightFormat.nullable().describe('Highest stored height; null if nothing is stored.'),
  })
  .meta({ id: 'ChainCounts' })

const periodRow = z.object({
  date: z.string(),
  timestamp: z.string(),
  block_count: z.number(),
  tx_count: z.number(),
  system_tx_count: z.number(),
  evm_tx_count: z.number(),
  failed_tx_count: z.number(),
  event_count: z.number(),
  total_gas_used: z.number(),
  fees: z.string(),
  ft_transfers: z.number(),
  nft_transfers: z.number(),
  new_accounts: z.number(),
  new_contracts: z.number(),
  indexed_days: z.number(),
  account_days: z.number(),
})
type PeriodRow = z.output<typeof periodRow>

function presentPeriod(
  { indexed_days: days, account_days: accounts, ...numbers }: PeriodRow,
  timescale: Timescale,
): Period {
  return {
    ...numbers,
    active_accounts: timescale === 'daily' ? accounts : null,
    daily_active_accounts: timescale === 'hourly' ? null : Math.round((accounts / days) * 100) / 100,
  }
}

/** Ten years of days (about 88,000 hours) or a month of hours (744). */
const spans: Readonly<Record<Timescale, DaySpan>> = {
  hourly: { default: 7, max: 31 },
  daily: { default: 3660, max: 3660 },
  weekly: { default: 3660, max: 3660 },
  monthly: { default: 3660, max: 3660 },
}

const rangeParameters = {
  from: dayParameter(
    'First day, UTC. Default: all days, or 7 days for hours. Maximum range: 3,660 days, or 31 days for hours. Weeks ' +
      'and months that contain this day are complete.',
  ),
  to: dayParameter('Last day, UTC. Default: the newest indexed day.'),
}

const examplePeriod: Period = {
  date: '2025-07-01',
  timestamp: '2025-07-01T00:00:00.000Z',
  block_count: 107912,
  tx_count: 722410,
  system_tx_count: 229004,
  evm_tx_count: 225077,
  failed_tx_count: 20231,
  event_count: 5290771,
  total_gas_used: 61233045,
  fees: '4321.77012400',
  ft_transfers: 310225,
  nft_transfers: 80114,
  active_accounts: 21907,
  daily_active_accounts: 21907,
  new_accounts: 3120,
  new_contracts: 14,
}

const listed = 'Omits periods without indexed blocks. The first and the last period may be incomplete.'

async function answerPeriods(
  timescale: Timescale,
  requested: { from?: string | undefined; to?: string | undefined },
  { database }: Services,
): Promise<Answer<List<Period>>> {
  const days = resolveDays(requested, await readIndexedDays(database), spans[timescale])
  const rows = days === undefined ? [] : await readPeriods(database, timescale, days)
  return { body: wholeList(rows.map((row) => presentPeriod(row, timescale))), caching: 'minute' }
}

const stat = defineRoute({
  path: '/status/stat',
  operationId: 'listStatistics',
  cost: 'high',
  tag: 'Statistics',
  summary: 'Chain statistics by day',
  description: listed,
  query: z.object(rangeParameters),
  response: listOf(periodSchema, 'PeriodNumbers'),
  example: wholeList([examplePeriod]),
  handler: ({ query }, services) => answerPeriods('daily', query, services),
})

const trend = defineRoute({
  path: '/status/stat/{timescale}/trend',
  operationId: 'listTrend',
  cost: 'high',
  tag: 'Statistics',
  summary: 'Chain statistics by hour, day, week or month',
  description: `Weeks start on Monday. ${listed}`,
  params: z.object({
    timescale: z.enum(timescales, `must be one of ${timescales.join(', ')}`).describe('Length of the periods.'),
  }),
  query: z.object(rangeParameters),
  response: listOf(periodSchema, 'PeriodNumbers'),
  example: wholeList([examplePeriod]),
  handler: ({ params: { timescale }, query }, services) => answerPeriods(timescale, query, services),
})

const chainNumbers = defineRoute({
  path: '/status/flow/stat',
  operationId: 'getChainNumbers',
  tag: 'Statistics',
  summary: 'Stored heights and counts',
  response: listOf(chainNumbersSchema, 'ChainNumbers'),
  example: wholeList([
    {
      min_height: 117000000,
      max_height: 118542741,
      block_count: 1542742,
      tx_count: 4128770,
      event_count: 61930211,
    },
  ]),
  handler: async (_input, { database }) => ({ body: wholeList([await readChainNumbers(database)]) }),
})

const chainCounts = defineRoute({
  path: '/status/count',
  operationId: 'getChainCounts',
  tag: 'Statistics',
  summary: 'Stored block and transaction counts',
  response: listOf(chainCountsSchema, 'ChainCounts'),
  example: wholeList([{ block_count: 1542742, transaction_count: 4128770, max_height: 118542741 }]),
  handler: async (_input, { database }) => {
    const { block_count, tx_count, max_height } = await readChainNumbers(database)
    return { body: wholeList([{ block_count, transaction_count: tx_count, max_height }]) }
  },
})

export const statisticsRoutes = [stat, trend, chainNumbers, chainCounts]

export async function readChainNumbers(database: DatabasePool): Promise<ChainNumbers> {
  return database.one(sql.type(chainNumbersSchema)`
    select min(lower(covered)) as min_height, max(upper(covered)) - 1 as max_height,
      coalesce(sum(block_count), 0)::bigint as block_count, coalesce(sum(tx_count), 0)::bigint as tx_count,
      coalesce(sum(event_count), 0)::bigint as event_count
    from app.indexing_checkpoints
    where service_name in ('main_ingester', 'history_ingester')
  `)
}

const grains: Readonly<Record<Timescale, Grain>> = { hourly: 'hour', daily: 'day', weekly: 'week', monthly: 'month' }

const periodMeasures = [
  'block_count',
  'tx_count',
  'system_tx_count',
  'evm_tx_count',
  'failed_tx_count',
  'event_count',
  'total_gas_used',
  'fees',
  'ft_transfers',
  'nft_transfers',
  'new_accounts',
  'new_contracts',
  'indexed_days',
] as const satisfies readonly MeasureName[]

/** Complete periods that overlap the range and have indexed blocks. */
export async function readPeriods(
  database: DatabasePool,
  timescale: Timescale,
  days: DayRange,
): Promise<readonly PeriodRow[]> {
  const grain = grains[timescale]
  const series =
    grain === 'hour'
      ? sql.fragment`select *, 0 as account_days from (${seriesFragment(periodMeasures, { days, grain })}) as hours`
      : seriesFragment([...periodMeasures, 'account_days'], { days, grain })
  return database.any(sql.type(periodRow)`
    select *, to_char(period, 'YYYY-MM-DD') as date, period::timestamp at time zone 'UTC' as timestamp,
      fees::text as fees
    from (${series}) as numbers
    where indexed_days > 0
    order by period
  `)
}

const excluded = 'bridge escrow'

const tokenDaySchema = z
  .strictObject({
    date: dayFormat,
    transfer_count: countFormat.describe(`Transfers, excluding fees and ${excluded}.`),
    volume: amountFormat.describe('Tokens transferred.'),
    usd_volume: amountFormat
      .nullable()
      .describe('Value in US dollars, at the last price of that day or the day before; null if unknown.'),
  })
  .meta({ id: 'FungibleTokenDay' })
export type TokenDay = z.output<typeof tokenDaySchema>

const collectionDaySchema = z
  .strictObject({
    date: dayFormat,
    transfer_count: countFormat.describe(`Transfers, excluding ${excluded}.`),
  })
  .meta({ id: 'NftCollectionDay' })
export type CollectionDay = z.output<typeof collectionDaySchema>

const daysParameter = z.object({
  days: integerParameter(1, 90).default(30).describe('Number of days, ending with the newest indexed day.'),
})
const description = 'One row per UTC day, oldest first, including days without transfers.'

const ofToken = defineRoute({
  path: '/flow/ft/{token}/volume',
  operationId: 'listFungibleTokenDays',
  cost: 'high',
  tag: 'Fungible tokens',
  summary: 'Daily transfer volume of a fungible token',
  description,
  params: tokenParameters,
  query: daysParameter,
  response: listOf(tokenDaySchema, 'FungibleTokenDay'),
  problems: unknownToken,
  example: {
    data: [{ date: '2025-07-01', transfer_count: 210_415, volume: '8120044.19325012', usd_volume: '2770559.08' }],
    has_more: false,
    cursor: '',
    _meta: { count: 1 },
  },
  handler: async ({ params: { token }, query: { days } }, { database }) => {
    await requireToken(database, token)
    const rows = await database.any(sql.type(tokenDaySchema)`${tokenDays(token, days)}`)
    return { body: wholeList([...rows]) }
  },
})

const ofCollection = defineRoute({
  path: '/flow/nft/{nft_type}/volume',
  operationId: 'listNftCollectionDays',
  cost: 'high',
  tag: 'NFTs',
  summary: 'Daily transfers of a collection',
  description,
  params: nftTypeParameters,
  query: daysParameter,
  response: listOf(collectionDaySchema, 'NftCollectionDay'),
  problems: unknownNftCollection,
  example: { data: [{ date: '2025-07-01', transfer_count: 1204 }], has_more: false, cursor: '', _meta: { count: 1 } },
  handler: async ({ params: { nft_type: type }, query: { days } }, { database }) => {
    await requireNftCollection(database, type)
    const rows = await database.any(sql.type(collectionDaySchema)`${collectionDays(type, days)}`)
    return { body: wholeList([...rows]) }
  },
})

export const dailyMoveRoutes = [ofToken, ofCollection]

/** Includes days without transfers. */
function tokenDays(key: string, count: number): FragmentSqlToken {
  const series = seriesFragment(['token_transfers', 'token_volume', 'token_usd_volume'], { days: { last: count }, key })
  return sql.fragment`
    select period::text as date, token_transfers as transfer_count, token_volume::text as volume,
      token_usd_volume::text as usd_volume
    from (${series}) as days
    order by period
  `
}

/** Includes days without transfers. */
function collectionDays(key: string, count: number): FragmentSqlToken {
  const series = seriesFragment(['collection_transfers'], { days: { last: count }, key })
  return sql.fragment`
    select period::text as date, collection_transfers as transfer_count from (${series}) as days order by period
  `
}
