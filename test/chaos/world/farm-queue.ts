import { Redis } from 'ioredis'
import { startRedis } from '../../../scripts/support/start-redis.ts'
import { dropQueues, truncateQueues } from '../../support/lose-queues.ts'
import type { ChaosPostgres } from './chaos-postgres.ts'

/** Where the farm's jobs are, and how they are lost. */
export interface FarmQueue {
  readonly name: string
  readonly variables: Readonly<Record<string, string>>
  empty(): Promise<void>
  /** Takes the queue itself away. @returns brings it back, where it does not come by itself */
  destroy(): Promise<() => Promise<void>>
  stop(): Promise<void>
}

export function postgresQueue(postgres: ChaosPostgres): FarmQueue {
  return {
    name: 'PostgreSQL',
    variables: {},
    empty: () => truncateQueues(postgres.pool),
    destroy: async () => {
      await dropQueues(postgres.pool)
      return () => Promise.resolve()
    },
    stop: () => Promise.resolve(),
  }
}

/** @returns undefined where there is no Redis */
export async function redisQueue(): Promise<FarmQueue | undefined> {
  const redis = await startRedis()
  if (redis === undefined) return undefined
  return {
    name: 'Redis',
    variables: { REDIS_URL: redis.url },
    empty: async () => {
      const client = new Redis(redis.url)
      await client.flushall()
      await client.quit()
    },
    destroy: async () => {
      await redis.kill()
      return () => redis.restart()
    },
    stop: () => redis.stop(),
  }
}
