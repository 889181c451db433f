-- 300 blocks over three days, three tokens. Every 97th block lost against another.
insert into blocks (hash, number, parent_hash, miner_hash, nonce, consensus, timestamp, gas_limit, gas_used, base_fee_per_gas, size, inserted_at, updated_at)
select decode(lpad(to_hex(n), 64, '0'), 'hex'), n, decode(lpad(to_hex(n - 1), 64, '0'), 'hex'), decode(repeat('00', 20), 'hex'),
  decode(repeat('00', 8), 'hex'), n % 97 <> 0, made.at, 30000000, 21000 * (1 + n % 5), 1, 700 + n, made.at, made.at
from generate_series(1, 300) n cross join lateral (select timestamp '2026-01-05 00:00:00' + n * interval '14 minutes') as made(at);

insert into addresses (
  hash, fetched_coin_balance, fetched_coin_balance_block_number, contract_code, nonce, verified, transactions_count, token_transfers_count, gas_used,
  inserted_at, updated_at)
select decode('00000000000000000000000200000000000000' || lpad(to_hex(n), 2, '0'), 'hex'), n * 1500000000000000000::numeric, 300,
  case when n <= 3 then '\x6080'::bytea end, n, n <= 2, 40 - n, n, 21000 * n, '2026-01-05', '2026-01-08'
from generate_series(1, 30) n;

insert into address_ids_to_address_hashes (address_hash) select hash from addresses order by hash desc;

insert into transactions (
  hash, block_hash, block_number, block_timestamp, block_consensus, index, nonce, from_address_hash, to_address_hash, value, gas, gas_price, gas_used, status,
  error, input, type, r, s, v, inserted_at, updated_at)
select decode(md5(n || 'a' || i) || md5(n || 'b' || i), 'hex'), b.hash, b.number, b.timestamp, b.consensus, i, n,
  decode('00000000000000000000000200000000000000' || lpad(to_hex(4 + (n * 7 + i) % 26), 2, '0'), 'hex'),
  case when n % 50 = 0 then null
    else decode('00000000000000000000000200000000000000' || lpad(to_hex(case when n % 3 = 0 then 1 + n % 2 else 1 + (n * 5) % 30 end), 2, '0'), 'hex') end,
  (n % 11) * 250000000000000000::numeric, 60000, 1000000000 + n * 1000000, 21000 + n, case when n % 13 = 0 then 0 else 1 end,
  case when n % 13 = 0 then case when n % 2 = 0 then 'Reverted' else 'out of gas' end end, '\x', 2, n, i, 27, b.timestamp, b.timestamp
from generate_series(1, 300) n join blocks b on b.number = n cross join generate_series(0, 1) i
where n % 4 <> 0 or i = 0;

insert into transaction_errors (message, inserted_at) values ('execution reverted', '2026-01-05'), ('out of gas', '2026-01-05');

-- One call per transaction, and a nested one in every third.
insert into internal_transactions (
  block_number, transaction_index, index, type, call_type, from_address_id, to_address_id, value, gas, gas_used, error_id, trace_address, input, output,
  inserted_at, updated_at)
select t.block_number, t.index, call.index, 'call', 'call', coalesce(inner_from.address_id, outer_from.address_id), target.address_id,
  case call.index when 0 then t.value else t.value / 2 end, 60000, 21000,
  case when call.index = 1 and t.nonce % 5 = 0 then 1 + t.nonce % 2 end, array_fill(0, array[call.index]), '\x', '\x', t.inserted_at, t.updated_at
from transactions t
cross join lateral generate_series(0, case when t.nonce % 3 = 0 then 1 else 0 end) as call(index)
join address_ids_to_address_hashes outer_from on outer_from.address_hash = t.from_address_hash
left join address_ids_to_address_hashes inner_from on call.index = 1 and inner_from.address_hash = t.to_address_hash
join address_ids_to_address_hashes target on target.address_hash = case call.index when 0 then t.to_address_hash else t.from_address_hash end
where t.block_consensus;

insert into tokens (contract_address_hash, name, symbol, type, decimals, total_supply, holder_count, transfer_count, fiat_value, inserted_at, updated_at) values
  ('\x0000000000000000000000020000000000000001', 'Wrapped Flow', 'WFLOW', 'ERC-20', 18, 1000000000000000000000, 12, 100, 0.4, '2026-01-05', '2026-01-08'),
  ('\x0000000000000000000000020000000000000002', 'Harbour Dollar', 'HUSD', 'ERC-20', 6, 5000000000, 20, 150, 1, '2026-01-05', '2026-01-08'),
  ('\x0000000000000000000000020000000000000003', 'Tide Pools', 'TIDE', 'ERC-721', null, 60, 9, 50, null, '2026-01-05', '2026-01-08');

insert into token_transfers (
  transaction_hash, block_hash, log_index, block_number, block_consensus, token_contract_address_hash, token_type, from_address_hash, to_address_hash,
  amount, token_ids, inserted_at, updated_at)
select t.hash, t.block_hash, t.index, t.block_number, t.block_consensus, k.contract_address_hash, k.type, t.from_address_hash,
  decode('00000000000000000000000200000000000000' || lpad(to_hex(4 + (t.nonce * 3) % 26), 2, '0'), 'hex'),
  case when k.type = 'ERC-20' then (1 + t.nonce) * power(10::numeric, k.decimals) / 4 end,
  case when k.type = 'ERC-721' then array[t.nonce % 60]::numeric[] end, t.inserted_at, t.updated_at
from transactions t join tokens k on get_byte(k.contract_address_hash, 19) = 1 + t.nonce % 3
where t.status = 1;

insert into address_current_token_balances (address_hash, token_contract_address_hash, block_number, value, token_type, inserted_at, updated_at)
select a.hash, k.contract_address_hash, 300, (31 - get_byte(a.hash, 19)) * power(10::numeric, coalesce(k.decimals, 0)) * 3 / 2, k.type, '2026-01-08', '2026-01-08'
from addresses a cross join tokens k
where get_byte(a.hash, 19) > 3 and k.type = 'ERC-20' and get_byte(a.hash, 19) % (1 + get_byte(k.contract_address_hash, 19)) = 0;

insert into logs (block_hash, index, transaction_hash, block_number, address_hash, data, first_topic, inserted_at, updated_at)
select x.block_hash, x.log_index, x.transaction_hash, x.block_number, x.token_contract_address_hash, '\x',
  '\xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef', x.inserted_at, x.updated_at
from token_transfers x;

insert into smart_contracts (
  address_hash, name, compiler_version, optimization, contract_source_code, contract_code_md5, language, inserted_at, updated_at) values
  ('\x0000000000000000000000020000000000000001', 'WFLOW', 'v0.8.24+commit.e11b9ed9', true, 'contract WFLOW {}', md5('1'), 1, '2026-01-06 10:00:00', '2026-01-06 10:00:00'),
  ('\x0000000000000000000000020000000000000002', 'HarbourDollar', 'v0.8.20+commit.a1b79de6', false, 'contract HarbourDollar {}', md5('2'), 1, '2026-01-07 09:30:00', '2026-01-07 09:30:00');
