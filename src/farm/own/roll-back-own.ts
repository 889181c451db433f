import type pg from 'pg'
import type { Worker } from '../../../jobs/worker.ts'
import { asDatabaseError } from '../../platform/db/errors.ts'
import { RetryableError } from '../../platform/errors.ts'
import { rollBackDerived } from '../commit/folds.ts'

/**
 * Like `rollBackDerived`, but a fault of an own worker, e.g. a dropped table, must not stop
 * ingestion: its rows stay until the heights are derived again.
 */
export async function rollBackOwn(
  client: pg.ClientBase,
  ancestor: number,
  workers: readonly Worker[],
  onFault: (worker: string, error: Error) => void,
): Promise<void> {
  for (const worker of workers) {
    await client.query('savepoint own_worker')
    try {
      await rollBackDerived(client, ancestor, [worker])
    } catch (thrown) {
      const error = asDatabaseError(thrown)
      if (error instanceof RetryableError) throw error
      await client.query('rollback to savepoint own_worker')
      onFault(worker.name, error)
    }
    await client.query('release savepoint own_worker')
  }
}
