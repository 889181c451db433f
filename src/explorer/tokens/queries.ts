import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { namedTokens, selectCatalogue, selectRanked } from '../paging/ranked-rows.ts'
import type { CatalogueOrder, Rank } from '../paging/ranked-rows.ts'
import { contractParameter } from '../parameters.ts'
import { fungibleTokenRow, ftHoldingRow, vaultRow } from './schema.ts'
import type { FungibleTokenRow, FtHoldingRow, VaultRow } from './schema.ts'
import type { DayRange } from '../parameters.ts'
import { priceAt } from '../transactions/prices.ts'

/** `kind` of app.hourly_activity. */
export type AssetKind = 'token' | 'collection'

const newestHour = sql.fragment`(select day, hour from app.hourly_stats order by day desc, hour desc limit 1)`

/** In the last 24 indexed hours. */
export function recentActivity(kind: AssetKind): FragmentSqlToken {
  return sql.fragment`
    (
      select h.name as token, sum(h.activity_count)::bigint as transfer_count, sum(h.amount) as amount
      from ${newestHour} newest
      join app.hourly_activity h on h.kind = ${kind} and h.day between newest.day - 1 and newest.day
        and (h.day, h.hour) > (newest.day - 1, newest.hour)
      group by h.name
    )
  `
}

/** In the last 24 indexed hours, one key lookup each. */
export function recentActivityOf(kind: AssetKind, token: FragmentSqlToken): FragmentSqlToken {
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

export const fungibleTokenSorts = ['holders', 'trending', 'transfers', 'newest', 'name', 'volume', 'supply'] as const
export type FungibleTokenSort = (typeof fungibleTokenSorts)[number]

export const fungibleTokenFilters = ['has_price', 'evm_bridged', 'is_verified'] as const
type FungibleTokenFilter = (typeof fungibleTokenFilters)[number]

/** Tokens without holders sort last. */
const everyToken = sql.fragment`
  (
    select t.token, coalesce(h.holder_count, 0) as holder_count
    from app.ft_tokens t left join app.ft_token_holders h on h.token = t.token
  )
`

export const namedFungibleTokens = namedTokens(sql.fragment`app.ft_tokens`, sql.fragment`app.ft_token_metadata`)

const isLabelled = (token: FragmentSqlToken): FragmentSqlToken => sql.fragment`
  exists (select from app.account_labels l where l.address = '0x' || split_part(${token}, '.', 2))
`

/** From the last 48 hours. */
const newestPrice = (token: FragmentSqlToken): FragmentSqlToken => sql.fragment`
  select * from app.prices
  where token = ${token} and currency = 'USD' and price_time > now() - interval '48 hours'
  order by price_time desc
  limit 1
`

const valuedActivity = sql.fragment`
  (
    select r.token, round(r.amount * p.price, 8) as volume
    from ${recentActivity('token')} r cross join lateral (${newestPrice(sql.fragment`r.token`)}) p
  )
`

const suppliedTokens = sql.fragment`
  (
    select t.token, m.total_supply from app.ft_tokens t join app.ft_token_metadata m on m.token = t.token
    where m.total_supply is not null
  )
`

const orders: Readonly<Record<FungibleTokenSort, CatalogueOrder>> = {
  holders: { table: everyToken, count: sql.fragment`o.holder_count` },
  trending: { table: recentActivity('token'), count: sql.fragment`o.transfer_count` },
  transfers: { table: sql.fragment`app.ft_token_totals`, count: sql.fragment`o.transfer_count` },
  newest: { table: sql.fragment`app.ft_tokens`, count: sql.fragment`o.first_height` },
  name: { table: namedFungibleTokens, count: sql.fragment`o.sort_name`, isAscending: true },
  volume: { table: valuedActivity, count: sql.fragment`o.volume` },
  supply: { table: suppliedTokens, count: sql.fragment`o.total_supply` },
}

const filters: Readonly<Record<FungibleTokenFilter, FragmentSqlToken>> = {
  has_price: sql.fragment`exists (${newestPrice(sql.fragment`o.token`)})`,
  evm_bridged: sql.fragment`n.evm_address is not null`,
  is_verified: isLabelled(sql.fragment`o.token`),
}

function completed(pageOfTokens: FragmentSqlToken, isAscending = false): FragmentSqlToken {
  return sql.fragment`
    with page as materialized (${pageOfTokens})
    select p.key as token, p.count::text as count, m.name, m.symbol, m.decimals, m.description, m.external_url,
      m.logo, m.socials, m.vault_path, m.receiver_path, m.balance_path, m.evm_address,
      m.total_supply::text as total_supply, m.asked_at as updated_at,
      ${isLabelled(sql.fragment`p.key`)} as is_verified, coalesce(h.holder_count, 0) as holder_count,
      coalesce(t.transfer_count, 0) as transfer_count, r.transfer_count as recent_transfer_count,
      r.amount::text as recent_volume,
      coalesce(t.minted, 0.00000000)::text as minted, coalesce(t.burned, 0.00000000)::text as burned,
      f.first_height, c.created_height,
      coalesce(n.symbol, case when n.price is not null then upper(m.symbol) end) as market_symbol,
      n.price::text as current_price,
      round((n.price / nullif(d.price, 0) - 1) * 100, 2)::float8 as price_change_24h
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
    order by p.count ${isAscending ? sql.fragment`asc` : sql.fragment`desc`}, p.key
  `
}

interface FungibleTokenListing {
  readonly sort: FungibleTokenSort
  readonly search: string | undefined
  readonly filters: readonly FungibleTokenFilter[]
  readonly after: Rank | undefined
  readonly limit: number
}

/** Other sort orders than `transfers` and `newest`, searching and filtering scan a few thousand rows. */
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
  return database.any(sql.type(fungibleTokenRow)`${completed(page, orders[sort].isAscending)}`)
}

/** Unknown tokens are omitted. */
export async function readFungibleTokens(
  database: DatabasePool,
  tokens: readonly string[],
): Promise<readonly FungibleTokenRow[]> {
  if (tokens.length === 0) return []
  return database.any(
    sql.type(fungibleTokenRow)`${completed(sql.fragment`
    select token as key, 0::bigint as count from app.ft_tokens where token = any (${sql.array([...tokens], 'text')})
  `)}`,
  )
}

export async function readFungibleToken(database: DatabasePool, token: string): Promise<FungibleTokenRow | undefined> {
  const [row] = await readFungibleTokens(database, [token])
  return row
}

const emptyRow = z.object({})

async function isFungibleToken(database: DatabasePool, token: string): Promise<boolean> {
  return database.exists(sql.type(emptyRow)`select from app.ft_tokens where token = ${token}`)
}

const ftTotals = z.object({
  tokens: z.number(),
  with_price: z.number(),
  evm_bridged: z.number(),
  transfers: z.number(),
  holdings: z.number(),
})
type FtTotals = z.output<typeof ftTotals>

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

export const tokenParameters = z.object({ token: contractParameter() })

export const unknownToken = { 404: 'No transfer of the token is indexed.' }

export function unknownTokenError(token: string): ApiError {
  return new ApiError(404, 'unknown-token', `No transfer of token ${token} is indexed.`, { field: 'token' })
}

/** @throws ApiError 404 */
export async function requireToken(database: DatabasePool, token: string): Promise<void> {
  if (!(await isFungibleToken(database, token))) throw unknownTokenError(token)
}

export async function listFtHoldings(
  database: DatabasePool,
  token: string,
  after: Rank | undefined,
  limit: number,
): Promise<readonly FtHoldingRow[]> {
  return database.any(sql.type(ftHoldingRow)`
    with page as materialized (${selectRanked(
      {
        columns: sql.fragment`h.address as key, h.balance as count, h.is_complete`,
        from: sql.fragment`app.ft_holdings h`,
        where: sql.fragment`h.token = ${token} and h.balance > 0`,
        count: sql.fragment`h.balance`,
        key: sql.fragment`h.address`,
      },
      after,
      limit,
    )})
    select p.key as address, p.count::text as balance, p.is_complete,
      case when p.count <= m.total_supply then round(p.count / m.total_supply, 12)::float8 end as percentage
    from page p left join app.ft_token_metadata m on m.token = ${token}
    order by p.count desc, p.key
  `)
}

function completedHoldings(holdings: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    with page as materialized (${holdings})
    select h.token, h.balance::text as balance, h.vault_count, h.is_complete, m.name, m.symbol, m.decimals, m.logo,
      m.vault_path as path, p.price::text as usd_price, trim_scale(h.balance * p.price)::text as usd_value
    from page h
    left join app.ft_token_metadata m on m.token = h.token
    left join lateral (${priceAt(sql.fragment`h.token`, sql.fragment`now()`)}) p on true
    order by h.token
  `
}

/** Includes empty vaults, sorted by id. */
export async function listVaults(
  database: DatabasePool,
  account: string,
  after: string | undefined,
  limit: number,
): Promise<readonly VaultRow[]> {
  return database.any(
    sql.type(vaultRow)`${completedHoldings(sql.fragment`
    select * from app.ft_holdings
    where address = ${account} and token > ${after ?? ''} and (vault_count > 0 or balance > 0)
    order by token
    limit ${limit}
  `)}`,
  )
}

export async function readVault(database: DatabasePool, account: string, token: string): Promise<VaultRow | undefined> {
  const row = await database.maybeOne(
    sql.type(vaultRow)`${completedHoldings(sql.fragment`
    select * from app.ft_holdings where address = ${account} and token = ${token}
  `)}`,
  )
  return row ?? undefined
}

export async function isKnownAccount(database: DatabasePool, account: string): Promise<boolean> {
  return database.exists(sql.type(emptyRow)`
    select from app.accounts where address = ${account}
    union all (select from app.ft_holdings where address = ${account} limit 1)
    union all (select from app.nft_holdings where address = ${account} limit 1)
    limit 1
  `)
}

/**
 * Near the head both workers process ranges in parallel, so their coverage may differ and have
 * gaps. Heights that only one of them has derived are read from the transfers.
 */
const recentHeights = 1000

const coverage = sql.fragment`
  done as (
    select coalesce(range_agg(covered) filter (where service_name = 'daily_balance_worker'), '{}') as changes,
      coalesce(range_agg(covered) filter (where service_name = 'ft_holdings_worker'), '{}') as balances
    from app.coverage where service_name in ('daily_balance_worker', 'ft_holdings_worker')
  ), recent as (
    select done.*,
      int8multirange(int8range(upper(changes + balances) - ${recentHeights}, upper(changes + balances))) as heights
    from done
  )
`

const heightsRow = z.object({ from: z.number(), to: z.number() })
const timesRow = z.object({ first: z.string().nullable(), last: z.string().nullable() })

export interface BalanceDays {
  /** Starts at the first block without a later gap. */
  readonly days: DayRange
  readonly newest: number
}

export async function readBalanceDays(database: DatabasePool): Promise<BalanceDays | undefined> {
  const heights = await database.maybeOne(sql.type(heightsRow)`
    with ${coverage}, whole as (
      select changes + coalesce(int8multirange(range_merge((changes + balances) * heights)), '{}') as heights
      from recent
    )
    select lower(r) as from, upper(r) - 1 as to from whole, unnest(heights) as r order by r desc limit 1
  `)
  if (heights === null) return undefined
  const { from, to } = heights
  // Unavailable blocks count as covered.
  const { first, last } = await database.one(sql.type(timesRow)`
    select
      (select timestamp from raw.blocks where height between ${from} and ${to} order by height limit 1) as first,
      (select timestamp from raw.blocks where height between ${from} and ${to} order by height desc limit 1) as last
  `)
  if (first === null || last === null) return undefined
  return { days: { from: first.slice(0, 10), to: last.slice(0, 10) }, newest: to }
}

const balancePoint = z.object({ date: z.string(), balance: z.string() })
type BalancePoint = z.output<typeof balancePoint>

/** Earliest first. */
export async function readBalanceHistory(
  database: DatabasePool,
  account: string,
  token: string,
  days: BalanceDays,
  count: number,
): Promise<readonly BalancePoint[]> {
  return database.any(sql.type(balancePoint)`
    select day::text as date, balance::text as balance
    from (${balancesByDay(account, [token], days, count)}) as b
    order by day
  `)
}

/**
 * Columns `token`, `day` and `balance`: the current balance minus later changes. Reads one row per day
 * and token, and the transfers of few blocks.
 */
export function balancesByDay(
  account: string,
  tokens: readonly string[],
  { days, newest }: BalanceDays,
  count: number,
): FragmentSqlToken {
  const wanted = sql.array(tokens, 'text')
  return sql.fragment`
    with ${coverage}, changes as (
      select token, day, change from app.daily_balance_changes
      where address = ${account} and token = any (${wanted}) and day > ${days.to}::date - ${count}::integer
      union all
      ${changesApart(account, wanted, newest)}
    ), totals as (
      select token, least(day, ${days.to}::date + 1) as day, sum(change) as change from changes group by 1, 2
    )
    select token, day, balance from (
      select p.token, p.day, coalesce(h.balance, 0.00000000) - coalesce(sum(t.change) over (
        partition by p.token order by p.day desc rows between unbounded preceding and 1 preceding
      ), 0) as balance
      from (
        select token, ${days.to}::date + 1 - ago as day
        from unnest(${wanted}) as token, generate_series(0, ${count}::integer) as ago
      ) p
      left join totals t on t.token = p.token and t.day = p.day
      left join app.ft_holdings h on h.address = ${account} and h.token = p.token
    ) as b
    where day <= ${days.to}::date
  `
}

function changesApart(account: string, tokens: ReturnType<typeof sql.array>, newest: number): FragmentSqlToken {
  return sql.fragment`
    select t.token, (b.timestamp at time zone 'UTC')::date, a.sign * t.amount
      * ((t.to_address is not distinct from ${account})::integer - (t.from_address is not distinct from
      ${account})::integer)
    from (
      select unnest((balances - changes) * heights) as range, 1 as sign from recent
      union all
      select unnest((changes - balances) * heights), -1 from recent
    ) a
    join app.ft_transfers t on t.block_height >= lower(a.range) and t.block_height < upper(a.range)
      and t.block_height > ${newest - recentHeights} and t.token = any (${tokens})
      and ${account} in (t.from_address, t.to_address)
    join raw.blocks b on b.height = t.block_height and b.height > ${newest - recentHeights}
  `
}
