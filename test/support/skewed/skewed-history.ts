import type { Pool } from 'pg'
import { workers } from '../../../jobs/index.ts'
import { ensurePartitions } from '../../../src/platform/db/partitions.ts'

export const skewedToken = 'A.1654653399040a61.FlowToken'
/**
 * The hoarder has half of its items, and every other item has a different owner. All move equally
 * often.
 */
export const skewedCollection = 'A.0b2a3299cc857e29.TopShot'
/** Receives the fee of every block: one vault with as many history rows as blocks. */
export const feeReceiver = '0xf919ee77447b7497'
/** Has a large number of vaults. */
export const vaultOwner = '0x00000000000000b0'
/** Takes part in every block. */
export const regular = '0x00000000000000c0'
/** Received tokens in every block before Cadence 1.0. */
export const oldReceiver = '0x00000000000000d0'

/** An ERC-20 token that moves in every block, from `evmRegular` to `evmBusy`. */
export const skewedEvmToken = '20'.repeat(20)
/** An ERC-721 token whose items each have a different owner. */
export const evmItems = '72'.repeat(20)
export const evmRegular = 'c0'.repeat(20)
export const evmBusy = 'b0'.repeat(20)

export interface SkewedHistory {
  /** History rows of each account that is in every block. */
  readonly rows: number
  /**
   * Heights between two such rows. With the partition width it determines the number of partitions.
   */
  readonly spacing: number
  /** The hoarder's vaults. */
  readonly vaults: number
  /** Holders of the token. */
  readonly holders: number
}

/**
 * Writes the derived state of accounts with a long history, with folds done, and analyzes the
 * tables.
 */
export async function writeSkewedHistory(pool: Pool, { rows, spacing, vaults, holders }: SkewedHistory): Promise<void> {
  for (const table of workers.flatMap(({ tables }) => tables)) {
    const { name, partitionHeights } = table
    if (partitionHeights === undefined) continue
    await ensurePartitions(pool, name, partitionHeights, { from: 0, to: rows * spacing })
  }
  const heights = `generate_series(0, ${(rows - 1) * spacing}::bigint, ${spacing}) as h`
  const token = `'${skewedToken}'`
  await pool.query(`
    insert into app.ft_vault_balances select 3, h, 0, ${bytes(feeReceiver)}, ${token}, h / 1000.0 from ${heights};
    insert into app.ft_vault_balances select 1000000 + i, i * ${spacing}, 0, ${bytes(vaultOwner)}, ${token}, 1.00000000
    from generate_series(1, ${vaults}::bigint) as i;
    insert into app.ft_balance_changes select h, '${oldReceiver}', ${token}, 0.00001000 from ${heights};
    insert into app.address_transactions select h, 7, 0, true, true, true, false, '${regular}' from ${heights};
    insert into app.address_transactions
    select i * ${spacing}, null, 0, false, true, false, true, '0x' || lpad(to_hex(i + 4096), 16, '0')
    from generate_series(0, ${rows}::bigint - 1) as i;
    insert into app.coa_accounts
    select h, 0, 0, '0x' || lpad(to_hex(h), 40, '0'), '${regular}', 'capability' from ${heights};
    insert into app.account_key_changes
    select i * ${spacing}, 0, 0, 0, 1000, 2, 3, false, '0x' || lpad(to_hex(i + 4096), 16, '0'), int8send(i)
    from generate_series(0, ${rows}::bigint - 1) as i;
    insert into app.account_key_changes select h, 0, 1, h / ${spacing}, 0, 2, 3, false, '${regular}', int8send(h) from ${heights};
    insert into app.contract_versions
    select h, 0, 2, 'updated', '${regular}', 'Busy', sha256(int8send(h)) from ${heights};
    insert into app.contract_versions
    select h, 0, 3, 'added', '${regular}', 'C' || h, sha256(int8send(h)) from ${heights};
    insert into app.evm_tx_hashes
    select h, 0, 0, lpad(to_hex(h), 64, '0'), lpad(to_hex(h), 64, 'e'), '${evmRegular}', '${evmBusy}', 1, 21000, 1 from ${heights};
    insert into app.evm_transactions (block_height, tx_index, event_index, evm_block_height, evm_tx_index, error_code, tx_type)
    select h, 0, 0, h, 0, 0, 2 from ${heights};
    insert into app.evm_token_transfers
    select h, 0, 0, 0, 0, 20, '${skewedEvmToken}', '${evmRegular}', '${evmBusy}', null, 1 from ${heights};
    insert into app.evm_token_transfers
    select i * ${spacing}, 0, 0, 1, 0, 721, '${evmItems}', null, lpad(to_hex(i + 4096), 40, '0'), i, 1
    from generate_series(0, ${rows}::bigint - 1) as i;
    insert into app.evm_token_holdings
    select s.address, t.token, t.standard, sum(s.change) from app.evm_token_transfers t
    cross join lateral (values (t.from_address, -t.amount), (t.to_address, t.amount)) as s (address, change)
    where s.address is not null group by 1, 2, 3;
    insert into app.evm_token_holdings select '${evmBusy}', lpad(to_hex(h), 40, '5'), 20, 1 from ${heights};
    insert into app.evm_token_items
    select t.token, t.standard, t.token_id, t.to_address, 1 from app.evm_token_transfers t where t.token_id is not null;
    insert into app.evm_token_items select '${evmItems}', 721, 1000000 + h, '${evmBusy}', 1 from ${heights};
    insert into app.evm_tokens
    select t.token, t.standard, min(t.block_height), count(*), count(distinct t.to_address), count(distinct t.from_address)
    from app.evm_token_transfers t group by 1, 2;
    insert into app.evm_tokens select lpad(to_hex(h), 40, '5'), 20, h, 1, h, 0 from ${heights};
    insert into app.ft_vault_balances select 5000000000 + i, i, 0, int8send(i + 4096), ${token}, 5.00000000
    from generate_series(1, ${holders}::bigint) as i;
    insert into app.ft_holdings (address, token, vault_balance, vault_count, vault_rows, change_balance, history_rows)
    select '0x' || encode(owner, 'hex'), token, sum(balance), count(*), sum(rows), 0.00000000, sum(rows) from (
      select distinct on (vault_uuid, token) owner, token, balance, count(*) over (partition by vault_uuid, token) as rows
      from app.ft_vault_balances order by vault_uuid, token, block_height desc
    ) v group by 1, 2;
    insert into app.ft_holdings (address, token, vault_balance, vault_count, vault_rows, change_balance, history_rows)
    select address, token, 0.00000000, 0, 0, sum(change), count(*) from app.ft_balance_changes group by 1, 2;
    insert into app.ft_token_holders select token, count(*) from app.ft_holdings where balance > 0 group by 1;
    insert into app.nft_transfers
    select h, 1, 0, 0, '${skewedCollection}', h / ${spacing} % 5000, h / ${spacing} % 5000, null, '${vaultOwner}', 'transfer' from ${heights};
    insert into app.nft_transfers
    select i * ${spacing}, 2, 0, 0, '${skewedCollection}', 5000 + i % 5000, 5000 + i % 5000, null, '0x' || lpad(to_hex(i % 5000), 16, '0'),
      'transfer'
    from generate_series(0, ${rows}::bigint - 1) as i;
    insert into app.nft_transfers select max(h), 3, 0, 0, null, 0, 0, null, null, 'burn' from ${heights};
    insert into app.nft_ownership
    select distinct on (token, nft_id) token, nft_id, nft_uuid, block_height, tx_index, event_index, leg, false, to_address
    from app.nft_transfers where token is not null order by token, nft_id, block_height desc;
    insert into app.nft_holdings select owner, token, count(*) from app.nft_ownership group by 1, 2;
    insert into app.nft_holdings
    select '${vaultOwner}', 'A.' || lpad(to_hex(h), 16, '0') || '.Items', 1 from ${heights};
    insert into app.nft_collection_stats select token, sum(item_count), count(*), sum(item_count) from app.nft_holdings group by 1;
    insert into app.balance_changes
    select h, date '2024-09-25' + (h / 100000)::int, 0, ${token}, array[${bytes(feeReceiver)}, ${bytes(regular)}], array[0.001, -0.001] from ${heights};
    insert into app.daily_balance_changes
    select '0x' || encode(address, 'hex'), token, day, sum(change), count(*)
    from app.balance_changes, unnest(addresses, changes) as c (address, change) group by 1, 2, 3;
    insert into app.accounts
    select address, min(block_height), max(block_height), min(block_height) filter (where is_created),
      min(tx_index) filter (where is_created)
    from app.address_transactions group by address;
    insert into app.address_stats
    select address, count(*), coalesce(sum(gas_used), 0) from app.address_transactions group by address;
    insert into app.account_keys
    select address, key_index, public_key, signing_algorithm, hashing_algorithm, weight, false, block_height, tx_index
    from app.account_key_changes;
    insert into app.smart_contracts
    select distinct on (address, name) address, name, case when change = 'added' then block_height end,
      case when change = 'added' then tx_index end, block_height, tx_index, event_index, false, code_hash
    from app.contract_versions order by address, name, block_height desc`)
  const names = workers.flatMap(({ tables, folds }) => [...tables, ...folds].map(({ name }) => name))
  await pool.query(`vacuum analyze ${names.join(', ')}`)
}

/** The bytes of an account's address, as SQL. */
function bytes(address: string): string {
  return `'\\x${address.slice(2)}'::bytea`
}
