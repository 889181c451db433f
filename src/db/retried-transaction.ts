import type { Pool, PoolClient } from 'pg'
import { FlowfarmError } from '../base/errors.ts'
import { retryWhile } from '../base/retry.ts'
import { withTransaction } from './pool.ts'

/** Conflicts in a row after which something else is wrong. */
const maxConflicts = 10

/**
 * `withTransaction`, begun anew when PostgreSQL ended it for a conflict with others (a deadlock, a serialization failure):
 * for what a person asked for, who should not have to ask again. `fn` may run several times, and only the last counts.
 */
export async function withRetriedTransaction<T>(pool: Pool, fn: (client: PoolClient) => Promise<T>): Promise<T> {
  let conflicts = 0
  return retryWhile(() => withTransaction(pool, fn), {
    isRetryable: (error) => isConflict(error) && ++conflicts < maxConflicts,
    baseMs: 20,
    maxMs: 1000
  })
}

function isConflict(error: unknown): boolean {
  return error instanceof FlowfarmError && error.code === 'transaction-conflict'
}
