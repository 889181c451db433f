import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { selectCatalogue } from '../paging/ranked-rows.ts'
import type { CatalogueOrder, Rank } from '../paging/ranked-rows.ts'
import { contractParameter } from '../parameters.ts'
import { fungibleTokenRow } from './schema.ts'
import type { FungibleTokenRow } from './schema.ts'

/** Kinds of app.hourly_activity that move. */
export type MovedKind = 'token' | 'collection'

/** The last hour of which something is indexed; no row where nothing is. */
const newestHour = sql.fragment`(select day, hour from app.hourly_stats order by day desc, hour desc limit 1)`

/** `token` and `transfer_count` of the last 24 indexed hours, of all that moved in them: some thousand rows are added up. */
export function recentActivity(kind: MovedKind): FragmentSqlToken {
  return sql.fragment`
    (
      select h.name as token, sum(h.activity_count)::bigint as transfer_count
      from ${newestHour} newest
      join app.hourly_activity h on h.kind = ${kind} and h.day between newest.day - 1 and newest.day
        and (h.day, h.hour) > (newest.day - 1, newest.hour)
      group by h.name
    )
  `
}

/** `transfer_count` and `amount` of the last 24 indexed hours of one of them, each hour by its key; 0 where it did not move. */
export function recentActivityOf(kind: MovedKind, token: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    (
      select coalesce(sum(h.activity_count), 0)::bigint as transfer_count, coalesce(sum(h.amount), 0) as amount
      from ${newestHour} newest
      cross join generate_series(0, 23) as ago
      cross join lateral (
        select activity_count, amount from app.hourly_activity
        where kind = ${kind} and name = ${token}
          and day = newest.day - case when ago > newest.hour then 1 else 0 end
          and hour = (newest.hour - ago + 24) % 24
        limit 1
      ) h
    )
  `
}

/** The orders of the list of tokens: by holders, by recent or all transfers, by the first transfer. */
export const fungibleTokenSorts = ['holders', 'trending', 'transfers', 'newest'] as const
export type FungibleTokenSort = (typeof fungibleTokenSorts)[number]

export const fungibleTokenFilters = ['has_price', 'evm_bridged', 'is_verified'] as const
type FungibleTokenFilter = (typeof fungibleTokenFilters)[number]

/** Every token is in the list by each of these but `trending`; those without a holder come last by holders. */
const everyToken = sql.fragment`
  (
    select t.token, coalesce(h.holder_count, 0) as holder_count
    from app.ft_tokens t left join app.ft_token_holders h on h.token = t.token
  )
`

const orders: Readonly<Record<FungibleTokenSort, CatalogueOrder>> = {
  holders: { table: everyToken, count: sql.fragment`o.holder_count` },
  trending: { table: recentActivity('token'), count: sql.fragment`o.transfer_count` },
  transfers: { table: sql.fragment`app.ft_token_totals`, count: sql.fragment`o.transfer_count` },
  newest: { table: sql.fragment`app.ft_tokens`, count: sql.fragment`o.first_height` },
}

const isLabelled = (token: FragmentSqlToken): FragmentSqlToken => sql.fragment`
  exists (select from app.account_labels l where l.address = '0x' || split_part(${token}, '.', 2))
`

/** The newest price, of at most two days ago. */
const newestPrice = (token: FragmentSqlToken): FragmentSqlToken => sql.fragment`
  select * from app.prices
  where token = ${token} and currency = 'USD' and price_time > now() - interval '48 hours'
  order by price_time desc
  limit 1
`

const filters: Readonly<Record<FungibleTokenFilter, FragmentSqlToken>> = {
  has_price: sql.fragment`exists (${newestPrice(sql.fragment`o.token`)})`,
  evm_bridged: sql.fragment`n.evm_address is not null`,
  is_verified: isLabelled(sql.fragment`o.token`),
}

/** Joins what there is to know of the tokens of a page, each by its key. */
function completed(pageOfTokens: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    with page as materialized (${pageOfTokens})
    select p.key as token, p.count, m.name, m.symbol, m.decimals, m.description, m.external_url, m.logo, m.socials,
      m.vault_path, m.receiver_path, m.balance_path, m.evm_address, m.total_supply::text as total_supply, m.asked_at,
      ${isLabelled(sql.fragment`p.key`)} as is_verified, coalesce(h.holder_count, 0) as holder_count,
      coalesce(t.transfer_count, 0) as transfer_count, r.transfer_count as recent_count, r.amount::text as recent_amount,
      coalesce(t.minted, 0.00000000)::text as minted, coalesce(t.burned, 0.00000000)::text as burned,
      f.first_height, c.created_height, coalesce(n.symbol, case when n.price is not null then upper(m.symbol) end) as market_symbol,
      n.price::text as price, round((n.price / nullif(d.price, 0) - 1) * 100, 2)::float8 as price_change
    from page p
    left join app.ft_tokens f on f.token = p.key
    left join app.ft_token_holders h on h.token = p.key
    left join app.ft_token_totals t on t.token = p.key
    left join app.ft_token_metadata m on m.token = p.key
    left join app.smart_contracts c
      on c.address = '0x' || split_part(p.key, '.', 2) and c.name = split_part(p.key, '.', 3)
    cross join lateral ${recentActivityOf('token', sql.fragment`p.key`)} r
    left join lateral (${newestPrice(sql.fragment`p.key`)}) n on true
    left join lateral (
      select e.price from app.prices e
      where e.token = n.token and e.currency = n.currency and e.price_time <= n.price_time - interval '24 hours'
        and e.price_time >= n.price_time - interval '72 hours'
      order by e.price_time desc
      limit 1
    ) d on true
    order by p.count desc, p.key
  `
}

interface FungibleTokenListing {
  readonly sort: FungibleTokenSort
  /** A text that name, symbol or identifier contain. */
  readonly search: string | undefined
  /** All must hold. */
  readonly filters: readonly FungibleTokenFilter[]
  readonly after: Rank | undefined
  readonly limit: number
}

/**
 * Up to `limit` tokens after a place of an order. The catalogue has a row a token, some thousands: by holders, and with a
 * search or a filter it is looked through.
 */
export async function listFungibleTokens(
  database: DatabasePool,
  listing: FungibleTokenListing,
): Promise<readonly FungibleTokenRow[]> {
  const { sort, search, after, limit } = listing
  const conditions = listing.filters.map((filter) => filters[filter])
  if (search !== undefined) {
    conditions.push(sql.fragment`strpos(lower(concat_ws(' ', n.name, n.symbol, o.token)), lower(${search})) > 0`)
  }
  const page = selectCatalogue(
    orders[sort],
    { metadata: sql.fragment`app.ft_token_metadata`, conditions },
    after,
    limit,
  )
  return database.any(sql.type(fungibleTokenRow)`${completed(page)}`)
}

/** One token; undefined where it was not seen to move. */
export async function readFungibleToken(database: DatabasePool, token: string): Promise<FungibleTokenRow | undefined> {
  const row = await database.maybeOne(
    sql.type(fungibleTokenRow)`${completed(sql.fragment`
    select token as key, 0::bigint as count from app.ft_tokens where token = ${token}
  `)}`,
  )
  return row ?? undefined
}

/** Whether a token was seen to move. */
async function isFungibleToken(database: DatabasePool, token: string): Promise<boolean> {
  return database.exists(sql.type(z.object({}))`select from app.ft_tokens where token = ${token}`)
}

const ftTotals = z.object({
  tokens: z.number(),
  with_price: z.number(),
  evm_bridged: z.number(),
  transfers: z.number(),
  holdings: z.number(),
})
type FtTotals = z.output<typeof ftTotals>

/** The sums over all tokens: a row each. */
export async function readFtTotals(database: DatabasePool): Promise<FtTotals> {
  return database.one(sql.type(ftTotals)`
    select count(*) as tokens,
      count(*) filter (where ${filters.has_price}) as with_price,
      count(n.evm_address) as evm_bridged,
      coalesce(sum(t.transfer_count), 0)::bigint as transfers, coalesce(sum(h.holder_count), 0)::bigint as holdings
    from app.ft_tokens o
    left join app.ft_token_metadata n using (token)
    left join app.ft_token_totals t using (token)
    left join app.ft_token_holders h using (token)
  `)
}

/** Parameters and problems of the routes of one token. */

export const tokenParameters = z.object({ token: contractParameter('tokens') })

export const unknownToken = { 404: 'The token was not seen to move.' }

/** What is answered where a token was not seen to move. */
export function unknownTokenError(token: string): ApiError {
  return new ApiError(404, 'unknown-token', `Token ${token} was not seen to move.`, { field: 'token' })
}

/** @throws ApiError 404 `unknown-token` */
export async function requireToken(database: DatabasePool, token: string): Promise<void> {
  if (!(await isFungibleToken(database, token))) throw unknownTokenError(token)
}
