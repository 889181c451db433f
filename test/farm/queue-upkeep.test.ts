import { expect } from 'chai'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { createPostgresWorkQueue } from '../../src/farm/queues/postgres-work-queue.ts'
import { createRedisWorkQueue } from '../../src/farm/queues/create-work-queue.ts'
import { queueNames } from '../../src/farm/queues/work-queue.ts'
import type { RangeJob, WorkQueue } from '../../src/farm/queues/work-queue.ts'
import { startRedis } from '../../scripts/bench/start-redis.ts'
import { createTestDatabase } from '../support/database.ts'

const log = pino({ level: 'silent' })
const jobs = Array.from({ length: 160 }, (_, from): RangeJob => ({ workers: ['w'], starts: [from], generation: 0 }))

interface Store {
  open(): Promise<WorkQueue>
  /** Open connections of queues. */
  connections(): Promise<number>
  /** Stored jobs in any state. */
  jobs(): Promise<number>
  close(): Promise<void>
}

const stores: Record<
  WorkQueue['backend'],
  { readonly maxConnections: number; readonly open: () => Promise<Store | undefined> }
> = {
  postgres: {
    // One pool for both queues, and one connection for migrations.
    maxConnections: 9,
    open: async () => {
      const database = await createTestDatabase()
      const count = async (text: string): Promise<number> =>
        Number((await database.pool.query<{ count: string }>(text)).rows[0]?.count)
      return {
        open: () => createPostgresWorkQueue(database.url, log),
        connections: () =>
          count(
            `select count(*) from pg_stat_activity where datname = current_database() and application_name = 'flowfarm queues'`,
          ),
        jobs: () => count('select count(*) from bullmq.job'),
        close: () => database.drop(),
      }
    },
  },
  redis: {
    // Two shared ones, and one per queue that blocks in Redis until a job arrives.
    maxConnections: 2 + queueNames.length,
    open: async () => {
      const redis = await startRedis()
      if (redis === undefined) return undefined
      const client = new Redis(redis.url)
      return {
        open: () => createRedisWorkQueue(redis.url, log),
        connections: async () => ((await client.client('LIST')) as string).trim().split('\n').length - 1,
        jobs: async () => (await client.keys('bull:*')).filter((key) => /^bull:[^:]+:\d/.test(key)).length,
        close: async () => {
          client.disconnect()
          await redis.stop()
        },
      }
    },
  },
}

for (const [backend, { maxConnections, open }] of Object.entries(stores)) {
  describe(`queues on ${backend}`, () => {
    let store: Store
    let queue: WorkQueue
    before(async function (this: Mocha.Context) {
      const opened = await open()
      if (opened === undefined) this.skip()
      store = opened
      queue = await store.open()
    })
    after(async () => {
      await queue?.close()
      await store?.close()
    })

    it('use few connections and delete ended jobs', async () => {
      let ended = 0
      const all = Promise.withResolvers<void>()
      for (const name of queueNames) {
        await queue.work(name, 16, async ({ starts: [from = 0] }) => {
          if (++ended === queueNames.length * jobs.length) all.resolve()
          if (from % 2 === 0) throw new Error('no')
        })
      }
      await Promise.all(queueNames.map((name) => queue.add(name, jobs)))
      await all.promise
      expect(await store.connections()).to.be.within(1, maxConnections)
      for (const name of queueNames) while ((await queue.counts(name)).active > 0) await new Promise(setImmediate)
      expect(await store.jobs()).to.equal(0)
    })
  })
}
