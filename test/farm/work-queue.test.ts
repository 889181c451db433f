import { expect } from 'chai'
import { pino } from 'pino'
import { asError, RetryableError } from '../../src/platform/errors.ts'
import type { Logger } from '../../src/platform/log.ts'
import { createPostgresWorkQueue } from '../../src/farm/queues/postgres-work-queue.ts'
import { createRedisWorkQueue } from '../../src/farm/queues/create-work-queue.ts'
import { enqueueLeases } from '../../src/farm/queues/work-queue.ts'
import type { QueueConsumer, RangeJob, WorkQueue } from '../../src/farm/queues/work-queue.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { startHalfOpenProxy } from '../support/half-open-proxy.ts'
import { truncateQueues } from '../support/drop-queues.ts'
import { startRedis } from '../../scripts/bench/start-redis.ts'
import type { RedisServer } from '../../scripts/bench/start-redis.ts'
import { Stopwatch } from '../support/stopwatch.ts'

const log = pino({ level: 'silent' })
const job = (worker: string, ...starts: number[]): RangeJob => ({ workers: [worker], starts, generation: 0 })
const startsOf = (jobs: readonly RangeJob[]): (number | undefined)[] => jobs.map(({ starts }) => starts[0])

/** Collects jobs as they arrive. */
class Arrivals {
  readonly jobs: RangeJob[] = []
  #wake: () => void = () => undefined

  readonly handler = async (arrived: RangeJob): Promise<void> => {
    this.jobs.push(arrived)
    this.#wake()
  }

  async until(count: number): Promise<RangeJob[]> {
    while (this.jobs.length < count) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    return this.jobs
  }
}

/** Adds jobs and retries while the store is unavailable; throws other errors. */
async function addInTheEnd(queue: WorkQueue, name: string, jobs: readonly RangeJob[]): Promise<void> {
  for (;;) {
    try {
      return await queue.add(name, jobs)
    } catch (error) {
      expectUnavailable(error)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

function expectUnavailable(error: unknown): void {
  expect(error).to.be.instanceOf(RetryableError).with.property('code', 'queue-unavailable')
}

interface Store {
  open(told?: Logger): Promise<WorkQueue>
  /** Deletes all stored data. */
  lose(): Promise<void>
  /** Ends all connections. */
  disconnect(): Promise<void>
  /** Ends all connections and rejects new ones until `comeBack`. */
  goAway(): Promise<void>
  comeBack(): Promise<void>
  close(): Promise<void>
}

const stores: Record<WorkQueue['backend'], () => Promise<Store | undefined>> = {
  postgres: async () => {
    const database: TestDatabase = await createTestDatabase()
    const proxy = await startHalfOpenProxy(database.url)
    return {
      open: (told = log) => createPostgresWorkQueue(proxy.url, told),
      lose: () => truncateQueues(database.pool),
      disconnect: async () => {
        await database.pool.query(
          'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
        )
      },
      goAway: () => proxy.shut(),
      comeBack: () => proxy.reopen(),
      close: async () => {
        await proxy.close()
        await database.drop()
      },
    }
  },
  redis: async () => {
    const redis: RedisServer | undefined = await startRedis()
    if (redis === undefined) return undefined
    const ask = async (...command: [string, ...string[]]): Promise<void> => {
      const { Redis } = await import('ioredis')
      const client = new Redis(redis.url)
      await client.call(...command)
      client.disconnect()
    }
    return {
      open: (told = log) => createRedisWorkQueue(redis.url, told),
      lose: () => ask('flushall'),
      disconnect: () => redis.restart(),
      goAway: () => redis.kill(),
      comeBack: () => redis.restart(),
      close: () => redis.stop(),
    }
  },
}

for (const [backend, openStore] of Object.entries(stores)) {
  describe(`a work queue on ${backend}`, () => {
    let store: Store
    let queue: WorkQueue
    let names = 0
    const newName = (): string => `queue_${names++}`
    before(async function (this: Mocha.Context) {
      const opened = await openStore()
      if (opened === undefined) this.skip()
      store = opened
    })
    beforeEach(async () => {
      queue = await store.open()
    })
    afterEach(() => queue.close())
    after(() => store?.close())

    it('delivers jobs in order', async () => {
      const name = newName()
      const arrivals = new Arrivals()
      const jobs = [job('a', 10), job('a', 20, 30), { workers: ['a', 'b'], starts: [40], generation: 7 }]
      await queue.add(name, jobs)
      await queue.work(name, 1, arrivals.handler)
      expect(await arrivals.until(3)).to.deep.equal(jobs)
      expect(await queue.counts(name)).to.have.property('waiting', 0)
    })

    it('separates leases near the head from history', async () => {
      const [live, history] = [new Arrivals(), new Arrivals()]
      const lease = { generation: 0, attempt: 0 }
      await enqueueLeases(queue, [
        { ...lease, worker: 'a', from: 0, to: 10, isLive: false },
        { ...lease, worker: 'a', from: 90, to: 95, isLive: true },
        { ...lease, worker: 'b', from: 90, to: 95, isLive: true },
      ])
      await queue.work('live', 1, live.handler)
      await queue.work('history', 1, history.handler)
      expect(await live.until(1)).to.deep.equal([{ workers: ['a', 'b'], starts: [90], generation: 0 }])
      expect(await history.until(1)).to.deep.equal([{ workers: ['a'], starts: [0], generation: 0 }])
    })

    it('deduplicates waiting jobs', async () => {
      const name = newName()
      const arrivals = new Arrivals()
      for (let i = 0; i < 3; i++) await queue.add(name, [job(name, 5), job(name, 6)])
      expect((await queue.counts(name)).waiting).to.equal(2)
      await queue.work(name, 1, arrivals.handler)
      await arrivals.until(2)
      while ((await queue.counts(name)).active > 0) await new Promise(setImmediate)
      await queue.add(name, [job(name, 5)])
      expect(startsOf(await arrivals.until(3))).to.deep.equal([5, 6, 5])
    })

    it('respects the concurrency', async () => {
      const name = newName()
      let running = 0
      let max = 0
      let done = 0
      const all = Promise.withResolvers<void>()
      const gate = Promise.withResolvers<void>()
      await queue.add(
        name,
        Array.from({ length: 9 }, (_, i) => job(name, i)),
      )
      await queue.work(name, 3, async () => {
        max = Math.max(max, ++running)
        if (running === 3) gate.resolve()
        await gate.promise
        running--
        if (++done === 9) all.resolve()
      })
      await all.promise
      expect(max).to.equal(3)
    })

    it('continues after a failed job and removes it', async () => {
      const name = newName()
      const arrivals = new Arrivals()
      await queue.add(name, [job(name, 1), job(name, 2)])
      await queue.work(name, 1, async (arrived) => {
        await arrivals.handler(arrived)
        if (arrived.starts[0] === 1) throw new Error('no')
      })
      await arrivals.until(2)
      await queue.add(name, [job(name, 1)])
      expect((await arrivals.until(3)).at(-1)?.starts[0]).to.equal(1)
    })

    it('takes no jobs while paused and waits for running ones', async () => {
      const name = newName()
      const arrivals = new Arrivals()
      const gate = Promise.withResolvers<void>()
      let isDone = false
      const consumer = await queue.work(name, 1, async (arrived) => {
        await arrivals.handler(arrived)
        await gate.promise
        isDone = true
      })
      await queue.add(name, [job(name, 1), job(name, 2)])
      await arrivals.until(1)
      const paused = consumer.pause()
      gate.resolve()
      await paused
      expect(isDone).to.equal(true)
      expect(arrivals.jobs).to.have.length(1)
      await consumer.resume()
      await arrivals.until(2)
    })

    it('notifies idle consumers of jobs', async () => {
      const idle = Array.from({ length: 2 }, () => ({ name: newName(), arrivals: new Arrivals() }))
      const consumers: QueueConsumer[] = []
      for (const { name, arrivals } of idle) consumers.push(await queue.work(name, 1, arrivals.handler))
      const times: number[] = []
      for (let round = 1; round <= 15; round++) {
        for (const { name, arrivals } of idle) {
          const start = performance.now()
          await queue.add(name, [job(name, round)])
          await arrivals.until(round)
          times.push(performance.now() - start)
        }
      }
      times.sort((a, b) => a - b)
      // The median, as other processes may delay single jobs. Idle consumers poll every 5 s.
      expect(times[Math.floor(times.length / 2)], times.map(Math.round).join(' ')).to.be.below(1000)
      await Promise.all(consumers.map((consumer) => consumer.close()))
    })

    it('continues after the store is emptied', async () => {
      const name = newName()
      const arrivals = new Arrivals()
      const gate = Promise.withResolvers<void>()
      await queue.work(name, 1, async (arrived) => {
        await arrivals.handler(arrived)
        if (arrived.starts[0] === 1) await gate.promise
      })
      await queue.add(name, [job(name, 1), job(name, 2)])
      await arrivals.until(1)
      await store.lose()
      gate.resolve()
      await queue.add(name, [job(name, 3)])
      expect(startsOf(await arrivals.until(2))).to.deep.equal([1, 3])
    })

    it('reports no trouble when a job ends that lost its place in the queue', async () => {
      const name = newName()
      const arrivals = new Arrivals()
      const noticed = Promise.withResolvers<void>()
      const levels: number[] = []
      const other = await store.open(
        pino(
          { level: 'debug' },
          {
            write: (line: string) => {
              const { level, msg } = JSON.parse(line) as { level: number; msg: string }
              levels.push(level)
              if (msg === 'A job was delivered again') noticed.resolve()
            },
          },
        ),
      )
      const gate = Promise.withResolvers<void>()
      await other.work(name, 1, async (arrived) => {
        await arrivals.handler(arrived)
        await gate.promise
      })
      await other.add(name, [job(name, 1)])
      await arrivals.until(1)
      await store.lose()
      gate.resolve()
      await noticed.promise
      expect(Math.max(...levels)).to.equal(pino.levels.values['debug'])
      await other.close()
    })

    it('continues after lost connections', async () => {
      const name = newName()
      const arrivals = new Arrivals()
      await queue.work(name, 1, arrivals.handler)
      await queue.add(name, [job(name, 1)])
      await arrivals.until(1)
      await store.disconnect()
      await addInTheEnd(queue, name, [job(name, 2)])
      expect((await arrivals.until(2)).at(-1)?.starts[0]).to.equal(2)
    })

    it('opens or reports an error while connections fail', async () => {
      for (let i = 0; i < 10; i++) {
        const state = { isOpening: true }
        const opening = store
          .open()
          .then(
            (opened) => opened.close(),
            (error: unknown) => void expect(asError(error)).to.be.instanceOf(RetryableError),
          )
          .finally(() => (state.isOpening = false))
        while (state.isOpening) await store.disconnect()
        await opening
      }
    })

    it('reports an outage of its store immediately and recovers afterwards, also for workers added meanwhile', async () => {
      const name = newName()
      const arrivals = new Arrivals()
      const opened = await store.open()
      await store.goAway()
      try {
        await opened.work(name, 1, arrivals.handler)
        for (let i = 0; i < 3; i++) {
          const askedAt = new Stopwatch()
          await opened.add(name, [job(name, 1)]).then(() => expect.fail('it took jobs'), expectUnavailable)
          await opened.counts(name).then(() => expect.fail('it counted'), expectUnavailable)
          await askedAt.expectBelow(2000)
        }
      } finally {
        await store.comeBack()
      }
      await addInTheEnd(opened, name, [job(name, 2)])
      expect(await arrivals.until(1)).to.deep.equal([job(name, 2)])
      await opened.close()
    })

    it('recovers from an outage during startup', async () => {
      for (let i = 0; i < 15; i++) {
        const opened = await store.open()
        const idle = Array.from({ length: 4 }, () => ({ name: newName(), arrivals: new Arrivals() }))
        const starting = Promise.allSettled(
          idle.map(async ({ name, arrivals }) => {
            await opened.work(name, 1, arrivals.handler)
            await opened.add(name, [job(name, 1)])
          }),
        )
        // Includes outages during the startup queries.
        for (let turn = 0; turn < i * 2; turn++) await new Promise(setImmediate)
        await store.goAway()
        await store.comeBack()
        for (const [at, outcome] of (await starting).entries()) {
          if (outcome.status === 'rejected') expectUnavailable(outcome.reason)
          const { name, arrivals } = idle[at] ?? expect.fail('a worker too many')
          await addInTheEnd(opened, name, [job(name, 2)])
          while (!startsOf(arrivals.jobs).includes(2)) await arrivals.until(arrivals.jobs.length + 1)
        }
        await opened.close()
      }
    })

    for (const [when, isAway] of [
      ['its consumers are starting', false],
      ['these wait for its store', true],
    ] as const) {
      it(`closes while ${when}`, async () => {
        const opened = await store.open()
        if (isAway) await store.goAway()
        try {
          for (let i = 0; i < 4; i++) await opened.work(newName(), 1, () => Promise.resolve())
          const closingAt = new Stopwatch()
          await opened.close()
          await closingAt.expectBelow(4000)
        } finally {
          if (isAway) await store.comeBack()
        }
      })
    }

    it('delivers a job again if it takes longer than its lock, as after the end of its process', async () => {
      const name = newName()
      const [hanging, arrivals] = [new Arrivals(), new Arrivals()]
      const gate = Promise.withResolvers<void>()
      const other = await store.open()
      await other.work(name, 1, async (arrived) => {
        await hanging.handler(arrived)
        await gate.promise
      })
      await addInTheEnd(queue, name, [job(name, 1)])
      await hanging.until(1)
      expect((await queue.counts(name)).active).to.equal(1)
      await queue.work(name, 1, arrivals.handler)
      expect(await arrivals.until(1)).to.deep.equal([job(name, 1)])
      while ((await queue.counts(name)).active > 0) await new Promise(setImmediate)
      gate.resolve()
      await other.close()
      expect(await queue.counts(name)).to.deep.equal({ waiting: 0, active: 0 })
      expect(hanging.jobs).to.have.length(1)
    })
  })
}
