import { createRedisBackend } from 'bullmq'
import type { BackendFactory, ConnectionOptions, RedisQueueBackend } from 'bullmq'
import { Redis } from 'ioredis'
import { asError, FatalError, RetryableError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { BullWorkQueue } from './bull-work-queue.ts'
import { createPostgresWorkQueue } from './postgres-work-queue.ts'
import type { PostgresWorkQueue } from './postgres-work-queue.ts'

export function createWorkQueue(options: {
  readonly databaseUrl: string
  readonly redisUrl: string | undefined
  readonly log: Logger
}): Promise<PostgresWorkQueue | RedisWorkQueue> {
  const { databaseUrl, redisUrl, log } = options
  return redisUrl === undefined ? createPostgresWorkQueue(databaseUrl, log) : createRedisWorkQueue(redisUrl, log)
}

type RedisWorkQueue = BullWorkQueue<RedisQueueBackend, ConnectionOptions>

/** 6.2 */
const minVersion = 602

const connectTimeoutMs = 5000

const socketTimeoutMs = 15_000

const maxPauseMs = 2000

/**
 * Redis 6.2 or newer, or Valkey.
 *
 * @throws FatalError `redis-evicts`, `redis-too-old`; RetryableError `queue-unavailable` if
 * unreachable
 */
export async function createRedisWorkQueue(url: string, log: Logger): Promise<RedisWorkQueue> {
  let isClosed = false
  const common = {
    connectTimeout: connectTimeoutMs,
    keepAlive: 10_000,
    socketTimeout: socketTimeoutMs,
    // Also stops BullMQ's copies of these connections, which nothing else can stop while they wait
    // to reconnect.
    retryStrategy: (times: number) => (isClosed ? null : Math.min(times * 50, maxPauseMs)),
  }
  // Commands of the coordinator fail at once while Redis is down; it retries them.
  const producer = new Redis(url, { ...common, lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 1 })
  const onError = (error: Error): void => log.warn({ err: error }, 'Redis connection error')
  producer.on('error', onError)
  try {
    await producer.connect()
    await checkServer(producer)
  } catch (error) {
    isClosed = true
    producer.disconnect()
    if (error instanceof FatalError) throw error
    throw new RetryableError(
      'queue-unavailable',
      `Could not connect to Redis at REDIS_URL: ${asError(error).message}`,
      { cause: error },
    )
  }
  // Worker connections wait for Redis. Not lazy: a lazy connection reports a failed first attempt
  // but never a later success, and BullMQ keeps that result.
  const consumer = new Redis(url, { ...common, maxRetriesPerRequest: null })
  consumer.on('error', onError)
  return new BullWorkQueue<RedisQueueBackend, ConnectionOptions>(
    {
      name: 'redis',
      factory: createBackend,
      producer,
      consumer,
      close: () => {
        isClosed = true
        producer.disconnect()
        consumer.disconnect()
        return Promise.resolve()
      },
    },
    log,
  )
}

/**
 * BullMQ reads the server version for each queue or worker and fails forever without a response. It
 * was read above, so nothing is awaited here.
 */
const createBackend: BackendFactory<RedisQueueBackend> = (name, options, extra) =>
  createRedisBackend(name, { ...options, skipVersionCheck: true, skipWaitingForReady: true }, extra)

async function checkServer(client: Redis): Promise<void> {
  const info = await client.info()
  const version = /redis_version:(\d+)\.(\d+)/.exec(info)
  if (version !== null && Number(version[1]) * 100 + Number(version[2]) < minVersion) {
    throw new FatalError(
      'redis-too-old',
      `Redis at REDIS_URL is version ${version[1]}.${version[2]}, but 6.2 or newer is required. Upgrade it, or unset ` +
        'REDIS_URL to keep the queues in PostgreSQL.',
    )
  }
  // With any policy but `noeviction` Redis deletes parts of queues when it runs out of memory.
  const policy = /maxmemory_policy:([\w-]+)/.exec(info)?.[1]
  if (policy === undefined || policy === 'noeviction') return
  throw new FatalError(
    'redis-evicts',
    `Redis at REDIS_URL has the eviction policy ${policy} and can delete jobs when its memory is full. ` +
      'Run `redis-cli config set maxmemory-policy noeviction` and set it in its configuration ' +
      'file, or unset REDIS_URL to keep the queues in PostgreSQL.',
  )
}
