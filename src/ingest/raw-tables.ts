import type pg from 'pg'
import type { HeightRange } from '../platform/ranges.ts'
import { ensurePartitions } from '../platform/db/partitions.ts'

/** In the order of `appendBlock`. */
export const rawColumns = {
  blocks: ['height', 'id', 'parent_id', 'timestamp', 'collection_count', 'tx_count', 'event_count', 'collection_ids'],
  transactions: [
    'block_height',
    'proposer_sequence_number',
    'gas_limit',
    'gas_used',
    'tx_index',
    'collection_index',
    'proposer_key_index',
    'event_count',
    'status_code',
    'is_evm',
    'id',
    'status',
    'payer_address',
    'proposer_address',
    'authorizers',
    'reference_block_id',
    'script_hash',
    'arguments',
    'error_message',
    'signatures',
  ],
  event_chunks: ['block_height', 'tx_index', 'first_event_index', 'payloads', 'shapes'],
  tx_lookup: ['id', 'block_height', 'tx_index', 'evm_hash'],
  block_lookup: ['id', 'height'],
} as const

export type RawTable = keyof typeof rawColumns

export const rawTables: readonly RawTable[] = ['blocks', 'transactions', 'event_chunks', 'tx_lookup', 'block_lookup']

/** Per partition, 5 to 10 million rows at mainnet rates: small enough to vacuum, copy or move. */
const heightsPerPartition = {
  'raw.blocks': 5_000_000,
  'raw.transactions': 1_000_000,
  'raw.event_chunks': 1_000_000,
} as const

/** Free once the partitions are known. */
export async function ensureRawPartitions(pool: pg.Pool, range: HeightRange): Promise<void> {
  for (const [table, step] of Object.entries(heightsPerPartition)) await ensurePartitions(pool, table, step, range)
}
