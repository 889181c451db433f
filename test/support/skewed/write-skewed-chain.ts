import type { Pool } from 'pg'
import { workers } from '../../../jobs/index.ts'
import { ensureRawPartitions } from '../../../src/ingest/raw-tables.ts'
import { ensurePartitions } from '../../../src/platform/db/partitions.ts'
import { chainRows, eventShapes, timeOf } from './chain-rows.ts'
import {
  skewedWorld,
  accountAt,
  skewed,
  skewedNumber,
  contractAt,
  uniformRandom,
  isLate,
  isOccasional,
  isRare,
  transfersPerBlock,
  evmAddressAt,
} from './skewed-world.ts'
import type { SkewedSize, SkewedWorld } from './skewed-world.ts'
import { stakeRows, tradeRows } from './stake-and-trade-rows.ts'

/** Blocks per statement, so that each stays below the pool's statement timeout. */
const blocksAtOnce = 20_000

/**
 * Writes a long chain directly into the tables: blocks with one transaction and five transfers at
 * regular heights, over many partitions, and all other tables that API lists read. A few accounts,
 * tokens and contracts are frequent, most are rare (`skewed` names some of each). Marked as covered
 * by all workers, and analyzed. The same size yields the same rows, except for the latest prices,
 * which are current.
 *
 * @param reported receives a line per step
 */
export async function writeSkewedChain(
  pool: Pool,
  size: SkewedSize,
  reported: (line: string) => void = () => undefined,
): Promise<SkewedWorld> {
  const world = skewedWorld(size)
  await makePartitions(pool, world)
  reported('partitions made')
  await pool.query(`
    insert into raw.scripts (script_hash, script_text) values (sha256('transfer'), 'import "FungibleToken"\n\ntransaction {}\n');
    insert into app.indexing_checkpoints (service_name, covered)
    select name, int8multirange(int8range(0, ${world.highest + 1}))
    from unnest(array['main_ingester', ${workers.map(({ name }) => `'${name}'`).join(', ')}]) as name`)
  await pool.query(eventShapes)
  const parts: string[] = []
  for (let from = 0; from < world.blocks; from += blocksAtOnce) {
    const blocks = `generate_series(${from}::bigint, ${Math.min(world.blocks, from + blocksAtOnce) - 1}::bigint)`
    parts.push(...[chainRows, transferRows, evmRows, tradeRows].map((rows) => rows(blocks, world)))
  }
  await runAll(pool, parts, (done) => reported(`${done} of ${parts.length} parts of the chain`))
  await pool.query(
    'insert into app.event_types (type, event_count) select type, sum(block_count) from app.event_type_pieces group by type',
  )
  await pool.query(accountRows(world))
  await pool.query(tokenRows(world))
  await pool.query(nftRows(world))
  await pool.query(contractRows(world))
  await pool.query(evmCatalogueRows(world))
  await pool.query(stakeRows(world))
  reported('accounts, tokens, items, contracts, stakes')
  await pool.query('vacuum (analyze)')
  reported('vacuumed and analyzed')
  return world
}

async function makePartitions(pool: Pool, { highest }: SkewedWorld): Promise<void> {
  const range = { from: 0, to: highest + 1 }
  await ensureRawPartitions(pool, range)
  for (const { name, partitionHeights } of workers.flatMap(({ tables }) => tables)) {
    if (partitionHeights !== undefined) await ensurePartitions(pool, name, partitionHeights, range)
  }
}

/** Two at a time: one works while the other waits for its commit. */
async function runAll(pool: Pool, statements: readonly string[], reported: (done: number) => void): Promise<void> {
  let next = 0
  const run = async (): Promise<void> => {
    while (next < statements.length) {
      const statement = statements[next++] ?? ''
      await pool.query(statement)
      if (next % 40 === 0) reported(next)
    }
  }
  await Promise.all([run(), run()])
}

/** Contracts, most of them deployed in thousands with the same code, and their versions. */
function contractRows({ accounts, contracts, blocks, spacing }: SkewedWorld): string {
  const codes = Math.ceil(contracts / 2)
  const at = (every: number): string => `((i::bigint * ${every}) % ${blocks} * ${spacing})`
  const [, flowAccount = '', name = ''] = skewed.contract.split('.')
  return `
    insert into app.contract_code (code_hash, code, kind, imports, found_in)
    select sha256(int8send(i)), 'access(all) contract C {}', (array['CONTRACT', 'NFT', 'CONTRACT', 'FT'])[i % 4 + 1],
      case when i = 0 then '{}'::text[] else array['${skewed.contract}'] end, 'argument'
    from generate_series(0, ${codes - 1}) as i;
    insert into app.contract_versions (block_height, tx_index, event_index, change, address, name, code_hash)
    select ${at(7)}, 0, 1000 + i, 'added', ${accountAt(skewedNumber(accounts, 'i', 51))}, 'Contract' || i, sha256(int8send(1 + i % ${codes - 1}))
    from generate_series(1, ${contracts}) as i;
    insert into app.contract_versions (block_height, tx_index, event_index, change, address, name, code_hash)
    select ${at(Math.floor(blocks / 300))}, 0, 1, case when i = 1 then 'added' else 'updated' end, '0x${flowAccount}', '${name}', sha256(int8send(0))
    from generate_series(1, 250) as i;
    insert into app.smart_contracts (
      address, name, created_height, created_tx_index, updated_height, updated_tx_index, updated_event_index, is_removed, code_hash
    )
    select address, name, case when nth % 20 <> 0 then min(block_height) end, case when nth % 20 <> 0 then 0 end, max(block_height), 0,
      max(event_index), nth % 30 = 29, min(code_hash)
    from (select *, dense_rank() over (order by address, name) as nth from app.contract_versions) as v group by address, name, nth`
}

/** Items of collections, with owners and metadata. */
function nftRows({ accounts, collections, items, highest }: SkewedWorld): string {
  return `
    insert into app.nft_collections (token, first_height)
    select token, min(block_height) from app.nft_transfers group by token;
    insert into app.nft_collection_totals (token, transfer_count, mint_count, burn_count)
    select token, count(*), 0, 0 from app.nft_transfers group by token;
    insert into app.nft_ownership (token, nft_id, nft_uuid, block_height, tx_index, event_index, leg, is_burned, owner)
    select '${skewed.collection}', i, i, ${highest}, 0, 60, 0, i % 50 = 49,
      case when i % 50 = 49 then null when ${uniformRandom('i', 41)} < 0.2 then '${skewed.whale}' else ${accountAt(skewedNumber(accounts, 'i', 42))} end
    from generate_series(1, ${items}) as i;
    insert into app.nft_ownership (token, nft_id, nft_uuid, block_height, tx_index, event_index, leg, is_burned, owner)
    select ${contractAt('c', 'Items')}, i, c * 1000000 + i, ${highest}, 0, 60, 0, false,
      case when i = 1 then '${skewed.whale}' else ${accountAt('(c * 31 + i)')} end
    from generate_series(0, ${collections - 1}) as c, generate_series(1, 5) as i;
    insert into app.nft_ownership_corrections (token, nft_id, owner, not_in, checked_height)
    select '${skewed.collection}', i, null, '${skewed.whale}', ${highest} from generate_series(100, ${items}, 100) as i;
    insert into app.nft_holdings (address, token, item_count)
    select owner, token, count(*) from app.nft_ownership where owner is not null group by owner, token;
    insert into app.nft_collection_stats (token, item_count, holder_count, seen_count)
    select token, count(*), count(distinct owner), count(*) from app.nft_ownership where owner is not null group by token;
    insert into app.nft_collection_metadata (token, name, evm_address, status)
    select token, 'Collection ' || row_number() over (order by token),
      case when row_number() over (order by token) % 4 = 0 then '0x' || lpad(to_hex(row_number() over (order by token)), 40, '0') end, 'answered'
    from app.nft_collections;
    insert into app.nft_items (token, nft_id, name, description, status)
    select '${skewed.collection}', i, 'Moment ' || (array['Dunk', 'Layup', 'Assist'])[i % 3 + 1], 'word' || i % 500, 'answered'
    from generate_series(1, ${Math.floor(items / 2)}) as i;
    insert into app.hourly_activity (kind, day, hour, name, activity_count, amount)
    select 'collection', s.day, s.hour, ${contractAt('i', 'Items')}, 1 + 100 / (i + 1), 0
    from app.hourly_stats s, generate_series(0, ${collections - 1}, 2) as i`
}

/**
 * Transfers of tokens, including fees, and of items. @param blocks a set `n` of block numbers, as
 * SQL
 */
function transferRows(blocks: string, world: SkewedWorld): string {
  const { spacing, blocks: count, accounts, tokens, collections, items } = world
  const h = `(n * ${spacing})`
  const seed = `(n * ${transfersPerBlock} + i)`
  const someAccount = (salt: number): string => accountAt(skewedNumber(accounts, seed, salt))
  const anybody = (salt: number): string => accountAt(skewedNumber(accounts, 'n', salt))
  const special = (index: number, token: string, from: string, to: string, where: string): string => `
    union all select ${h}, 0, ${index}, 0, '${token}', ${from}, ${to}, 1.00000000, 'transfer' from ${blocks} as n where ${where}`
  return `
    insert into app.ft_transfers (block_height, tx_index, event_index, leg, token, from_address, to_address, amount, transfer_type)
    select ${h}, 0, i * 3, 0,
      case when ${uniformRandom(seed, 11)} < 0.9 then '${skewed.token}' else ${contractAt(skewedNumber(tokens, seed, 12), 'Coin')} end,
      case when ${uniformRandom(seed, 13)} < 0.1 then '${skewed.whale}' else ${someAccount(14)} end,
      case when i = 0 then '${skewed.whale}' else ${someAccount(15)} end,
      round(power(10, 5 * power(${uniformRandom(seed, 16)}, 6))::numeric, 8), 'transfer'
    from ${blocks} as n cross join generate_series(0, ${transfersPerBlock - 1}) as i
    union all
    select ${h}, 0, 90, 0, '${skewed.token}', ${anybody(2)}, '0xf919ee77447b7497', 0.00000570, 'fee' from ${blocks} as n
    ${special(40, skewed.rareToken, `'${skewed.quiet}'`, `'${skewed.whale}'`, isRare(world))}
    ${special(41, skewed.oldToken, anybody(17), `case when n % 3 = 0 then '${skewed.whale}' else ${anybody(18)} end`, `n < ${Math.floor(count / 30)}`)}
    ${special(42, skewed.token, `'${skewed.occasional}'`, anybody(19), isOccasional)}
    ${special(43, skewed.token, anybody(20), `'${skewed.late}'`, isLate(world))};
    insert into app.big_transfers (block_height, tx_index, event_index, leg, day, token, amount)
    select block_height, tx_index, event_index, leg, '2025-01-01', token, amount from app.ft_transfers
    where transfer_type <> 'fee' and amount >= 1000
      and block_height in (select ${h} from ${blocks} as n);
    insert into app.nft_transfers (block_height, tx_index, event_index, leg, token, nft_id, nft_uuid, from_address, to_address, transfer_type)
    select ${h}, 0, 60, 0,
      case when ${isRare(world)} then '${skewed.rareCollection}' when ${uniformRandom('n', 21)} < 0.7 then '${skewed.collection}'
        else ${contractAt(skewedNumber(collections, 'n', 22), 'Items')} end,
      floor(${items} * ${uniformRandom('n', 23)})::bigint + 1, n,
      case when ${isOccasional} then '${skewed.occasional}' when ${uniformRandom('n', 24)} < 0.1 then '${skewed.whale}' else ${anybody(25)} end,
      case when ${isLate(world)} then '${skewed.late}' when ${uniformRandom('n', 26)} < 0.2 then '${skewed.whale}' else ${anybody(27)} end,
      'transfer'
    from ${blocks} as n where n % 2 = 0 or ${isOccasional} or ${isRare(world)} or ${isLate(world)}`
}

/**
 * EVM transactions in one of four blocks, and their transfers. @param blocks a set `n` of block
 * numbers, as SQL
 */
function evmRows(blocks: string, world: SkewedWorld): string {
  const { spacing, accounts, evmTokens, items } = world
  const h = `(n * ${spacing})`
  const someone = (salt: number): string => evmAddressAt('1', skewedNumber(accounts, 'n', salt))
  const quiet = (other: string): string =>
    `case when n % ${4 * Math.floor(world.blocks / 32)} = 4 then '${skewed.evmQuiet}' else ${other} end`
  const ofBlocks = `from ${blocks} as n where n % 4 = 0`
  return `
    insert into app.evm_tx_hashes (
      block_height, tx_index, event_index, tx_id, evm_hash, evm_from, evm_to, evm_value, evm_gas_used, evm_status
    )
    select ${h}, 0, 0, encode(sha256(int8send(${h})), 'hex'), encode(sha256(int8send(-${h} - 1)), 'hex'),
      case when ${uniformRandom('n', 31)} < 0.5 then '${skewed.evmWhale}' else ${someone(32)} end, ${quiet(someone(33))}, 1, 21000,
      case when n % 64 = 0 then 0 else 1 end
    ${ofBlocks};
    insert into app.evm_transactions (
      block_height, tx_index, event_index, evm_block_height, evm_tx_index, error_code, tx_type, method_id
    )
    select ${h}, 0, 0, n, 0, 0, case when n % 32 = 0 then 0 else 2 end,
      case when n % 80 = 0 then '${skewed.evmMethod}' else 'ffffffff' end ${ofBlocks};
    insert into app.evm_token_transfers (
      block_height, tx_index, event_index, log_index, batch_index, standard, token, from_address, to_address, token_id, amount
    )
    select ${h}, 0, 0, 0, 0, 20,
      case when ${uniformRandom('n', 34)} < 0.8 then '${skewed.evmCoin}' else ${evmAddressAt('5', skewedNumber(evmTokens, 'n', 35))} end,
      case when ${uniformRandom('n', 31)} < 0.5 then '${skewed.evmWhale}' else ${someone(32)} end, ${quiet(someone(36))}, null, 1
    ${ofBlocks}
    union all
    select ${h}, 0, 0, 1, 0, 721, '${skewed.evmBadge}', ${someone(37)}, ${someone(38)}, floor(${items} * ${uniformRandom('n', 39)}), 1
    from ${blocks} as n where n % 16 = 0`
}

/** EVM tokens and their holders. */
function evmCatalogueRows({ accounts, evmTokens, items, highest }: SkewedWorld): string {
  return `
    insert into app.evm_tokens (token, standard, first_height, transfer_count, holder_count, short_count)
    select ${evmAddressAt('5', 'i')}, case when i % 4 = 3 then 721 else 20 end, ${highest} / ${evmTokens} * i, 1 + 1000 / (i + 1), 1 + 500 / (i + 1), 0
    from generate_series(0, ${evmTokens - 1}) as i;
    insert into app.evm_tokens (token, standard, first_height, transfer_count, holder_count, short_count) values
      ('${skewed.evmCoin}', 20, 0, ${accounts}, ${accounts}, 0), ('${skewed.evmBadge}', 721, 0, ${items}, ${items}, 0),
      ('${evmOdd}', 1155, 0, 1, 1, 0);
    insert into app.evm_token_holdings (address, token, standard, balance)
    select ${evmAddressAt('1', 'i')}, '${skewed.evmCoin}', 20, 1 + 100000 / (i + 1) from generate_series(0, ${accounts - 1}) as i;
    insert into app.evm_token_holdings (address, token, standard, balance)
    select '${skewed.evmWhale}', token, standard, 1 from app.evm_tokens;
    insert into app.evm_token_items (token, standard, token_id, address, balance)
    select '${skewed.evmBadge}', 721, i, case when i % 2 = 0 then '${skewed.evmWhale}' else ${evmAddressAt('1', 'i % 1000')} end, 1
    from generate_series(1, ${items}) as i;
    insert into app.evm_item_metadata (token, standard, token_id, token_uri)
    select token, standard, token_id, 'ipfs://' || token_id from app.evm_token_items`
}

const evmOdd = '11'.repeat(20)

/** Accounts derived from transactions, keys, and Cadence-owned EVM accounts. */
function accountRows({ accounts, blocks, spacing }: SkewedWorld): string {
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

/** Fungible tokens, their holders, and hourly prices of twenty of them. */
function tokenRows({ accounts, tokens, highest }: SkewedWorld): string {
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
    insert into app.ft_token_metadata (token, name, symbol, total_supply, evm_address, status)
    select token, 'Token ' || row_number() over (order by token), 'T' || row_number() over (order by token),
      (row_number() over (order by token) % 90)::numeric(28, 8),
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
