import { expect } from 'chai'
import { Redis } from 'ioredis'
import { pino } from 'pino'
import { createPostgresWorkQueue } from '../../src/farm/queues/postgres-work-queue.ts'
import { createRedisWorkQueue } from '../../src/farm/queues/create-work-queue.ts'
import type { WorkQueue } from '../../src/farm/queues/work-queue.ts'
import { startRedis } from '../../scripts/support/start-redis.ts'
import { createTestDatabase } from '../support/database.ts'

const log = pino({ level: 'silent' })
const names = Array.from({ length: 16 }, (_, i) => `worker_${i}`)

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
    // One pool for all queues, one connection for notifications, one for migrations.
    maxConnections: 8,
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
    // Two shared ones, and one per worker that blocks in Redis until a job arrives.
    maxConnections: 2 + names.length,
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

    it('use few connections for 16 workers and delete ended jobs', async () => {
      let ended = 0
      const all = Promise.withResolvers<void>()
      for (const name of names) {
        await queue.work(name, 4, async ({ leases }) => {
          if (++ended === names.length * 20) all.resolve()
          if ((leases[0]?.from ?? 0) % 2 === 0) throw new Error('no')
        })
      }
      const jobsOf = (worker: string) =>
        Array.from({ length: 20 }, (_, from) => ({ worker, leases: [{ from, generation: 0 }] }))
      await Promise.all(names.map((name) => queue.add(name, jobsOf(name))))
      await all.promise
      expect(await store.connections()).to.be.within(1, maxConnections)
      for (const name of names) while ((await queue.counts(name)).active > 0) await new Promise(setImmediate)
      expect(await store.jobs()).to.equal(0)
    })
  })
}
