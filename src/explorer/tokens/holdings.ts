import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { selectRanked } from '../paging/ranked-rows.ts'
import type { Rank } from '../paging/ranked-rows.ts'
import type { DayRange } from '../parameters.ts'
import { ftHoldingRow, vaultRow } from './schema.ts'
import type { FtHoldingRow, VaultRow } from './schema.ts'
import { priceAt } from './transfers.ts'

/** Up to `limit` holders of a token after a place, those with most first. */
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

/** With what there is to know of the tokens of a page of app.ft_holdings, each by its key. */
function completed(holdings: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    with page as materialized (${holdings})
    select h.token, h.balance::text as balance, h.vault_count, h.is_complete, m.name, m.symbol, m.decimals, m.logo,
      m.vault_path, p.price::text as usd_price, trim_scale(h.balance * p.price)::text as usd_value
    from page h
    left join app.ft_token_metadata m on m.token = h.token
    left join lateral (${priceAt(sql.fragment`h.token`, sql.fragment`now()`)}) p on true
    order by h.token
  `
}

/** Up to `limit` tokens of which an account has vaults, empty ones included, after a token, by identifier. */
export async function listVaults(
  database: DatabasePool,
  account: string,
  after: string | undefined,
  limit: number,
): Promise<readonly VaultRow[]> {
  return database.any(
    sql.type(vaultRow)`${completed(sql.fragment`
    select * from app.ft_holdings
    where address = ${account} and token > ${after ?? ''} and (vault_count > 0 or balance > 0)
    order by token
    limit ${limit}
  `)}`,
  )
}

/** What an account has of a token; undefined where it never had any. */
export async function readVault(database: DatabasePool, account: string, token: string): Promise<VaultRow | undefined> {
  const row = await database.maybeOne(
    sql.type(vaultRow)`${completed(sql.fragment`
    select * from app.ft_holdings where address = ${account} and token = ${token}
  `)}`,
  )
  return row ?? undefined
}

/** Whether anything is indexed of an account: it took part in a transaction, or has or had tokens or items. */
export async function isKnownAccount(database: DatabasePool, account: string): Promise<boolean> {
  return database.exists(sql.type(z.object({}))`
    select from app.accounts where address = ${account}
    union all (select from app.ft_holdings where address = ${account} limit 1)
    union all (select from app.nft_holdings where address = ${account} limit 1)
    limit 1
  `)
}

/**
 * Heights below the newest within which the workers of balances and of their changes may be apart, and have holes: at the
 * head they do ranges side by side. What one has done and the other has not is read from the transfers.
 */
const recentHeights = 1000

/** What each of the two has done, and the newest of these heights, exclusive; in the snapshot of the statement. */
const coverage = sql.fragment`
  done as (
    select coalesce(range_agg(covered) filter (where service_name = 'daily_balance_worker'), '{}') as changes,
      coalesce(range_agg(covered) filter (where service_name = 'ft_holdings_worker'), '{}') as balances
    from app.coverage where service_name in ('daily_balance_worker', 'ft_holdings_worker')
  ), recent as (
    select done.*, int8multirange(int8range(upper(changes + balances) - ${recentHeights}, upper(changes + balances))) as heights
    from done
  )
`

const heightsRow = z.object({ from: z.number(), to: z.number() })
const timesRow = z.object({ first: z.string().nullable(), last: z.string().nullable() })

interface TellableDays {
  /** From that of the first block since which none is missing, to that of the newest. */
  readonly days: DayRange
  /** The newest height. */
  readonly newest: number
}

/** The days at whose end balances can be told; undefined while nothing is derived. */
export async function readTellableDays(database: DatabasePool): Promise<TellableDays | undefined> {
  const heights = await database.maybeOne(sql.type(heightsRow)`
    with ${coverage}, whole as (
      select changes + coalesce(int8multirange(range_merge((changes + balances) * heights)), '{}') as heights from recent
    )
    select lower(r) as from, upper(r) - 1 as to from whole, unnest(heights) as r order by r desc limit 1
  `)
  if (heights === null) return undefined
  const { from, to } = heights
  // Blocks that no node can serve count as done.
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

/**
 * What an account had of a token at the end of each of the `count` days that end with the newest, the earliest first: what it
 * has now less what came after. Reads the changes of these days, a row each, and the transfers of few blocks.
 */
export async function readBalanceHistory(
  database: DatabasePool,
  account: string,
  token: string,
  { days, newest }: TellableDays,
  count: number,
): Promise<readonly BalancePoint[]> {
  return database.any(sql.type(balancePoint)`
    with ${coverage}, points as (
      select ${days.to}::date - ago as day from generate_series(0, ${count - 1}::integer) as ago
    ), changes as (
      select day, change from app.daily_balance_changes
      where address = ${account} and token = ${token} and day > ${days.to}::date - ${count}::integer
      union all
      ${changesApart(account, token, newest)}
    ), present as (
      select coalesce(
        (select balance from app.ft_holdings where address = ${account} and token = ${token}), 0.00000000
      ) as balance
    )
    select p.day::text as date, (n.balance - coalesce(sum(c.change), 0))::text as balance
    from present n cross join points p left join changes c on c.day > p.day
    group by p.day, n.balance
    order by p.day
  `)
}

/** What is in the balance and not yet among the changes, and the other way round. */
function changesApart(account: string, token: string, newest: number): FragmentSqlToken {
  return sql.fragment`
    select (b.timestamp at time zone 'UTC')::date, a.sign * t.amount
      * ((t.to_address is not distinct from ${account})::integer - (t.from_address is not distinct from ${account})::integer)
    from (
      select unnest((balances - changes) * heights) as range, 1 as sign from recent
      union all
      select unnest((changes - balances) * heights), -1 from recent
    ) a
    join app.ft_transfers t on t.block_height >= lower(a.range) and t.block_height < upper(a.range)
      and t.block_height > ${newest - recentHeights} and t.token = ${token} and ${account} in (t.from_address, t.to_address)
    join raw.blocks b on b.height = t.block_height and b.height > ${newest - recentHeights}
  `
}
