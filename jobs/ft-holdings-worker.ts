import type { Fold, Worker } from './worker.ts'

/** Where each vault was last seen, by the account that it lay in. One row of the history for each, by its index. */
const vaults: Fold = {
  name: 'app.ft_vaults',
  key: [{ column: 'vault_uuid', type: 'bigint' }, { column: 'token', type: 'text' }, { column: 'owner', type: 'text' }],
  touched: `
    select distinct vault_uuid, token, owner from app.ft_vault_balances where block_height >= $1 and block_height < $2`,
  fold: `
    with keys as (select * from unnest($1::bigint[], $2::text[], $3::text[]) as k (vault_uuid, token, owner)),
    latest as (
      select k.vault_uuid, k.token, k.owner, l.balance, l.block_height, l.tx_index, l.event_index
      from keys k cross join lateral (
        select h.balance, h.block_height, h.tx_index, h.event_index from app.ft_vault_balances h
        where h.vault_uuid = k.vault_uuid and h.token = k.token and h.owner = k.owner
        order by h.block_height desc limit 1
      ) l
    ), gone as (
      delete from app.ft_vaults v using keys k
      where v.vault_uuid = k.vault_uuid and v.token = k.token and v.owner = k.owner and not exists (
        select from latest l where l.vault_uuid = v.vault_uuid and l.token = v.token and l.owner = v.owner
      )
    )
    insert into app.ft_vaults as v (vault_uuid, token, owner, balance, block_height, tx_index, event_index)
    select vault_uuid, token, owner, balance, block_height, tx_index, event_index from latest
    order by vault_uuid, token, owner
    on conflict (vault_uuid, token, owner) do update
    set balance = excluded.balance, block_height = excluded.block_height, tx_index = excluded.tx_index,
      event_index = excluded.event_index
    where (v.balance, v.block_height, v.tx_index, v.event_index) is distinct from
      (excluded.balance, excluded.block_height, excluded.tx_index, excluded.event_index)`,
}

/**
 * A vault counts for the account in which it was seen last. So a range touches the accounts that its vaults lie in now,
 * and those that they lay in before, which `app.ft_vaults` has: it is folded first.
 * Where an account's vaults are not known, what is left is the sum of the changes of before Cadence 1.0.
 */
const holdings: Fold = {
  name: 'app.ft_holdings',
  key: [{ column: 'address', type: 'text' }, { column: 'token', type: 'text' }],
  touched: `
    select owner as address, token from app.ft_vault_balances
    where block_height >= $1 and block_height < $2 and owner <> ''
    union
    select v.owner, v.token from app.ft_vault_balances h join app.ft_vaults v using (vault_uuid, token)
    where h.block_height >= $1 and h.block_height < $2 and v.owner <> ''
    union
    select address, token from app.ft_balance_changes where block_height >= $1 and block_height < $2`,
  fold: `
    with keys as (select * from unnest($1::text[], $2::text[]) as k (address, token)),
    from_vaults as (
      select k.address, k.token, sum(v.balance) as balance, count(*) as vault_count, max(v.block_height) as last_height
      from keys k join app.ft_vaults v on v.owner = k.address and v.token = k.token
      where not exists (
        select from app.ft_vaults later
        where later.vault_uuid = v.vault_uuid and later.token = v.token and later.block_height > v.block_height
      )
      group by k.address, k.token
    ), from_changes as (
      select k.address, k.token, sum(c.change) as balance, max(c.block_height) as last_height
      from keys k join app.ft_balance_changes c on c.address = k.address and c.token = k.token
      where not exists (select from app.ft_vaults v where v.owner = k.address and v.token = k.token)
      group by k.address, k.token
    ), held as (
      select address, token, balance, vault_count, true as is_complete, last_height from from_vaults
      union all
      select address, token, balance, 0, false, last_height from from_changes
    ), gone as (
      delete from app.ft_holdings f using keys k
      where f.address = k.address and f.token = k.token
        and not exists (select from held h where h.address = f.address and h.token = f.token)
    )
    insert into app.ft_holdings as f (address, token, balance, vault_count, is_complete, last_height)
    select address, token, balance, vault_count, is_complete, last_height from held order by address, token
    on conflict (address, token) do update
    set balance = excluded.balance, vault_count = excluded.vault_count, is_complete = excluded.is_complete,
      last_height = excluded.last_height
    where (f.balance, f.vault_count, f.is_complete, f.last_height) is distinct from
      (excluded.balance, excluded.vault_count, excluded.is_complete, excluded.last_height)`,
}

/** What accounts have of fungible tokens, from the balances that the chain told of their vaults. */
export const ftHoldingsWorker: Worker = {
  name: 'ft_holdings_worker',
  description: 'Balances of accounts in fungible tokens',
  phase: 2,
  follows: ['token_worker'],
  tables: [],
  folds: [vaults, holdings],
}
