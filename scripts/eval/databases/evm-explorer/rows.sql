-- Made rows: 300 blocks over three days, two transactions in most of them, three tokens. Every 97th block lost against another.
insert into blocks
select decode(lpad(to_hex(n), 64, '0'), 'hex'), n, decode(lpad(to_hex(n - 1), 64, '0'), 'hex'), decode(repeat('00', 20), 'hex'), n % 97 <> 0,
  timestamp '2026-01-05 00:00:00' + n * interval '14 minutes', 30000000, 21000 * (1 + n % 5), 1, 700 + n
from generate_series(1, 300) n;

insert into addresses
select decode('00000000000000000000000200000000000000' || lpad(to_hex(n), 2, '0'), 'hex'), n * 1500000000000000000::numeric, 300,
  case when n <= 3 then '\x6080'::bytea end, n, n <= 2, 40 - n, n, 21000 * n
from generate_series(1, 30) n;

insert into transactions
select decode(md5(n || 'a' || i) || md5(n || 'b' || i), 'hex'), b.hash, b.number, b.timestamp, b.consensus, i, n,
  decode('00000000000000000000000200000000000000' || lpad(to_hex(4 + (n * 7 + i) % 26), 2, '0'), 'hex'),
  case when n % 50 = 0 then null
    else decode('00000000000000000000000200000000000000' || lpad(to_hex(case when n % 3 = 0 then 1 + n % 2 else 1 + (n * 5) % 30 end), 2, '0'), 'hex') end,
  null, (n % 11) * 250000000000000000::numeric, 60000, 1000000000 + n * 1000000, 21000 + n, case when n % 13 = 0 then 0 else 1 end,
  case when n % 13 = 0 then case when n % 2 = 0 then 'Reverted' else 'out of gas' end end, '\x', 2
from generate_series(1, 300) n join blocks b on b.number = n cross join generate_series(0, 1) i
where n % 4 <> 0 or i = 0;

insert into tokens values
  ('\x0000000000000000000000020000000000000001', 'Wrapped Flow', 'WFLOW', 'ERC-20', 18, 1000000000000000000000, 12, 100, 0.4),
  ('\x0000000000000000000000020000000000000002', 'Harbour Dollar', 'HUSD', 'ERC-20', 6, 5000000000, 20, 150, 1),
  ('\x0000000000000000000000020000000000000003', 'Tide Pools', 'TIDE', 'ERC-721', null, 60, 9, 50, null);

insert into token_transfers
select t.hash, t.block_hash, t.index, t.block_number, t.block_consensus, k.contract_address_hash, k.type, t.from_address_hash,
  decode('00000000000000000000000200000000000000' || lpad(to_hex(4 + (t.nonce * 3) % 26), 2, '0'), 'hex'),
  case when k.type = 'ERC-20' then (1 + t.nonce) * power(10::numeric, k.decimals) / 4 end, null,
  case when k.type = 'ERC-721' then array[t.nonce % 60]::numeric[] end
from transactions t join tokens k on get_byte(k.contract_address_hash, 19) = 1 + t.nonce % 3
where t.status = 1;

insert into address_current_token_balances (address_hash, token_contract_address_hash, block_number, value, token_type)
select a.hash, k.contract_address_hash, 300, (31 - get_byte(a.hash, 19)) * power(10::numeric, coalesce(k.decimals, 0)) * 3 / 2, k.type
from addresses a cross join tokens k
where get_byte(a.hash, 19) > 3 and k.type = 'ERC-20' and get_byte(a.hash, 19) % (1 + get_byte(k.contract_address_hash, 19)) = 0;

insert into logs
select x.block_hash, x.log_index, x.transaction_hash, x.block_number, x.token_contract_address_hash, '\x',
  '\xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef', null, null, null
from token_transfers x;

insert into smart_contracts (address_hash, name, compiler_version, optimization, contract_source_code, contract_code_md5, language, inserted_at) values
  ('\x0000000000000000000000020000000000000001', 'WFLOW', 'v0.8.24+commit.e11b9ed9', true, 'contract WFLOW {}', md5('1'), 1, '2026-01-06 10:00:00'),
  ('\x0000000000000000000000020000000000000002', 'HarbourDollar', 'v0.8.20+commit.a1b79de6', false, 'contract HarbourDollar {}', md5('2'), 1, '2026-01-07 09:30:00');
