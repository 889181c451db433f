import { expect } from 'chai'
import type pg from 'pg'
import { pino } from 'pino'
import { RetryableError } from '../../platform/errors.ts'
import { toMultirange } from '../../platform/ranges.ts'
import { createPool } from '../../platform/db/pool.ts'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { startHalfOpenProxy } from '../../../test/support/half-open-proxy.ts'
import { readCoverage } from '../leases/coverage.ts'
import { addLeases, clearFarm, leaseLines, setCoverage, storedLeases } from '../farm-tables.test-support.ts'
import { announceFarmWork } from '../../platform/db/listen.ts'
import { claimLeases } from '../leases/leases.ts'
import { addRederiveRequest, addRequest } from '../leases/requests.ts'
import { requeueLeases } from '../leases/operator-leases.ts'
import type { CoordinatorOptions } from './coordinator.ts'
import { never, plan, startCoordinator, startCompletingWorker } from './coordinator.test-support.ts'
import type { CompletingWorker, OptionsToRun, RunningCoordinator } from './coordinator.test-support.ts'
import { LeaseEnqueuer } from './lease-enqueuer.ts'
import { Rounds } from './rounds.ts'
import { Stopwatch } from '../../../test/support/stopwatch.ts'

describe('Coordinator', () => {
  let database: TestDatabase
  let pool: pg.Pool
  let running: RunningCoordinator[] = []

  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
  })
  beforeEach(() => clearFarm(pool))
  afterEach(async () => {
    for (const each of running) await each.stop()
    running = []
  })
  after(() => database.drop())

  const start = (options: OptionsToRun): RunningCoordinator => {
    const each = startCoordinator(database, options)
    running.push(each)
    return each
  }
  const worker = (): CompletingWorker => startCompletingWorker(pool)

  async function covers(worker: string, text: string): Promise<boolean> {
    return toMultirange((await readCoverage(pool, [worker])).get(worker) ?? []) === text
  }

  it('allocates the head first, then history; followers receive completed heights', async () => {
    await setCoverage(pool, { main_ingester: [{ from: 700, to: 1005 }], history_ingester: [{ from: 0, to: 700 }] })
    const { enqueue, offered, idle } = worker()
    const { until, coordinator } = start({
      workers: () => [plan('a'), plan('b', ['a'])],
      enqueue,
      roundMs: never,
      maxOpen: 3,
    })
    await until(() => covers('b', '{[0,1005)}'))
    await idle()
    const of = (worker: string) => offered.filter((lease) => lease.worker === worker)
    expect(
      of('a')
        .slice(0, 5)
        .map((lease) => [lease.from, lease.to, lease.isLive]),
    ).to.deep.equal([
      [995, 1005, true],
      [985, 995, true],
      [885, 985, false],
      [785, 885, false],
      [685, 785, false],
    ])
    expect(of('a').map((lease) => lease.to)).to.deep.equal(
      of('a')
        .map((lease) => lease.to)
        .sort((x, y) => y - x),
    )
    const position = (worker: string, height: number): number =>
      offered.findIndex((l) => l.worker === worker && l.from <= height && height < l.to)
    for (let height = 0; height < 1005; height += 5)
      expect(position('b', height)).to.be.greaterThan(position('a', height))
    expect(of('b').map(({ from, to }) => [from, to])).to.deep.equal(of('a').map(({ from, to }) => [from, to]))
    await until(async () => {
      // The last fold may not be due in the last round.
      coordinator.wake()
      return (await leaseLines(pool)).length === 0
    })
    const { rows } = await pool.query(
      `select last_height::float8 as last from app.indexing_checkpoints where service_name in ('a', 'b')`,
    )
    expect(rows).to.deep.equal([{ last: 1004 }, { last: 1004 }])
  })

  it('wakes for stored blocks, completed ranges and wake()', async () => {
    const { enqueue, offered } = worker()
    let workers = [plan('a')]
    const { until, coordinator } = start({ workers: () => workers, enqueue, roundMs: never })
    await until(() => true)
    for (const to of [1, 2, 3]) {
      await setCoverage(pool, { main_ingester: [{ from: 0, to }] })
      await pool.query(`select pg_notify('flowfarm_blocks', 'main_ingester:0:1')`)
      await until(() => covers('a', `{[0,${to})}`))
    }
    expect(offered.map((lease) => lease.to)).to.deep.equal([1, 2, 3])
    workers = [plan('a'), plan('c')]
    coordinator.wake()
    await until(() => covers('c', '{[0,3)}'))
  })

  it('pauses after a long round unless the head has moved', async () => {
    await setCoverage(pool, { main_ingester: [{ from: 0, to: 1 }] })
    const { enqueue } = worker()
    const { until, reports, coordinator } = start({ workers: () => [plan('a')], enqueue, roundMs: never })
    await until(() => covers('a', '{[0,1)}'))
    const holder = await pool.connect()
    await holder.query('begin')
    await holder.query(`select 1 from app.indexing_checkpoints where service_name = 'a' for update`)
    coordinator.wake()
    const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and now() - query_start > interval '1.1 s'`
    while ((await pool.query(waiting)).rowCount === 0) await pool.query('select pg_sleep(0.02)')
    await holder.query('commit')
    holder.release()
    await until(() => reports.some(({ seconds }) => seconds > 1))
    const restsSince = new Stopwatch()
    await setCoverage(pool, { main_ingester: [{ from: 0, to: 2 }] })
    await pool.query(`select pg_notify('flowfarm_blocks', 'main_ingester:1:2')`)
    await until(() => covers('a', '{[0,2)}'))
    await restsSince.expectBelow(1000)
  })

  it('enqueues refused or lost leases again', async () => {
    await setCoverage(pool, { main_ingester: [{ from: 0, to: 25 }] })
    const { enqueue } = worker()
    let calls = 0
    const { until, reports } = start({
      workers: () => [plan('a')],
      roundMs: 5,
      staleMs: 10,
      enqueue: async (leases) => {
        calls++
        if (calls === 1) throw new RetryableError('queue-unavailable', 'no answer')
        if (calls > 2) await enqueue(leases)
      },
    })
    await until(() => covers('a', '{[0,25)}'))
    expect(reports.reduce((sum, report) => sum + report.allocated, 0)).to.equal(3)
  })

  it('is not blocked by an unresponsive queue', async () => {
    await setCoverage(pool, { main_ingester: [{ from: 0, to: 5 }] })
    const { enqueue } = worker()
    const silent = Promise.withResolvers<void>()
    const { until } = start({
      workers: () => [plan('a')],
      roundMs: 5,
      staleMs: 10,
      enqueue: async (leases) => {
        await silent.promise
        await enqueue(leases)
      },
    })
    await until(async () => (await leaseLines(pool)).length === 1)
    await setCoverage(pool, { main_ingester: [{ from: 0, to: 25 }] })
    await until(async () => (await leaseLines(pool)).length > 1)
    silent.resolve()
    await until(() => covers('a', '{[0,25)}'))
  })

  it('requeues expired and due leases', async () => {
    await setCoverage(pool, { main_ingester: [{ from: 0, to: 30 }] })
    await addLeases(pool, [
      { worker: 'a', from: 0, to: 10 },
      { worker: 'a', from: 10, to: 20, status: 'failed', attempt: 3 },
      { worker: 'a', from: 20, to: 30, status: 'flagged' },
    ])
    await claimLeases(pool, [{ worker: 'a', from: 0 }], { leasedBy: 'gone', leaseMs: 0 })
    const { enqueue, offered } = worker()
    const { until } = start({ workers: () => [plan('a')], enqueue, roundMs: never })
    await until(() => covers('a', '{[0,20)}'))
    expect(offered.map((lease) => [lease.from, lease.attempt])).to.have.deep.members([
      [0, 1],
      [10, 3],
    ])
    await requeueLeases(pool, [{ worker: 'a', from: 20 }])
    await announceFarmWork(pool)
    await until(() => covers('a', '{[0,30)}'))
  })

  it('ignores disabled workers', async () => {
    await setCoverage(pool, { main_ingester: [{ from: 0, to: 30 }] })
    await addLeases(pool, [
      { worker: 'off', from: 0, to: 10, status: 'failed' },
      { worker: 'off', from: 10, to: 20 },
    ])
    const { enqueue } = worker()
    const { until } = start({ workers: () => [plan('a'), plan('b', ['off'])], enqueue, roundMs: never })
    await until(() => covers('a', '{[0,30)}'))
    expect(await leaseLines(pool)).to.include.members(['off 0-10 failed', 'off 10-20 queued'])
    expect(await covers('b', '{}')).to.equal(true)
  })

  it('bounds open leases and allocates nothing to a failing worker', async () => {
    await setCoverage(pool, { main_ingester: [{ from: 0, to: 10_000 }] })
    await addLeases(
      pool,
      [0, 1, 2].map((from) => ({ worker: 'broken', from, to: from + 1, status: 'flagged' })),
    )
    const { until } = start({
      workers: () => [plan('a'), plan('broken')],
      enqueue: () => Promise.resolve(),
      roundMs: 1,
      maxOpen: 4,
      maxFailing: 3,
    })
    let rounds = 0
    await until(() => ++rounds > 5)
    const leases = await storedLeases(pool)
    expect(leases.filter((lease) => lease.worker === 'a')).to.have.length(4 + 2)
    expect(leases.filter((lease) => lease.worker === 'broken')).to.have.length(3)
  })

  it('pauses between ranges of history while the head continues', async () => {
    await setCoverage(pool, { main_ingester: [{ from: 0, to: 320 }] })
    const { enqueue, offered } = worker()
    const openHistory: number[] = []
    const started = performance.now()
    const { until } = start({
      workers: () => [plan('a')],
      roundMs: 1,
      historySleepMs: 60,
      enqueue: async (leases) => {
        openHistory.push(leases.filter((lease) => !lease.isLive).length)
        await enqueue(leases)
      },
    })
    await until(() => covers('a', '{[0,320)}'))
    expect(Math.max(...openHistory)).to.equal(1)
    expect(offered.filter((lease) => !lease.isLive)).to.have.length(3)
    expect(performance.now() - started).to.be.at.least(3 * 60)
  })

  it('only requeues if both kinds of derivers are disabled, and treats the head as history without live ones', async () => {
    await setCoverage(pool, { main_ingester: [{ from: 0, to: 250 }] })
    const off = worker()
    const first = start({
      workers: () => [plan('a')],
      enqueue: off.enqueue,
      roundMs: 1,
      isLiveEnabled: false,
      isHistoryEnabled: false,
    })
    let rounds = 0
    await first.until(() => ++rounds > 3)
    await first.stop()
    expect(off.offered).to.deep.equal([])
    const { enqueue, offered } = worker()
    const second = start({ workers: () => [plan('a')], enqueue, roundMs: 1, isLiveEnabled: false })
    await second.until(() => covers('a', '{[0,250)}'))
    expect(offered.map((lease) => [lease.from, lease.to, lease.isLive])).to.deep.equal([
      [150, 250, false],
      [50, 150, false],
      [0, 50, false],
    ])
  })

  describe('an operator request', () => {
    const requests = async (): Promise<object[]> => {
      const { rows } = await pool.query<{ finished: boolean; off: string[] }>(
        'select finished_at is not null as finished, workers_off as off from app.backfill_requests order by id',
      )
      return rows
    }
    const isFinished = async (): Promise<boolean> => !JSON.stringify(await requests()).includes('"finished":false')
    afterEach(() => pool.query('truncate app.backfill_requests'))

    it('takes precedence over other history, including followed workers', async () => {
      await setCoverage(pool, { main_ingester: [{ from: 0, to: 2000 }] })
      const { enqueue, offered } = worker()
      const workers = [plan('a'), plan('b', ['a']), plan('c')]
      expect((await addRequest(pool, workers, ['b'], { from: 250, to: 480 })).workers).to.deep.equal(['a', 'b'])
      const { until } = start({
        workers: () => workers,
        enqueue,
        roundMs: 20,
        maxOpen: 4,
        liveBlocks: 0,
        isLiveEnabled: false,
      })
      await until(isFinished)
      const of = (worker: string) =>
        offered.filter((lease) => lease.worker === worker).map(({ from, to }) => [from, to])
      const asked = [
        [380, 480],
        [280, 380],
        [250, 280],
      ]
      for (const worker of ['a', 'b']) expect(of(worker).slice(0, 4)).to.deep.equal([...asked, [1900, 2000]])
      expect(of('c')[0]).to.deep.equal([1900, 2000])
      await until(() => covers('b', '{[0,2000)}'))
      expect(await requests()).to.deep.equal([{ finished: true, off: [] }])
    })

    it('is processed while derivers are disabled', async () => {
      await setCoverage(pool, { main_ingester: [{ from: 0, to: 1000 }] })
      const { enqueue, offered } = worker()
      const { until } = start({
        workers: () => [plan('a')],
        enqueue,
        roundMs: 20,
        isLiveEnabled: false,
        isHistoryEnabled: false,
      })
      await until(() => true)
      for (const from of [100, 700]) {
        await addRequest(pool, [plan('a')], ['a'], { from, to: from + 50 })
        await until(isFinished)
      }
      await addRequest(pool, [plan('a')], ['a'], { from: 120, to: 140 })
      await until(isFinished)
      expect(offered.map(({ from, to }) => [from, to])).to.deep.equal([
        [100, 150],
        [700, 750],
      ])
    })

    it('finishes with skipped heights, but waits for flagged ones', async () => {
      await setCoverage(pool, {
        main_ingester: [{ from: 0, to: 500 }],
        a: [
          { from: 0, to: 100 },
          { from: 130, to: 500 },
        ],
      })
      await addLeases(pool, [
        { worker: 'a', from: 100, to: 110, status: 'skipped' },
        { worker: 'a', from: 110, to: 120, status: 'flagged' },
      ])
      const { enqueue } = worker()
      await addRequest(pool, [plan('a')], ['a'], { from: 90, to: 200 })
      const { until, reports } = start({ workers: () => [plan('a')], enqueue, roundMs: 20 })
      await until(() => covers('a', '{[0,100),[120,500)}'))
      const rounds = reports.length
      await until(() => reports.length > rounds + 2)
      expect(await requests()).to.deep.equal([{ finished: false, off: [] }])
      await requeueLeases(pool, [{ worker: 'a', from: 110 }])
      await announceFarmWork(pool)
      await until(isFinished)
    })

    it('waits for disabled workers and reports them', async () => {
      await setCoverage(pool, { main_ingester: [{ from: 0, to: 500 }] })
      const { enqueue } = worker()
      let workers = [plan('b', ['a'])]
      await addRequest(pool, [plan('a'), plan('b', ['a'])], ['b'], { from: 90, to: 200 })
      const { until } = start({ workers: () => workers, enqueue, roundMs: 20 })
      await until(async () => JSON.stringify(await requests()) === '[{"finished":false,"off":["a"]}]')
      workers = [plan('a'), plan('b', ['a'])]
      await until(isFinished)
      expect(await requests()).to.deep.equal([{ finished: true, off: [] }])
    })

    it('derives heights again for a worker and its followers', async () => {
      const workers = [plan('a'), plan('b', ['a']), plan('c')]
      const all = [{ from: 0, to: 500 }]
      await setCoverage(pool, { main_ingester: all, a: all, b: all, c: all })
      const { enqueue, offered } = worker()
      const { until } = start({ workers: () => workers, enqueue, roundMs: 20, liveBlocks: 0, isLiveEnabled: false })
      await until(() => true)
      const request = await addRederiveRequest(pool, workers, ['a'], { from: 90, to: 200 })
      expect(request).to.deep.include({ workers: ['a', 'b'], reopened: ['a', 'b'] })
      await until(isFinished)
      expect(offered.map(({ worker, from, to }) => [worker, from, to])).to.have.deep.members([
        ['a', 100, 200],
        ['a', 90, 100],
        ['b', 100, 200],
        ['b', 90, 100],
      ])
    })
  })

  it('finds heights far below the head', async () => {
    await setCoverage(pool, { main_ingester: [{ from: 5, to: 5_000_000 }], a: [{ from: 105, to: 5_000_000 }] })
    const { enqueue } = worker()
    const { until } = start({ workers: () => [plan('a')], enqueue, roundMs: never, span: 1000 })
    await until(() => covers('a', '{[5,5000000)}'))
  })

  it('runs once, and another process takes over', async () => {
    const { enqueue } = worker()
    const both = [0, 1].map(() => start({ workers: () => [plan('a')], enqueue, roundMs: 5 }))
    const rounds = (): number[] => both.map((each) => each.reports.length)
    await Promise.race(both.map((each) => each.until(() => each.reports.length > 3)))
    const leader = both.findIndex((each) => each.reports.length > 0)
    expect(rounds()[1 - leader]).to.equal(0)
    await both[leader]?.stop()
    await setCoverage(pool, { main_ingester: [{ from: 0, to: 40 }] })
    await both[1 - leader]?.until(() => covers('a', '{[0,40)}'))
  })

  it('yields if its queues do not respond', async () => {
    await setCoverage(pool, { main_ingester: [{ from: 0, to: 25 }] })
    const refusing = start({
      workers: () => [plan('a')],
      roundMs: 5,
      staleMs: 10,
      queueTimeoutMs: 50,
      enqueue: () => Promise.reject(new RetryableError('queue-unavailable', 'no answer')),
    })
    await refusing.until(() => refusing.reports.length > 0)
    const other = start({ workers: () => [plan('a')], roundMs: 5, staleMs: 10, enqueue: worker().enqueue })
    await other.until(() => covers('a', '{[0,25)}'))
    await refusing.stop()
  })

  it('continues after lost and silent connections', async () => {
    const connection = { heartbeatMs: 20, answerTimeoutMs: 100 }
    const proxy = await startHalfOpenProxy(database.url)
    const behind = createPool(proxy.url, { max: 4, connectTimeoutMs: 300, statementTimeoutMs: 0 })
    const { enqueue } = worker()
    const interrupted: (() => void)[] = []
    const log = pino(
      { level: 'warn' },
      {
        write: (line) => {
          if (line.includes('interrupted')) for (const tell of interrupted) tell()
        },
      },
    )
    const { until, stop } = start({
      workers: () => [plan('a')],
      enqueue,
      roundMs: 5,
      databaseUrl: proxy.url,
      pool: behind,
      connection,
      log,
    })
    for (const to of [50, 90, 120]) {
      await setCoverage(pool, { main_ingester: [{ from: 0, to }] })
      await until(() => covers('a', `{[0,${to})}`))
      if (to < 120) proxy.cut()
    }
    const noticed = new Promise<void>((resolve) => interrupted.push(resolve))
    proxy.freeze()
    await noticed
    await setCoverage(pool, { main_ingester: [{ from: 0, to: 200 }] })
    // The server detects this by keepalive; the test ends the dead sessions to save time.
    proxy.thaw()
    proxy.cut()
    await until(() => covers('a', '{[0,200)}'))
    await stop()
    proxy.cut()
    await behind.end()
    await proxy.close()
  })

  const roundsOf = (enqueue: CompletingWorker['enqueue']): { enqueuer: LeaseEnqueuer; rounds: Rounds } => {
    const options: CoordinatorOptions = {
      databaseUrl: database.url,
      pool,
      log: pino({ level: 'silent' }),
      signal: new AbortController().signal,
      workers: () => [plan('a'), plan('b', ['a'])],
      enqueue,
      foldMs: 0,
      cleanUpMs: 0,
      maxOpen: 20,
    }
    const enqueuer = new LeaseEnqueuer(enqueue, (error) => {
      throw error
    })
    return { enqueuer, rounds: new Rounds(options, enqueuer) }
  }

  it('is idle only without pending heights, leases and requests', async () => {
    const { rounds } = roundsOf(() => Promise.resolve())
    expect(await rounds.next(), 'nothing stored').to.equal('idle')
    await setCoverage(pool, { main_ingester: [{ from: 0, to: 10 }], a: [{ from: 0, to: 10 }] })
    expect(await rounds.next(), 'new leases').to.equal('waiting')
    expect(await rounds.next(), 'open leases').to.equal('waiting')
    const done = await claimLeases(pool, [{ worker: 'b', from: 0 }], { leasedBy: 'x', leaseMs: 60_000 })
    await pool.query("update app.worker_leases set status = 'failed', not_before = now() + interval '1 day'")
    expect(await rounds.next(), 'a failed lease').to.equal('waiting')
    expect(done).to.have.length(1)
    await pool.query("update app.worker_leases set status = 'done'")
    await rounds.next()
    expect(await rounds.next(), 'all done').to.equal('idle')
    await addRequest(pool, [{ name: 'a', follows: [] }], ['a'], { from: 20, to: 30 })
    expect(await rounds.next(), 'a request').to.equal('waiting')
  })

  it('is safe with two coordinators at once', async () => {
    await setCoverage(pool, { main_ingester: [{ from: 0, to: 20_000 }] })
    const { enqueue } = worker()
    const twins = [0, 1, 2].map(() => roundsOf(enqueue))
    await Promise.all(
      twins.map(async ({ rounds, enqueuer }) => {
        while (!(await covers('b', '{[0,20000)}'))) {
          await rounds.next()
          await enqueuer.idle()
        }
      }),
    )
    expect(await covers('a', '{[0,20000)}')).to.equal(true)
  })
})
