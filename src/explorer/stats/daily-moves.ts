import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { amountFormat, countFormat } from '../formats.ts'
import { listOf, wholeList } from '../paging/pages.ts'
import { dayFormat, integerParameter } from '../parameters.ts'
import { requireToken, tokenParameters, unknownToken } from '../tokens/queries.ts'
import { nftTypeParameters, requireNftCollection, unknownNftCollection } from '../nfts/queries.ts'
import { priceCurrency } from '../tokens/price-queries.ts'
import type { MovedKind } from '../tokens/queries.ts'
import { defineRoute } from '../route.ts'

const counted = 'without what the bridge locks up and gives back'

/** What moved of a fungible token on a day. */
const tokenDaySchema = z
  .strictObject({
    date: dayFormat,
    transfer_count: countFormat.describe(`Transfers, without fees and ${counted}.`),
    volume: amountFormat.describe('Whole tokens that they moved.'),
    usd_volume: amountFormat
      .nullable()
      .describe('In US dollars, at the last price of that day or the day before; null where none is known.'),
  })
  .meta({ id: 'FungibleTokenDay' })
export type TokenDay = z.output<typeof tokenDaySchema>

/** How often items of a collection moved on a day. */
const collectionDaySchema = z
  .strictObject({
    date: dayFormat,
    transfer_count: countFormat.describe(`Transfers, ${counted}.`),
  })
  .meta({ id: 'NftCollectionDay' })
export type CollectionDay = z.output<typeof collectionDaySchema>

const dailyMovesRow = z.object({
  day: z.string(),
  count: z.number(),
  amount: z.string(),
  usd: z.string().nullable(),
})
type DailyMovesRow = z.output<typeof dailyMovesRow>

function presentTokenDay({ day, count, amount, usd }: DailyMovesRow): TokenDay {
  return { date: day, transfer_count: count, volume: amount, usd_volume: usd }
}

function presentCollectionDay({ day, count }: DailyMovesRow): CollectionDay {
  return { date: day, transfer_count: count }
}

const daysParameter = z.object({
  days: integerParameter(1, 90).default(30).describe('How many days, up to the last that is indexed.'),
})
const description = 'Days of UTC, the oldest first; those on which nothing moved are among them.'

const ofToken = defineRoute({
  path: '/flow/ft/{token}/volume',
  operationId: 'listFungibleTokenDays',
  cost: 'high',
  tag: 'Fungible tokens',
  summary: 'How much of a fungible token moved, day by day',
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
    return { body: wholeList((await listDailyMoves(database, 'token', token, days)).map(presentTokenDay)) }
  },
})

const ofCollection = defineRoute({
  path: '/flow/nft/{nft_type}/volume',
  operationId: 'listNftCollectionDays',
  cost: 'high',
  tag: 'NFTs',
  summary: 'How often items of a collection moved, day by day',
  description,
  params: nftTypeParameters,
  query: daysParameter,
  response: listOf(collectionDaySchema, 'NftCollectionDay'),
  problems: unknownNftCollection,
  example: { data: [{ date: '2025-07-01', transfer_count: 1204 }], has_more: false, cursor: '', _meta: { count: 1 } },
  handler: async ({ params: { nft_type: type }, query: { days } }, { database }) => {
    await requireNftCollection(database, type)
    return { body: wholeList((await listDailyMoves(database, 'collection', type, days)).map(presentCollectionDay)) }
  },
})

/** What moved of a token or of a collection, day by day. */
export const dailyMoveRoutes = [ofToken, ofCollection]

/**
 * How often a token or the items of a collection moved on each of the last `days` indexed days, the oldest first; days on which it did not move are
 * among them. Each hour is read by its key: 24 steps down the index for each day.
 */
async function listDailyMoves(
  database: DatabasePool,
  kind: MovedKind,
  token: string,
  days: number,
): Promise<readonly DailyMovesRow[]> {
  return database.any(sql.type(dailyMovesRow)`
    with days as (
      select (newest.day - ago) as day
      from (select day from app.hourly_stats order by day desc, hour desc limit 1) newest
      cross join generate_series(0, ${days - 1}::integer) as ago
    )
    select d.day::text as day, m.count, m.amount::text as amount, round(m.amount * p.price, 2)::text as usd
    from days d
    cross join lateral (
      select coalesce(sum(h.activity_count), 0)::bigint as count, coalesce(sum(h.amount), 0) as amount
      from generate_series(0, 23) as of_day (hour)
      cross join lateral (
        select activity_count, amount from app.hourly_activity
        where kind = ${kind} and day = d.day and hour = of_day.hour and name = ${token}
        limit 1
      ) h
    ) m
    left join lateral (
      select price from app.prices
      where token = ${token} and currency = ${priceCurrency}
        and price_time < (d.day + 1)::timestamp at time zone 'UTC' and price_time >= (d.day - 1)::timestamp at time zone 'UTC'
      order by price_time desc
      limit 1
    ) p on true
    order by d.day
  `)
}
