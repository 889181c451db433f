import type pg from 'pg'
import { answerChanges } from './answer-changes.ts'
import { nearMissChanges } from './near-miss-changes.ts'

/** Makes the answers of a filled database others than those of chains of its kind, and has rows in it that careless statements stumble over. */
export async function perturbIndexer(pool: pg.Pool): Promise<void> {
  for (const change of [...answerChanges, ...nearMissChanges]) await pool.query(change)
}
