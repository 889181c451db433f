import type pg from 'pg'
import { workers } from '../../jobs/index.ts'
import { lockOutCommits } from '../farm/commit/chain-version.ts'
import { rollBackDerived } from '../farm/commit/roll-back-derived.ts'
import { rollBackWebhooks } from '../webhooks/roll-back-webhooks.ts'
import { rollBackFarm } from '../farm/coverage/roll-back-farm.ts'

/**
 * The farm's part in a rollback of the chain, whether or not a farm runs in this process: commits are locked out, coverage
 * is cut and leases are deleted, rows are deleted and folds computed anew; and webhooks tell what they have told too much.
 */
export async function rollBackFarmData(client: pg.ClientBase, ancestor: number): Promise<void> {
  await lockOutCommits(client)
  await client.query('select 1 from app.indexing_checkpoints order by service_name for update')
  await rollBackFarm(client, ancestor)
  await rollBackDerived(client, ancestor, workers)
  await rollBackWebhooks(client, ancestor)
}
