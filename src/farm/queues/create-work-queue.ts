import { createRedisBackend } from 'bullmq'
import type { BackendFactory, ConnectionOptions, RedisQueueBackend } from 'bullmq'
import { Redis } from 'ioredis'
import { asError, FatalError, RetryableError } from '../../platform/errors.ts'
import type { Logger } from '../../platform/log.ts'
import { BullWorkQueue } from './bull-work-queue.ts'
import { createPostgresWorkQueue } from './postgres-work-queue.ts'
import type { PostgresWorkQueue } from './postgres-work-queue.ts'

/** The queues of the farm: in Redis where one is given, else in PostgreSQL. */
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
const oldestVersion = 602

/** How long Redis may take to answer the first time, ms. */
const connectTimeoutMs = 5000

/** A connection on which nothing came back for so long is replaced, ms. */
const socketTimeoutMs = 15_000

/** Longest pause before a lost connection is made again, ms. */
const longestPauseMs = 2000

/**
 * Queues in Redis 6.2 or newer (or Valkey).
 * @throws FatalError `redis-evicts` when Redis may throw jobs away, `redis-too-old`; RetryableError
 * `queue-unavailable` when unreachable
 */
export async function createRedisWorkQueue(url: string, log: Logger): Promise<RedisWorkQueue> {
  let isClosed = false
  const common = {
    connectTimeout: connectTimeoutMs,
    keepAlive: 10_000,
    socketTimeout: socketTimeoutMs,
    // Also for the connections that BullMQ makes after these: nobody else can stop one that waits to be made again.
    retryStrategy: (times: number) => (isClosed ? null : Math.min(times * 50, longestPauseMs)),
  }
  // A command of the coordinator fails at once while Redis is away, and is tried again with all that came since.
  const producer = new Redis(url, { ...common, lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 1 })
  const onError = (error: Error): void => log.warn({ err: error }, 'the connection to Redis had an error')
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
      `REDIS_URL leads to no Redis that answers: ${asError(error).message}`,
      { cause: error },
    )
  }
  // Those of the workers wait for it. Not lazy, nor are the copies that BullMQ makes of it: whoever awaits the first
  // connecting of a lazy one is told that it failed and never that it came about later, and a worker keeps what it
  // was told.
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
 * BullMQ asks for the version of the server as soon as a queue or a worker is made, and one that got no answer fails
 * for ever with what it got instead. It is asked for once, above, and nothing is waited for here.
 */
const createBackend: BackendFactory<RedisQueueBackend> = (name, options, extra) =>
  createRedisBackend(name, { ...options, skipVersionCheck: true, skipWaitingForReady: true }, extra)

async function checkServer(client: Redis): Promise<void> {
  const info = await client.info()
  const version = /redis_version:(\d+)\.(\d+)/.exec(info)
  if (version !== null && Number(version[1]) * 100 + Number(version[2]) < oldestVersion) {
    throw new FatalError(
      'redis-too-old',
      `Redis at REDIS_URL is ${version[1]}.${version[2]}, flowfarm needs 6.2 or newer. Or unset ` +
        'REDIS_URL: the queues are then kept in PostgreSQL.',
    )
  }
  // Under any policy but `noeviction` Redis deletes parts of queues when it runs out of memory.
  const policy = /maxmemory_policy:([\w-]+)/.exec(info)?.[1]
  if (policy === undefined || policy === 'noeviction') return
  throw new FatalError(
    'redis-evicts',
    `Redis at REDIS_URL has the eviction policy ${policy} and may throw jobs away when its memory is full. ` +
      'Run `redis-cli config set maxmemory-policy noeviction` and set the same in its configuration ' +
      'file, or unset REDIS_URL: the queues are then kept in PostgreSQL.',
  )
}
