import { createPostgresBackend, createRedisBackend, withBackend } from 'bullmq'
import type { BackendFactory, IQueueBackend } from 'bullmq'
import type { BenchDatabase } from './bench-database.ts'
import { startClock } from './cost.ts'
import type { Cost } from './cost.ts'

export interface BareOptions {
  readonly redisUrl: string | undefined
  readonly queues: number
  readonly concurrency: number
  /** In all queues together. */
  readonly jobs: number
}

/** BullMQ alone, with its own settings: jobs with nothing in them, all there before anybody takes one. */
export function measureBareBull(database: BenchDatabase, { redisUrl, ...options }: BareOptions): Promise<Cost> {
  if (redisUrl === undefined)
    return measure(createPostgresBackend, { connectionString: database.url, max: 10, migrate: true }, database, options)
  const { hostname, port } = new URL(redisUrl)
  return measure(
    createRedisBackend,
    { host: hostname, port: Number(port), maxRetriesPerRequest: null },
    database,
    options,
  )
}

async function measure<B extends IQueueBackend, C>(
  factory: BackendFactory<B, C>,
  connection: C,
  { postmaster }: BenchDatabase,
  { queues, concurrency, jobs }: Omit<BareOptions, 'redisUrl'>,
): Promise<Cost> {
  const { Queue, Worker: Consumer } = withBackend(factory)
  const run = performance.now().toString(36).replace('.', '')
  const names = Array.from({ length: queues }, (_, i) => `bare_${run}_${i}`)
  const perQueue = Math.ceil(jobs / queues)
  const producers = names.map((name) => new Queue(name, { connection }))
  for (const producer of producers) {
    await producer.addBulk(
      Array.from({ length: perQueue }, () => ({ name: 'no-op', data: {}, opts: { removeOnComplete: true } })),
    )
  }
  let left = perQueue * queues
  const all = Promise.withResolvers<void>()
  const clock = startClock(postmaster)
  const consumers = names.map(
    (name) =>
      new Consumer(
        name,
        () => {
          if (--left === 0) all.resolve()
          return Promise.resolve()
        },
        { connection, concurrency },
      ),
  )
  await all.promise
  const cost = clock(perQueue * queues)
  for (const one of [...consumers, ...producers]) await one.close()
  return cost
}
