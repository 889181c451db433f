import { createHash } from 'node:crypto'
import type { Pool } from 'pg'
import { workers } from '../../jobs/index.ts'
import { ensurePartitions } from '../../src/db/partitions.ts'

/** Half of all transfers are of this token; the others are of 200 in turn. */
export const skewedToken = 'A.1654653399040a61.FlowToken'
/** Gets a fifth of all transfers, and pays for every transaction. */
export const skewedAccount = '0x00000000000000c0'

export const transfersPerBlock = 5

export interface SkewedTransfers {
  readonly transfers: number
  /** Heights from one block to the next; with the width of partitions it says how many partitions there are. */
  readonly spacing: number
}

/** The block with the most recent transfers. */
export function highestOf({ transfers, spacing }: SkewedTransfers): number {
  return (Math.floor(transfers / transfersPerBlock) - 1) * spacing
}

/** Id of the only transaction of a block. */
export function skewedTransactionId(height: number): string {
  const bytes = Buffer.alloc(8)
  bytes.writeBigInt64BE(BigInt(height))
  return createHash('sha256').update(bytes).digest('hex')
}

const rawPartitions = { 'raw.blocks': 5_000_000, 'raw.transactions': 1_000_000 } as const
const filled = ['app.ft_transfers', 'app.nft_transfers', 'app.address_transactions', 'app.tx_tags', 'app.tx_metrics', 'app.tx_contracts']

/**
 * Writes a long chain of transfers straight into the tables: a block with one transaction and five transfers every so many heights,
 * over many partitions, with one account and one token that are in all of it. Covered by all workers, and analyzed.
 */
export async function writeSkewedTransfers(pool: Pool, { transfers, spacing }: SkewedTransfers): Promise<void> {
  const highest = highestOf({ transfers, spacing })
  const range = { from: 0, to: highest + 1 }
  for (const [table, step] of Object.entries(rawPartitions)) await ensurePartitions(pool, table, step, range)
  for (const { name, partitionHeights } of workers.flatMap(({ tables }) => tables)) {
    if (partitionHeights !== undefined && filled.includes(name)) await ensurePartitions(pool, name, partitionHeights, range)
  }
  await pool.query(`
    insert into raw.scripts (script_hash, script_text) values (sha256('transfer'), 'import "FungibleToken"\n\ntransaction {}\n');
    insert into app.indexing_checkpoints (service_name, covered)
    select name, int8multirange(int8range(0, ${highest + 1}))
    from unnest(array['main_ingester', ${workers.map(({ name }) => `'${name}'`).join(', ')}]) as name;
    insert into app.accounts (address, first_seen_height, last_seen_height) values ('${skewedAccount}', 0, ${highest});
    insert into app.address_stats (address, tx_count, gas_used) values ('${skewedAccount}', ${highest / spacing + 1}, 0);
  `)
  // In parts, so that no statement takes longer than a pool may allow.
  const step = 40_000 * spacing
  for (let from = 0; from <= highest; from += step) {
    await writePart(pool, `generate_series(${from}::bigint, ${Math.min(highest, from + step - spacing)}::bigint, ${spacing})`, spacing)
  }
  await pool.query('vacuum (analyze) raw.blocks, raw.transactions, raw.tx_lookup, app.ft_transfers, app.address_transactions, app.tx_tags, app.tx_metrics')
  await pool.query('analyze')
}

/** @param heights a set of heights, as SQL */
async function writePart(pool: Pool, heights: string, spacing: number): Promise<void> {
  await pool.query(`
    insert into raw.blocks (height, id, parent_id, timestamp, collection_count, tx_count, event_count, collection_ids)
    select h, sha256(int8send(h)), sha256(int8send(h - 1)), timestamptz '2024-01-01' + h * interval '1 second', 1, 1, 15, array[sha256(int8send(h))]
    from ${heights} as h;
    insert into raw.transactions (
      block_height, proposer_sequence_number, gas_limit, gas_used, tx_index, collection_index, proposer_key_index, event_count, status_code,
      is_evm, id, status, payer_address, proposer_address, authorizers, reference_block_id, script_hash, signatures
    )
    select h, h, 9999, 20, 0, 0, 0, 15, 0, false, sha256(int8send(h)), 'SEALED', '${skewedAccount}', '${skewedAccount}', array['${skewedAccount}'],
      sha256(int8send(h - 10)), sha256('transfer'), '\\x00'
    from ${heights} as h;
    insert into raw.tx_lookup (id, block_height, tx_index) select sha256(int8send(h)), h, 0 from ${heights} as h;
    insert into app.tx_tags (tag, block_height, tx_indexes) select 'FT_TRANSFER', h, '{0}' from ${heights} as h;
    insert into app.tx_metrics (block_height, gas_used, tx_index, is_gas_from_fee, fee) select h, 20, 0, false, 0.00000570 from ${heights} as h;
    insert into app.address_transactions (block_height, gas_used, tx_index, is_payer, is_proposer, is_authorizer, is_created, address)
    select h, 20, 0, true, true, true, false, '${skewedAccount}' from ${heights} as h;
    insert into app.ft_transfers (block_height, tx_index, event_index, leg, token, from_address, to_address, amount, transfer_type)
    select h, 0, i * 3, 0,
      case when (h / ${spacing} + i) % 2 = 0 then '${skewedToken}' else 'A.' || lpad(to_hex((h * 7 + i) % 200 + 4096), 16, '0') || '.Coin' end,
      '0x' || lpad(to_hex((h * 31 + i) % 100003 + 65536), 16, '0'),
      case when i = 0 then '${skewedAccount}' else '0x' || lpad(to_hex((h * 17 + i) % 100019 + 65536), 16, '0') end,
      1.00000000, 'transfer'
    from ${heights} as h cross join generate_series(0, ${transfersPerBlock - 1}) as i`)
}
