import { FlowfarmError } from '../errors.ts'
import { retryWhile } from '../retry.ts'

/** Conflicts in a row after which something else is wrong. */
const maxConflicts = 10

/**
 * Runs `fn` again when PostgreSQL ended it for a conflict with others (a deadlock, a serialization failure). It may run several
 * times, and only the last counts. @throws what `fn` throws, a conflict too when it is the tenth in a row
 */
export async function retryConflicts<T>(fn: () => Promise<T>): Promise<T> {
  let conflicts = 0
  return retryWhile(fn, {
    isRetryable: (error) => isConflict(error) && ++conflicts < maxConflicts,
    baseMs: 20,
    maxMs: 1000,
  })
}

function isConflict(error: unknown): boolean {
  return error instanceof FlowfarmError && error.code === 'transaction-conflict'
}
