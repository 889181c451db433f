import { z } from 'zod'
import { dayParameter, resolveDays } from '../parameters/day-range.ts'
import type { DaySpan } from '../parameters/day-range.ts'
import { listOf, wholeList } from '../paging/envelope.ts'
import type { List } from '../paging/envelope.ts'
import { noParameters } from '../parameters/parameters.ts'
import {
  chainCountsSchema,
  chainNumbersSchema,
  periodSchema,
  presentPeriod,
  timescales,
} from '../presenters/statistics.ts'
import type { Period, Timescale } from '../presenters/statistics.ts'
import { readIndexedDays } from '../queries/daily-numbers.ts'
import { readChainNumbers, readPeriods } from '../queries/statistics.ts'
import { defineRoute } from '../route.ts'
import type { Answer, Services } from '../route.ts'

/** Ten years of days, a month of hours: the longest answers read some 88,000 hours, and 744. */
const spans: Readonly<Record<Timescale, DaySpan>> = {
  hourly: { default: 7, max: 31 },
  daily: { default: 3660, max: 3660 },
  weekly: { default: 3660, max: 3660 },
  monthly: { default: 3660, max: 3660 },
}

const rangeParameters = {
  from: dayParameter(
    'First day, UTC. Default: all days, of hours 7 days. At most 3,660 days can be asked for at once, of ' +
      'hours 31. Weeks and months with this day are given whole.',
  ),
  to: dayParameter('Last day, UTC. Default: the newest day that is indexed.'),
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

const listed = 'Periods of which no block is indexed are left out; the first and the last may not be whole.'

async function answerPeriods(
  timescale: Timescale,
  asked: { from?: string | undefined; to?: string | undefined },
  { database }: Services,
): Promise<Answer<List<Period>>> {
  const days = resolveDays(asked, await readIndexedDays(database), spans[timescale])
  const rows = days === undefined ? [] : await readPeriods(database, timescale, days)
  return { body: wholeList(rows.map((row) => presentPeriod(row, timescale))), caching: 'minute' }
}

const stat = defineRoute({
  path: '/status/stat',
  operationId: 'listStatistics',
  cost: 'high',
  tag: 'Statistics',
  summary: 'Numbers of the chain by day',
  description: listed,
  params: noParameters,
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
  summary: 'Numbers of the chain by hour, day, week or month',
  description: `Weeks begin on Monday. ${listed}`,
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
  summary: 'How much of the chain is stored',
  params: noParameters,
  query: noParameters,
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
  summary: 'How many blocks and transactions are stored',
  params: noParameters,
  query: noParameters,
  response: listOf(chainCountsSchema, 'ChainCounts'),
  example: wholeList([{ block_count: 1542742, transaction_count: 4128770, max_height: 118542741 }]),
  handler: async (_input, { database }) => {
    const { block_count, tx_count, max_height } = await readChainNumbers(database)
    return { body: wholeList([{ block_count, transaction_count: tx_count, max_height }]) }
  },
})

/** Numbers of the chain over time, and of what is stored. */
export const statisticsRoutes = [stat, trend, chainNumbers, chainCounts]
