import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { addressFormat, amountFormat, countFormat, timestampFormat } from '../formats.ts'
import { singleOf } from '../paging/pages.ts'
import { accountParameter, dayFormat, integerParameter } from '../parameters.ts'
import { defineRoute } from '../route.ts'
import { balancesByDay, isKnownAccount, readBalanceDays } from '../tokens/queries.ts'
import type { BalanceDays } from '../tokens/queries.ts'
import { priceAt } from '../transactions/prices.ts'

/** Accounts with more tokens hold mostly worthless ones. */
const maxHoldings = 5000
/** Most valuable first. */
const maxTokensByDay = 50

const valueRow = z.object({
  usd_value: z.string().nullable(),
  as_of: z.string().nullable(),
  priced_count: z.number(),
  unpriced_count: z.number(),
  tokens: z.array(z.string()),
})

/** `tokens` also has priced tokens that the account held before. */
export async function readPortfolioValue(database: DatabasePool, address: string): Promise<z.output<typeof valueRow>> {
  return database.one(sql.type(valueRow)`
    with holdings as (
      select token, greatest(balance, 0) as balance from app.ft_holdings
      where address = ${address} order by token limit ${maxHoldings}
    ), held as materialized (
      select h.*, p.price, p.price_time from holdings h
      left join lateral (${priceAt(sql.fragment`h.token`, sql.fragment`now()`)}) p on true
    )
    select trim_scale(sum(balance * price))::text as usd_value, min(price_time) filter (where balance > 0) as as_of,
      count(price) filter (where balance > 0) as priced_count,
      count(*) filter (where balance > 0 and price is null) as unpriced_count,
      array(
        select token from held h
        where exists (select from app.prices e where e.token = h.token and e.currency = 'USD')
        order by balance * price desc nulls last, token
        limit ${maxTokensByDay}
      ) as tokens
    from held
  `)
}

const dayRow = z.object({ date: z.string(), usd_value: z.string().nullable(), is_complete: z.boolean() })

/** Earliest first. One index step for the price of each token and day. */
export async function readPortfolioDays(
  database: DatabasePool,
  address: string,
  tokens: readonly string[],
  days: BalanceDays,
  count: number,
): Promise<readonly z.output<typeof dayRow>[]> {
  const endOfDay = sql.fragment`((b.day + 1)::timestamp at time zone 'UTC')`
  return database.any(sql.type(dayRow)`
    select b.day::text as date,
      trim_scale(sum(case when b.balance > 0 then b.balance * p.price else 0 end))::text as usd_value,
      bool_and(b.balance <= 0 or p.price is not null) as is_complete
    from (${balancesByDay(address, tokens, days, count)}) as b
    left join lateral (${priceAt(sql.fragment`b.token`, endOfDay)}) p on true
    group by b.day
    order by b.day
  `)
}

const daySchema = z
  .strictObject({
    date: dayFormat,
    usd_value: amountFormat
      .nullable()
      .describe(
        'At the end of the day, at the last prices of the 48 hours before. Null if no price is known, or if later ' +
          'blocks are not all indexed.',
      ),
    is_complete: z.boolean().describe('Whether the price of each token that is priced at other times is known.'),
  })
  .meta({ id: 'PortfolioDay' })

const portfolioSchema = z
  .strictObject({
    address: addressFormat,
    usd_value: amountFormat
      .nullable()
      .describe('Indexed balances at the current prices. Null if the account holds tokens but no price is known.'),
    as_of: timestampFormat.nullable().describe('Time of the oldest of these prices; none is older than 48 hours.'),
    priced_count: countFormat.describe('Tokens held whose price is known.'),
    unpriced_count: countFormat.describe('Tokens held whose price is unknown; they are not part of the value.'),
    days: z
      .array(daySchema)
      .describe('One per UTC day, earliest first, up to the newest indexed day. Empty if no token was ever priced.'),
  })
  .meta({ id: 'Portfolio' })
export type Portfolio = z.output<typeof portfolioSchema>

const portfolio = defineRoute({
  path: '/flow/account/{address}/portfolio',
  operationId: 'getPortfolio',
  cost: 'high',
  tag: 'Accounts',
  summary: 'Value of the fungible tokens of an account, now and by day',
  description:
    `In US dollars, from indexed balances of vaults; without NFTs and EVM balances. Days cover the ${maxTokensByDay} ` +
    'most valuable tokens.',
  params: z.object({ address: accountParameter() }),
  query: z.object({ days: integerParameter(1, 365).default(30).describe('Number of days.') }),
  response: singleOf(portfolioSchema, 'Portfolio'),
  problems: { 404: 'The account is not indexed.' },
  example: {
    data: [
      {
        address: '0x18eb4ee6b3c026d2',
        usd_value: '34.12',
        as_of: '2025-07-01T12:00:00.000Z',
        priced_count: 1,
        unpriced_count: 2,
        days: [
          { date: '2025-06-30', usd_value: '38.005', is_complete: true },
          { date: '2025-07-01', usd_value: '34.12', is_complete: true },
        ],
      },
    ],
  },
  handler: async ({ params: { address }, query: { days: count } }, { database }) => {
    const [indexed, isKnown, value] = await Promise.all([
      readBalanceDays(database),
      isKnownAccount(database, address),
      readPortfolioValue(database, address),
    ])
    if (!isKnown || indexed === undefined) {
      throw new ApiError(404, 'unknown-account', `Account ${address} is not indexed.`, { field: 'address' })
    }
    const { usd_value: dollars, as_of: asOf, priced_count: priced, unpriced_count: unpriced, tokens } = value
    const days = await readPortfolioDays(database, address, tokens, indexed, count)
    return {
      body: {
        data: [
          {
            address,
            usd_value: priced > 0 ? dollars : unpriced > 0 ? null : '0',
            as_of: asOf,
            priced_count: priced,
            unpriced_count: unpriced,
            days: days.map((day) => (day.date < indexed.days.from ? { ...day, usd_value: null } : day)),
          },
        ],
      },
    }
  },
})

export const portfolioRoutes = [portfolio]
