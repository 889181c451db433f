import { sql } from 'slonik'
import type { DatabasePool, FragmentSqlToken } from 'slonik'
import { z } from 'zod'
import { ftHoldingRow, vaultRow } from '../presenters/ft-holding.ts'
import type { FtHoldingRow, VaultRow } from '../presenters/ft-holding.ts'
import { selectRanked } from '../paging/ranked-rows.ts'
import type { Rank } from '../paging/ranked-rows.ts'
import { priceAt } from './ft-transfers.ts'

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
