import { expect } from 'chai'
import { pino } from 'pino'
import { createTestDatabase } from '../../test/support/database.ts'
import type { TestDatabase } from '../../test/support/database.ts'
import { startHalfOpenProxy } from '../../test/support/half-open-proxy.ts'
import { Metrics } from '../platform/metrics.ts'
import { retryWhile } from '../platform/retry.ts'
import { asDatabaseError } from '../platform/db/errors.ts'
import { createPool } from '../platform/db/pool.ts'
import { pruneErrors } from '../platform/db/indexing-errors.ts'
import { Upkeep } from './upkeep.ts'
import type { UpkeepJob } from './upkeep.ts'
import { Stopwatch } from '../../test/support/stopwatch.ts'

describe('upkeep', () => {
  let database: TestDatabase
  const running: Upkeep[] = []

  before(async () => {
    database = await createTestDatabase()
  })
  afterEach(async () => {
    await Promise.all(running.splice(0).map((upkeep) => upkeep.stop()))
    await database.pool.query('drop schema if exists pgboss cascade')
  })
  after(() => database.drop())

  const start = async (jobs: readonly UpkeepJob[], metrics = new Metrics()): Promise<Upkeep> => {
    const upkeep = new Upkeep({
      pool: database.pool,
      jobs,
      log: pino({ level: 'silent' }),
      metrics,
      pollSeconds: 0.5,
      retrySeconds: 1,
    })
    running.push(upkeep)
    await upkeep.start()
    return upkeep
  }
  /** A job that reports its runs; `run` receives their number, from 1. */
  const watched = (
    name: string,
    run: (number: number) => Promise<void> | void = () => undefined,
  ): { job: UpkeepJob; runs: () => number; ran: (number: number) => Promise<void> } => {
    let runs = 0
    const waiting = new Map<number, () => void>()
    return {
      runs: () => runs,
      ran: (number) => (runs >= number ? Promise.resolve() : new Promise((resolve) => waiting.set(number, resolve))),
      job: {
        name,
        cron: '0 4 * * *',
        run: async () => {
          const number = ++runs
          waiting.get(number)?.()
          await run(number)
          return { number }
        },
      },
    }
  }
  const outcomes = async (metrics: Metrics): Promise<Record<string, number>> => {
    const { values } = await metrics.upkeepRuns.get()
    return Object.fromEntries(values.map(({ labels, value }) => [`${labels['job']} ${labels['outcome']}`, value]))
  }
  const states = async (name: string): Promise<string[]> => {
    const { rows } = await database.pool.query<{ state: string }>(
      'select state from pgboss.job where name = $1 order by created_on',
      [`upkeep-${name}`],
    )
    return rows.map(({ state }) => state)
  }

  it('runs every job after the start, on schedule and on request', async () => {
    const metrics = new Metrics()
    const [a, b] = [watched('a-job'), watched('b-job')]
    const upkeep = await start([a.job, b.job], metrics)
    await Promise.all([a.ran(1), b.ran(1)])
    const { rows } = await database.pool.query('select name, cron from pgboss.schedule order by name')
    expect(rows).to.deep.equal([
      { name: 'upkeep-a-job', cron: '0 4 * * *' },
      { name: 'upkeep-b-job', cron: '0 4 * * *' },
    ])
    while ((await states('a-job'))[0] !== 'completed') await database.pool.query('select 1')
    await upkeep.runSoon('a-job')
    await a.ran(2)
    expect(b.runs()).to.equal(1)
    while ((await outcomes(metrics))['a-job done'] !== 2) await database.pool.query('select 1')
  })

  it('runs in one process at a time', async () => {
    const hold = Promise.withResolvers<void>()
    let [now, max] = [0, 0]
    const work = async (): Promise<void> => {
      max = Math.max(max, ++now)
      await hold.promise
      now--
    }
    const first = watched('a-job', work)
    const second = watched('a-job', work)
    const one = await start([first.job])
    await first.ran(1)
    const other = await start([second.job])
    for (const upkeep of [one, other, one]) await upkeep.runSoon('a-job')
    expect(await states('a-job')).to.deep.equal(['active'])
    hold.resolve()
    while ((await states('a-job'))[0] !== 'completed') await database.pool.query('select 1')
    expect([max, second.runs()]).to.deep.equal([1, 0])
  })

  it('starts in several processes at once without its schema', async () => {
    let [now, max] = [0, 0]
    const work = async (): Promise<void> => {
      max = Math.max(max, ++now)
      await database.pool.query('select 1')
      now--
    }
    const jobs = [1, 2, 3, 4].map(() => watched('a-job', work))
    await Promise.all(jobs.map(({ job }) => start([job])))
    await Promise.race(jobs.map(({ ran }) => ran(1)))
    expect(max).to.equal(1)
    expect((await database.pool.query('select from pgboss.schedule')).rowCount).to.equal(1)
  })

  it('reports a failed start and can be stopped', async () => {
    const gone = createPool('postgresql://nobody@127.0.0.1:1/none', { max: 1 })
    const upkeep = new Upkeep({ pool: gone, jobs: [], log: pino({ level: 'silent' }), metrics: new Metrics() })
    const refused = await upkeep.start().catch((error: unknown) => error)
    expect(asDatabaseError(refused)).to.include({ code: 'database-unreachable' })
    await upkeep.stop()
    await gone.end()
  })

  it('retries and counts a failed job', async () => {
    const metrics = new Metrics()
    const job = watched('a-job', (number) => {
      if (number === 1) throw new Error('not today')
    })
    await start([job.job], metrics)
    await job.ran(2)
    while ((await outcomes(metrics))['a-job done'] !== 1) await database.pool.query('select 1')
    expect(await outcomes(metrics)).to.deep.equal({ 'a-job failed': 1, 'a-job done': 1 })
  })

  it('continues after lost connections', async () => {
    const pool = createPool(database.url, { max: 3, applicationName: 'cut upkeep' })
    const job = watched('a-job')
    const upkeep = new Upkeep({
      pool,
      jobs: [job.job],
      log: pino({ level: 'silent' }),
      metrics: new Metrics(),
      pollSeconds: 0.5,
    })
    await upkeep.start()
    await job.ran(1)
    while ((await states('a-job'))[0] !== 'completed') await database.pool.query('select 1')
    await database.pool.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name like '%upkeep%'",
    )
    await retryWhile(() => upkeep.runSoon('a-job'), { isRetryable: () => true, baseMs: 10 })
    await job.ran(2)
    await upkeep.stop()
    await pool.end()
  })

  it('logs the message of an error that pg-boss gives as a plain object, once', async () => {
    const logged: { readonly msg: string; readonly reason?: string }[] = []
    const seen = Promise.withResolvers<void>()
    const log = pino(
      { level: 'debug' },
      {
        write: (line: string) => {
          logged.push(JSON.parse(line) as (typeof logged)[number])
          if (logged.filter(({ msg }) => msg === 'Upkeep error').length === 2) seen.resolve()
        },
      },
    )
    const job = watched('a-job')
    const upkeep = new Upkeep({ pool: database.pool, jobs: [job.job], log, metrics: new Metrics(), pollSeconds: 0.5 })
    running.push(upkeep)
    await upkeep.start()
    await job.ran(1)
    // It can deadlock with pg-boss, which locks the same tables in another order.
    await retryWhile(() => database.pool.query('drop schema if exists pgboss cascade'), {
      isRetryable: () => true,
      baseMs: 10,
    })
    await seen.promise
    const reasons = logged.filter(({ msg }) => msg === 'Upkeep error').map(({ reason }) => reason)
    expect(reasons[0]).to.match(/^relation "pgboss\.\w+" does not exist/)
    expect(reasons[1]).to.equal(undefined)
  })

  it('stops in time if the database does not respond', async () => {
    const proxy = await startHalfOpenProxy(database.url)
    const pool = createPool(proxy.url, { max: 3 })
    const job = watched('a-job')
    const upkeep = new Upkeep({
      pool,
      jobs: [job.job],
      log: pino({ level: 'silent' }),
      metrics: new Metrics(),
      pollSeconds: 0.5,
    })
    await upkeep.start()
    await job.ran(1)
    proxy.freeze()
    const askedAt = new Stopwatch()
    await upkeep.stop()
    await askedAt.expectBelow(4000)
    await proxy.close()
    await pool.end()
  })

  it('unschedules removed jobs', async () => {
    const upkeep = await start([watched('a-job').job, watched('old-job').job])
    await upkeep.stop()
    await start([watched('a-job').job])
    const { rows } = await database.pool.query<{ name: string }>('select name from pgboss.schedule')
    expect(rows).to.deep.equal([{ name: 'upkeep-a-job' }])
  })

  it('deletes old resolved errors only', async () => {
    await database.pool.query(`
      insert into raw.indexing_errors (worker_name, block_height, code, message, resolved_at) values
        ('a', 1, 'x', 'x', now() - interval '91 days'), ('a', 2, 'x', 'x', now() - interval '89 days'), ('a', 3, 'x', 'x', null)`)
    expect(await pruneErrors(database.pool, 90)).to.equal(1)
    const { rows } = await database.pool.query<{ height: number }>(
      'select block_height::int as height from raw.indexing_errors order by 1',
    )
    expect(rows).to.deep.equal([{ height: 2 }, { height: 3 }])
  })
})
