import type pg from 'pg'
import { escapeIdentifier } from 'pg'
import type { Worker } from '../../../jobs/worker.ts'
import { quotedTable } from './clear-range.ts'
import { findTouchedKeys, foldKeys } from './folds.ts'
import type { TouchedKeys } from './folds.ts'

/**
 * Takes away everything that workers derived above a height and folds the keys again that this touches. A part of the
 * transaction that rolls the chain back, after `lockOutCommits`; leases and coverage are cut beside it.
 *
 * The order matters: a fold tells the keys that it touches by rows that are about to go, maybe of another worker's table;
 * so first all keys, then all rows, then all folds. Workers are given in the order of their phases, since a fold may read
 * what another one made.
 */
export async function rollBackDerived(client: pg.ClientBase, ancestor: number, workers: readonly Worker[]): Promise<void> {
  const above = { from: ancestor + 1, to: Number.MAX_SAFE_INTEGER }
  const touched: TouchedKeys[] = []
  for (const { folds } of workers) {
    for (const fold of folds) touched.push(await findTouchedKeys(client, fold, above))
  }
  for (const { tables } of workers) {
    for (const table of tables) await client.query(`delete from ${quotedTable(table)} where ${escapeIdentifier(table.heightColumn)} > $1`, [ancestor])
  }
  for (const keys of touched) await foldKeys(client, keys)
}
