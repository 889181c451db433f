import { createRedisBackend } from 'bullmq'
import type { ConnectionOptions, RedisQueueBackend } from 'bullmq'
import { Redis } from 'ioredis'
import { asError, FatalError, RetryableError } from '../../base/errors.ts'
import type { Logger } from '../../base/log.ts'
import { BullWorkQueue } from './bull-work-queue.ts'

export type RedisWorkQueue = BullWorkQueue<RedisQueueBackend, ConnectionOptions>

/** How long Redis may take to answer the first time, ms. */
const connectTimeoutMs = 5000

/** A connection on which nothing came back for so long is replaced, ms. */
const socketTimeoutMs = 15_000

/** Longest pause before a lost connection is made again, ms. */
const longestPauseMs = 2000

/**
 * Queues in Redis 6.2 or newer (or Valkey).
 * @throws FatalError `redis-evicts` when Redis may throw jobs away; RetryableError `queue-unavailable` when unreachable
 */
export async function createRedisWorkQueue(url: string, log: Logger): Promise<RedisWorkQueue> {
  let isClosed = false
  const common = {
    connectTimeout: connectTimeoutMs, keepAlive: 10_000, socketTimeout: socketTimeoutMs,
    // Also for the connections that BullMQ makes after these: nobody else can stop one that waits to be made again.
    retryStrategy: (times: number) => (isClosed ? null : Math.min(times * 50, longestPauseMs)),
  }
  // A command of the coordinator fails at once while Redis is away, and is tried again with all that came since.
  const producer = new Redis(url, { ...common, lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 1 })
  // Those of the workers wait for it.
  const consumer = new Redis(url, { ...common, lazyConnect: true, maxRetriesPerRequest: null })
  const clients = [producer, consumer]
  for (const client of clients) client.on('error', (error) => log.warn({ err: error }, 'the connection to Redis had an error'))
  try {
    await Promise.all(clients.map((client) => client.connect()))
    await checkEviction(producer)
  } catch (error) {
    isClosed = true
    for (const client of clients) client.disconnect()
    if (error instanceof FatalError) throw error
    throw new RetryableError('queue-unavailable', `REDIS_URL leads to no Redis that answers: ${asError(error).message}`, { cause: error })
  }
  return new BullWorkQueue<RedisQueueBackend, ConnectionOptions>({
    name: 'redis',
    factory: createRedisBackend,
    producer,
    consumer,
    close: () => {
      isClosed = true
      for (const client of clients) client.disconnect()
      return Promise.resolve()
    },
  }, log)
}

/** Under any policy but `noeviction` Redis deletes parts of queues when it runs out of memory. */
async function checkEviction(client: Redis): Promise<void> {
  const policy = /maxmemory_policy:([\w-]+)/.exec(await client.info('memory'))?.[1]
  if (policy === undefined || policy === 'noeviction') return
  throw new FatalError(
    'redis-evicts',
    `Redis at REDIS_URL has the eviction policy ${policy} and may throw jobs away when its memory is full. ` +
      'Run `redis-cli config set maxmemory-policy noeviction` and set the same in its configuration file, or unset REDIS_URL: the queues are then kept in PostgreSQL.',
  )
}
