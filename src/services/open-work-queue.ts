import { asError, RetryableError } from '../base/errors.ts'
import { retryWhile } from '../base/retry.ts'
import { createWorkQueue } from '../farm/queues/create-work-queue.ts'
import type { WorkQueue } from '../farm/queues/work-queue.ts'
import type { ServiceContext } from './context.ts'

/** How long a Redis that cannot be reached is waited for at the start, ms; as long as a database. */
const patienceMs = 5000

/**
 * Opens the queues, and waits a little for their store, since machines start their services in any order.
 * @throws RetryableError `queue-unavailable` after that; FatalError where the store cannot be used
 */
export function openWorkQueue({ config, databaseUrl, log, lifecycle: { signal } }: ServiceContext): Promise<WorkQueue> {
  const giveUpAt = performance.now() + patienceMs
  return retryWhile(() => createWorkQueue({ databaseUrl, redisUrl: config.REDIS_URL, log }), {
    signal,
    maxMs: 1000,
    isRetryable: (error) => error instanceof RetryableError && performance.now() < giveUpAt,
    onRetry: (error, attempt) => {
      if (attempt === 1)
        log.warn({ reason: asError(error).message }, 'the store of the queues cannot be reached, trying again')
    },
  })
}
