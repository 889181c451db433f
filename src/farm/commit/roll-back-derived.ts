import type pg from 'pg'
import { escapeIdentifier } from 'pg'
import type { Worker } from '../../../jobs/worker.ts'
import { quotedTable } from './clear-range.ts'
import { findFoldDebt, foldRange } from './folds.ts'
import type { FoldDebt } from './folds.ts'

/**
 * Takes away everything that workers derived above a height and folds the keys again that this touches. A part of the
 * transaction that rolls the chain back, after `lockOutCommits`; leases and coverage are cut beside it.
 *
 * The order matters: a fold tells the keys that it touches by rows that are about to go, maybe of another worker's table;
 * so first all keys, then all rows, then all folds. Workers are given in the order of their phases, since a fold may read
 * what another one made.
 */
export async function rollBackDerived(
  client: pg.ClientBase,
  ancestor: number,
  workers: readonly Worker[],
): Promise<void> {
  const above = { from: ancestor + 1, to: Number.MAX_SAFE_INTEGER }
  const debts = new Map<Worker, FoldDebt>()
  for (const worker of workers) debts.set(worker, await findFoldDebt(client, worker, above))
  for (const table of workers.flatMap(({ tables }) => tables)) {
    const height = escapeIdentifier(table.heightColumn)
    await client.query(`delete from ${quotedTable(table)} where ${height} > $1`, [ancestor])
  }
  for (const [worker, debt] of debts) await foldRange(client, worker, above, debt)
}
