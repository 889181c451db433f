import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'

/**
 * Which of the two databases of the EVM explorer: the one with the known answers, or one in which nearly all answers
 * are others.
 */
export type EvmExplorerRows = 'known' | 'other'

/** What makes the other rows of the known ones. */
const changes = [
  'delete from blocks where number % 7 = 0',
  'delete from token_transfers where block_number % 7 = 0',
  'delete from transactions where block_number % 7 = 0 or block_number = 100',
  `update token_transfers set amount = amount * 3, token_type = case when log_index = 1 then 'ERC-1155' else
    token_type end`,
  `update transactions set from_address_hash = '\\x0000000000000000000000020000000000000009'
    where block_number % 3 = 0`,
  'update transactions set status = 0, to_address_hash = null where not block_consensus',
  `update blocks set gas_used = gas_used * 2, timestamp = timestamp + interval '30 hours'`,
  'delete from internal_transactions where block_number % 7 = 0 or block_number = 30',
  'update internal_transactions set value = value * 2, error_id = 3 - error_id where index = 1 and ' +
    'block_number % 2 = 0',
  'update addresses set fetched_coin_balance = 90 * 1000000000000000000::numeric - fetched_coin_balance',
]

/** Fills an empty database with the tables of an EVM explorer and made rows. */
export async function fillEvmExplorer(pool: pg.Pool, rows: EvmExplorerRows): Promise<void> {
  for (const file of ['schema.sql', 'rows.sql']) {
    await pool.query(await readFile(join(import.meta.dirname, 'evm-explorer', file), 'utf8'))
  }
  if (rows === 'other') for (const change of changes) await pool.query(change)
  await pool.query('analyze')
}
