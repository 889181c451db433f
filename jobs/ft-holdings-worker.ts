import { latestFold } from './latest-fold.ts'
import type { Fold, SqlColumn, Worker } from './worker.ts'

/** Where each vault was last seen, by the account that it lay in. */
const vaults = latestFold({
  name: 'app.ft_vaults',
  key: [{ column: 'vault_uuid', type: 'bigint' }, { column: 'token', type: 'text' }, { column: 'owner', type: 'text' }],
  of: 'app.ft_vault_balances',
  position: ['block_height', 'tx_index', 'event_index'],
  columns: ['balance'],
})

const accountAndToken: readonly SqlColumn[] = [{ column: 'address', type: 'text' }, { column: 'token', type: 'text' }]

/** The accounts that a range's vaults lie in now, and those that they ever lay in, and those of the old changes. */
const touchedHoldings = `
    select owner as address, token from app.ft_vault_balances
    where block_height >= $1 and block_height < $2 and owner <> ''
    union
    select v.owner, v.token from app.ft_vault_balances h join app.ft_vaults v using (vault_uuid, token)
    where h.block_height >= $1 and h.block_height < $2 and v.owner <> ''
    union
    select address, token from app.ft_balance_changes where block_height >= $1 and block_height < $2`

/**
 * A vault counts for the account in which it was seen last, and is remembered by all others. An account may have a
 * hundred thousand vaults, and its sum changes by those that a range touches.
 */
const vaultTotals: Fold = {
  kind: 'sum',
  name: 'app.ft_vault_totals',
  key: accountAndToken,
  sums: [
    { column: 'balance', type: 'numeric' }, { column: 'vault_count', type: 'bigint' },
    { column: 'seen_count', type: 'bigint' },
  ],
  presence: 'seen_count',
  of: vaults.name,
  touched: touchedHoldings,
  counted: `
    with keys as (select * from unnest($1::bigint[], $2::text[], $3::text[]) as k (vault_uuid, token, owner))
    select l.owner as address, v.token, l.balance, 1::bigint as vault_count, 0::bigint as seen_count
    from (select distinct vault_uuid, token from keys) v
    cross join lateral (
      select f.owner, f.balance from app.ft_vaults f
      where f.vault_uuid = v.vault_uuid and f.token = v.token order by f.block_height desc limit 1
    ) l
    where l.owner <> ''
    union all
    select f.owner, f.token, 0, 0, 1 from keys k join app.ft_vaults f using (vault_uuid, token, owner)
    where f.owner <> ''`,
}

/** Where no vault was ever seen in an account, what it has is the sum of the changes of before Cadence 1.0. */
const holdings: Fold = {
  kind: 'state',
  name: 'app.ft_holdings',
  key: accountAndToken,
  reads: ['app.ft_vault_balances', 'app.ft_balance_changes'],
  touched: touchedHoldings,
  fold: `
    with keys as (select * from unnest($1::text[], $2::text[]) as k (address, token)),
    held as (
      select k.address, k.token, case when t.token is null then s.balance else t.balance end as balance,
        coalesce(t.vault_count, 0) as vault_count, t.token is not null as is_complete
      from keys k
      left join app.ft_vault_totals t on t.address = k.address and t.token = k.token
      left join app.ft_balance_sums s on s.address = k.address and s.token = k.token
      where t.vault_count > 0 or t.token is null and s.token is not null
    ), gone as (
      delete from app.ft_holdings f using keys k
      where f.address = k.address and f.token = k.token
        and not exists (select from held h where h.address = k.address and h.token = k.token)
    )
    insert into app.ft_holdings as f (address, token, balance, vault_count, is_complete)
    select address, token, balance, vault_count, is_complete from held
    on conflict (address, token) do update
    set balance = excluded.balance, vault_count = excluded.vault_count, is_complete = excluded.is_complete
    where (f.balance, f.vault_count, f.is_complete) is distinct from
      (excluded.balance, excluded.vault_count, excluded.is_complete)`,
}

/**
 * What accounts have of fungible tokens, from the balances that the chain told of their vaults. It derives nothing from
 * blocks: app.ft_vault_balances (what each vault held after each block, from token_worker) is folded into app.ft_vaults
 * (one row a vault and account), that is added up into app.ft_vault_totals (one row an account and token), and those
 * join with the sums of before Cadence 1.0 in app.ft_holdings, which is what readers read.
 */
export const ftHoldingsWorker: Worker = {
  name: 'ft_holdings_worker',
  description: 'Balances of accounts in fungible tokens',
  phase: 2,
  follows: ['token_worker'],
  tables: [],
  folds: [vaults, vaultTotals, holdings],
}
