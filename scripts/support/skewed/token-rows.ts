import { timeOf } from './chain-rows.ts'
import { accountAt, contractAt, skewed } from './skewed-world.ts'
import type { SkewedWorld } from './skewed-world.ts'

/** Accounts as their transactions tell, keys, and EVM accounts of Cadence. */
export function accountRows({ accounts, blocks, spacing }: SkewedWorld): string {
  return `
    insert into app.accounts (address, first_seen_height, last_seen_height)
    select address, min(block_height), max(block_height) from app.address_transactions group by address;
    insert into app.address_stats (address, tx_count, gas_used)
    select address, count(*), coalesce(sum(gas_used), 0) from app.address_transactions group by address;
    insert into app.account_keys (address, key_index, public_key, is_revoked)
    select ${accountAt('i')}, 0,
      case when i % 10 = 0 then decode('${skewed.publicKey}', 'hex') else sha512(int8send(i)) end, i % 20 = 0
    from generate_series(0, ${accounts - 1}) as i;
    insert into app.coa_accounts (block_height, tx_index, event_index, coa_address, flow_address)
    select (i * ${Math.floor((blocks * 10) / accounts)}) * ${spacing}, 0, 5, '0x' || lpad(to_hex(i), 40, '0'),
      case when i % 4 = 0 then '${skewed.whale}' else ${accountAt('i')} end
    from generate_series(0, ${Math.floor(accounts / 10) - 1}) as i`
}

/** Fungible tokens, who has them, and prices by the hour of twenty of them. */
export function tokenRows({ accounts, tokens, highest }: SkewedWorld): string {
  return `
    insert into app.ft_tokens (token, first_height)
    select token, min(block_height) from app.ft_transfers where transfer_type <> 'fee' group by token;
    insert into app.ft_token_totals (token, transfer_count, minted, burned)
    select token, count(*), 0, 0 from app.ft_transfers where transfer_type <> 'fee' group by token;
    insert into app.ft_holdings (address, token, vault_balance, vault_count, vault_rows, change_balance, history_rows)
    select ${accountAt('i')}, '${skewed.token}', case when i % 3 = 0 then 1000000.0 / (i + 1) else 0.001 end, 1, 1, 0, 1
    from generate_series(0, ${accounts - 1}) as i;
    insert into app.ft_holdings (address, token, vault_balance, vault_count, vault_rows, change_balance, history_rows)
    select distinct ${accountAt('i')}, ${contractAt(`(i % ${tokens})`, 'Coin')}, 1, 1, 1, 0, 1 from generate_series(0, ${accounts - 1}, 3) as i;
    insert into app.ft_holdings (address, token, vault_balance, vault_count, vault_rows, change_balance, history_rows)
    select '${skewed.whale}', token, 5000, 1, 1, 0, 1 from app.ft_tokens;
    insert into app.ft_token_holders (token, holder_count)
    select token, count(*) from app.ft_holdings where balance > 0 group by token;
    insert into app.ft_token_metadata (token, name, symbol, evm_address, status)
    select token, 'Token ' || row_number() over (order by token), 'T' || row_number() over (order by token),
      case when row_number() over (order by token) % 5 = 0 then '0x' || lpad(to_hex(row_number() over (order by token)), 40, '0') end, 'answered'
    from app.ft_tokens;
    insert into app.account_labels (address, tag, label, category)
    select ${accountAt('i')}, 'known', 'Known ' || i, 'custom' from generate_series(0, ${tokens - 1}, 9) as i;
    insert into app.prices (token, currency, price_time, price, symbol)
    select token, 'USD', t, 0.5, 'S' || nth
    from (
      select token, row_number() over (order by transfer_count desc, token) as nth from app.ft_token_totals
      order by transfer_count desc, token limit 20
    ) as most cross join lateral (
      select generate_series(${timeOf('0')}, ${timeOf(String(highest))}, case when nth = 1 then interval '1 hour' else interval '1 day' end) as t
      union all select now() - interval '1 hour'
    ) as times;
    insert into app.hourly_stats
    select t::date, extract(hour from t), 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9
    from generate_series(date_trunc('hour', ${timeOf(String(highest))}) - interval '30 hours', ${timeOf(String(highest))}, '1 hour') as t;
    insert into app.hourly_activity (kind, day, hour, name, activity_count, amount)
    select 'token', s.day, s.hour, ${contractAt('i', 'Coin')}, 1 + 100 / (i + 1), 1 from app.hourly_stats s, generate_series(0, ${tokens - 1}, 2) as i`
}
