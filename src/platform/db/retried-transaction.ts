import type { Pool, PoolClient } from 'pg'
import { withTransaction } from './pool.ts'
import { retryConflicts } from './retry-conflicts.ts'

/** `withTransaction`, again after a conflict: for what a person asked for, who should not have to ask again. */
export async function withRetriedTransaction<T>(pool: Pool, fn: (client: PoolClient) => Promise<T>): Promise<T> {
  return retryConflicts(() => withTransaction(pool, fn))
}
