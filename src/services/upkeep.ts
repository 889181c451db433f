import { workers } from '../../jobs/index.ts'
import { asError, RetryableError } from '../base/errors.ts'
import { retryWhile } from '../base/retry.ts'
import { connectionLimits } from '../db/connection-limits.ts'
import { asDatabaseError } from '../db/errors.ts'
import { createPool, logIdleErrors } from '../db/pool.ts'
import { Upkeep } from '../farm/upkeep/upkeep.ts'
import type { ServiceContext } from './context.ts'
import { upkeepJobs } from './upkeep-jobs.ts'

/** Starts the upkeep of the database in the background; a farm without it still works, so what keeps it away is only logged. */
export function startUpkeep({ config, databaseUrl, lifecycle, metrics, ...context }: ServiceContext): void {
  const log = context.log.child({ service: 'upkeep' })
  const pool = createPool(databaseUrl, {
    ...connectionLimits,
    max: 3,
    applicationName: 'flowfarm upkeep',
    onIdleError: logIdleErrors(log),
  })
  lifecycle.onStop('connections: flowfarm upkeep', () => pool.end())
  const start = async (): Promise<Upkeep> => {
    const upkeep = new Upkeep({
      pool,
      jobs: upkeepJobs(pool, workers, { webhookLogDays: config.WEBHOOK_LOG_DAYS }),
      log,
      metrics,
    })
    try {
      await upkeep.start(lifecycle.signal)
      return upkeep
    } catch (error) {
      await upkeep.stop()
      throw asDatabaseError(error)
    }
  }
  const starting = retryWhile(start, {
    signal: lifecycle.signal,
    baseMs: 1000,
    maxMs: 60_000,
    isRetryable: (error) => error instanceof RetryableError,
  })
  starting.then(
    () => log.debug('upkeep is scheduled'),
    (error: unknown) =>
      lifecycle.signal.aborted ||
      log.error({ err: asError(error) }, 'there will be no upkeep of the database: partitions ahead, pruning'),
  )
  const stop = async (): Promise<void> => {
    const [started] = await Promise.allSettled([starting])
    if (started.status === 'fulfilled') await started.value.stop()
  }
  // It takes a moment for pg-boss, which need not keep the other parts from stopping.
  const stopped = new Promise<void>((resolve) =>
    lifecycle.signal.addEventListener('abort', () => resolve(stop()), { once: true }),
  )
  lifecycle.onStop('upkeep', () => stopped)
}
