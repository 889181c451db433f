import type { Logger } from '../../base/log.ts'
import { createPostgresWorkQueue } from './postgres-work-queue.ts'
import type { PostgresWorkQueue } from './postgres-work-queue.ts'
import { createRedisWorkQueue } from './redis-work-queue.ts'
import type { RedisWorkQueue } from './redis-work-queue.ts'

/** The queues of the farm: in Redis where one is given, else in PostgreSQL. */
export function createWorkQueue(options: {
  readonly databaseUrl: string
  readonly redisUrl: string | undefined
  readonly log: Logger
}): Promise<PostgresWorkQueue | RedisWorkQueue> {
  const { databaseUrl, redisUrl, log } = options
  return redisUrl === undefined ? createPostgresWorkQueue(databaseUrl, log) : createRedisWorkQueue(redisUrl, log)
}
