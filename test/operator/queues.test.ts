import { expect } from 'chai'
import { pino } from 'pino'
import { startRedis } from '../../scripts/bench/start-redis.ts'
import type { RedisServer } from '../../scripts/bench/start-redis.ts'
import { claimLeases } from '../../src/farm/leases/leases.ts'
import { createWorkQueue } from '../../src/farm/queues/create-work-queue.ts'
import { processName } from '../../src/farm/worker-loop/farm-workers.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runOperator } from '../support/running-operator.ts'
import type { Answer, RunningOperator } from '../support/running-operator.ts'

interface Board {
  readonly queues: readonly {
    readonly name: string
    readonly counts: Readonly<Record<string, number>>
    readonly jobs: readonly { readonly data: unknown }[]
  }[]
}

/** Queue stores and their settings. Undefined if unavailable. */
const stores: Record<string, () => Promise<{ readonly redis: RedisServer | undefined } | undefined>> = {
  PostgreSQL: () => Promise.resolve({ redis: undefined }),
  Redis: async () => {
    const redis = await startRedis()
    return redis === undefined ? undefined : { redis }
  },
}

for (const [store, open] of Object.entries(stores)) {
  describe(`Bull Board on ${store}`, () => {
    let database: TestDatabase
    let redis: RedisServer | undefined
    let operator: RunningOperator | undefined
    const bearer = { Authorization: 'Bearer secret' }

    before(async function () {
      const opened = await open()
      if (opened === undefined) this.skip()
      redis = opened.redis
      database = await createTestDatabase()
      operator = await runOperator(database.url, { ADMIN_TOKEN: 'secret', REDIS_URL: redis?.url ?? '' })
    })

    after(async () => {
      if (operator === undefined) return
      await operator.stop()
      await database.drop()
      await redis?.stop()
    })

    const get = async (path: string, headers: Record<string, string> = bearer): Promise<Answer<string>> => {
      if (operator === undefined) throw new Error('the operator does not run')
      return operator.raw('GET', `/operator/queues${path}`, headers)
    }

    it('is a separate page with the same access check, and loads nothing from other servers', async () => {
      const { status, headers, body } = await get('')
      expect(status).to.equal(200)
      expect(body)
        .to.include('flowfarm queues')
        .and.to.include('<base href="/operator/queues/"')
        .and.to.not.match(/(href|src)="https?:/)
      expect(headers['content-security-policy'])
        .to.include("script-src 'self'; style-src 'self' 'unsafe-inline'")
        .and.to.not.match(/https?:/)
      const script = /src="(static\/js\/[^"]+)"/.exec(body)?.[1] ?? ''
      expect(await get(`/${script}`)).to.include({ status: 200 })
      expect(await get(`/${script}`, {})).to.include({ status: 401 })
    })

    it('lists the processes that hold leases', async () => {
      const queues = await createWorkQueue({
        databaseUrl: database.url,
        redisUrl: redis?.url,
        log: pino({ level: 'silent' }),
      })
      const started = Promise.withResolvers<void>()
      const ended = Promise.withResolvers<void>()
      await database.pool.query(
        "insert into app.worker_leases (worker_type, from_height, to_height) values ('token_worker', 0, 10)",
      )
      await queues.work('history', 1, async () => {
        await claimLeases(database.pool, [{ worker: 'token_worker', from: 0 }], {
          leasedBy: processName(),
          leaseMs: 60_000,
        })
        started.resolve()
        await ended.promise
      })
      await queues.add('history', [{ workers: ['token_worker'], starts: [0], generation: 0 }])
      await started.promise
      const workersOf = async (queue: string): Promise<readonly { readonly addr: string }[] | null> => {
        const { status, body } = await get(`/api/queues/${queue}/workers`)
        expect(status).to.equal(200)
        return (JSON.parse(body) as { workers: readonly { readonly addr: string }[] | null }).workers
      }
      try {
        expect(await workersOf('history')).to.have.length(1)
        if (redis === undefined)
          expect((await workersOf('history'))?.[0]?.addr).to.equal(processName().split(':', 2).join(':'))
      } finally {
        ended.resolve()
        await queues.close()
        await database.pool.query('truncate app.worker_leases')
      }
    })

    it('lists both queues with their jobs', async () => {
      const queues = await createWorkQueue({
        databaseUrl: database.url,
        redisUrl: redis?.url,
        log: pino({ level: 'silent' }),
      })
      const job = { workers: ['token_worker', 'accounts_worker'], starts: [10, 20], generation: 0 }
      await queues.add('history', [job])
      const { status, body } = await get('/api/queues?activeQueue=history&status=waiting')
      await queues.close()
      expect(status).to.equal(200)
      const board = JSON.parse(body) as Board
      expect(board.queues.map(({ name }) => name)).to.deep.equal(['live', 'history'])
      const queue = board.queues.find(({ name }) => name === 'history')
      expect(queue?.counts).to.include({ waiting: 1 })
      expect(queue?.jobs[0]?.data).to.deep.equal(job)
    })
  })
}

it('Bull Board explains the remedy for an unreachable Redis', async () => {
  const database = await createTestDatabase()
  const operator = await runOperator(database.url, { REDIS_URL: 'redis://127.0.0.1:1' })
  try {
    const { status, body } = await operator.raw('GET', '/operator/queues')
    expect(status).to.equal(503)
    expect(JSON.parse(body))
      .to.include({ code: 'queue-unavailable' })
      .and.to.have.property('detail')
      .that.includes('REDIS_URL')
  } finally {
    await operator.stop()
    await database.drop()
  }
})
