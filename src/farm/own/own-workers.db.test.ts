import { once } from 'node:events'
import { expect } from 'chai'
import { pino } from 'pino'
import type pg from 'pg'
import type { EventDerivation, Worker } from '../../../jobs/worker.ts'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { storeBlocks } from '../../../test/support/chain-rows.ts'
import { deriveInto } from '../../../test/support/derived-tables.ts'
import { ownDifferences, ownWorker, registerOwnWorker } from '../../../test/support/own-worker.ts'
import { txContractsWorker } from '../../../jobs/tx-contracts-worker.ts'
import { announceFarmWork, farmChannel, listen, ownRowsChannel } from '../../platform/db/listen.ts'
import { Metrics } from '../../platform/metrics.ts'
import type { HeightRange } from '../../platform/ranges.ts'
import { difference } from '../../platform/ranges.ts'
import { addLeases, leaseLines, setCoverage, storedLeases } from '../farm-tables.test-support.ts'
import { plan, startCompletingWorker, startCoordinator } from '../coordinator/coordinator.test-support.ts'
import { readCoverage } from '../leases/coverage.ts'
import { claimLeases, defaultRetryPolicy } from '../leases/leases.ts'
import { addRequest } from '../leases/requests.ts'
import { RangeReader } from '../range-reader/range-reader.ts'
import { compareDerived } from '../rebuild/compare-derived.ts'
import { rebuildDerived } from '../rebuild/rebuild-derived.ts'
import { OwnWorkers } from './own-workers.ts'
import type { OwnWorkersOptions } from './own-workers.ts'

const end = 400
const contract = 'A.f919ee77447b7497.FlowFees'
type Derive = EventDerivation['derive']

describe('own workers of a process', () => {
  let database: TestDatabase
  let pool: pg.Pool
  let own: OwnWorkers | undefined
  let workers: Worker[]
  let changed: (() => void)[]
  const closing = new AbortController()
  const notifications: string[] = []
  let onNotification: () => void = () => undefined

  before(async () => {
    database = await createTestDatabase({ max: 20 })
    pool = database.pool
    await storeBlocks(pool, 0, end - 1)
    const { blocks } = await new RangeReader({ pool }).read(0, end)
    await deriveInto(pool, txContractsWorker, blocks, { from: 0, to: end })
    for (const name of ['own_a', 'own_b']) await registerOwnWorker(pool, ownWorker(name, contract))
    await listen(
      database.url,
      [ownRowsChannel, farmChannel],
      (channel, payload) => {
        if (channel === ownRowsChannel) notifications.push(payload)
        onNotification()
      },
      { signal: closing.signal, onReconnect: () => undefined },
    )
  })
  beforeEach(async () => {
    await pool.query(
      'truncate app.worker_leases, own_a.events, own_a.totals, own_a.latest, own_b.events, own_b.totals, own_b.latest',
    )
    await setCoverage(pool, { tx_contracts_worker: [{ from: 0, to: end }], own_a: [], own_b: [] })
    changed = []
    notifications.length = 0
  })
  afterEach(async () => {
    await own?.stop()
    own = undefined
  })
  after(async () => {
    closing.abort()
    await database.drop()
  })

  async function start(running: Worker[], options: Partial<OwnWorkersOptions> = {}): Promise<void> {
    workers = running
    own = new OwnWorkers({
      source: {
        workers: () => workers,
        onChange: (listener) => void changed.push(listener),
        stop: () => Promise.resolve(),
      },
      databaseUrl: database.url,
      pool,
      leasePool: pool,
      heartbeatPool: pool,
      log: pino({ level: 'silent' }),
      metrics: new Metrics(),
      historyBatchMs: 0,
      roundMs: 20,
      historyChunk: 100,
      ...options,
    })
    await own.start()
  }
  /** Polls: own workers announce rows only. */
  async function until(condition: () => Promise<boolean>): Promise<void> {
    while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  const untilCovered = (...names: string[]): Promise<void> =>
    until(async () => {
      const coverage = await readCoverage(pool, names)
      return names.every((name) => difference([{ from: 0, to: end }], coverage.get(name) ?? []).length === 0)
    })
  const differences = (name: string): Promise<string[]> => ownDifferences(pool, ownWorker(name, contract))
  const deriving = (name: string, derive: (usual: Derive) => Derive): Worker => {
    const usual = ownWorker(name, contract).deriveEvents?.derive as Derive
    return ownWorker(name, contract, { derive: derive(usual) })
  }

  it('derive all events, and announce their rows', async () => {
    await start([ownWorker('own_a', contract), ownWorker('own_b', contract)])
    await untilCovered('own_a', 'own_b')
    expect(await differences('own_a')).to.deep.equal([])
    expect(await differences('own_b')).to.deep.equal([])
    expect(notifications.filter((line) => line.startsWith('own_a')).toSorted()).to.include.members([
      'own_a 0 100',
      'own_a 100 200',
    ])
  })

  it('get only heights that tx_contracts_worker has done', async () => {
    await setCoverage(pool, { tx_contracts_worker: [{ from: 150, to: 350 }] })
    await start([ownWorker('own_a', contract)])
    await until(
      async () =>
        difference([{ from: 150, to: 350 }], (await readCoverage(pool, ['own_a'])).get('own_a') ?? []).length === 0,
    )
    await own?.stop()
    expect((await readCoverage(pool, ['own_a'])).get('own_a')).to.deep.equal([{ from: 150, to: 350 }])
    expect(await leaseLines(pool)).to.satisfy((lines: string[]) => lines.every((line) => line.endsWith('done')))
  })

  it('derive nothing below the start height', async () => {
    const worker = ownWorker('own_a', contract, { startHeight: 250 })
    await start([worker])
    await untilCovered('own_a')
    expect(await ownDifferences(pool, worker)).to.deep.equal([])
    const { rows } = await pool.query<{ lowest: number }>('select min(block_height)::int as lowest from own_a.events')
    expect(rows[0]?.lowest).to.equal(250)
  })

  it('derive requested history even if history derivers are disabled', async () => {
    await start([ownWorker('own_a', contract)], { isHistoryEnabled: false })
    const live = { from: end - 100, to: end }
    const covers = async (range: HeightRange): Promise<boolean> =>
      difference([range], (await readCoverage(pool, ['own_a'])).get('own_a') ?? []).length === 0
    await until(() => covers(live))
    await addRequest(pool, [{ name: 'own_a', follows: [] }], ['own_a'], { from: 20, to: 50 })
    await until(() => covers({ from: 20, to: 50 }))
    expect((await readCoverage(pool, ['own_a'])).get('own_a')).to.deep.equal([{ from: 20, to: 50 }, live])
    await pool.query('truncate app.backfill_requests')
  })

  it('leave unregistered workers alone', async () => {
    await start([ownWorker('own_unknown', contract), ownWorker('own_a', contract)])
    await untilCovered('own_a')
    expect(await storedLeases(pool)).to.satisfy((leases: { worker: string }[]) =>
      leases.every(({ worker }) => worker === 'own_a'),
    )
  })

  it('derive the head while a backfill of the same worker runs', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const worker = deriving('own_a', (usual) => async (events, output, signal) => {
      if ((events[0]?.height ?? 0) < end - 100) await promise
      await usual(events, output, signal)
    })
    await start([worker])
    await until(
      async () =>
        difference([{ from: end - 100, to: end }], (await readCoverage(pool, ['own_a'])).get('own_a') ?? []).length ===
        0,
    )
    resolve()
    await untilCovered('own_a')
    expect(await differences('own_a')).to.deep.equal([])
  })

  it('commit what was derived when a range takes long or has many rows', async () => {
    for (const limit of [{ unitMs: 0 }, { unitBytes: 1 }]) {
      await setCoverage(pool, { own_a: [] })
      await pool.query('truncate app.worker_leases')
      // Each batch is one block at least.
      await start([ownWorker('own_a', contract)], { ...limit, historyChunk: 100_000 })
      await untilCovered('own_a')
      await own?.stop()
      expect(await differences('own_a')).to.deep.equal([])
    }
  })

  it('pass a throwing worker to the operator after 20 retries, without delay to others', async () => {
    const broken = deriving('own_a', () => () => Promise.reject(new Error('no such field')))
    await start([broken, ownWorker('own_b', contract)], {
      liveBlocks: 0,
      historyChunk: end,
      retryPolicy: { ...defaultRetryPolicy, baseMs: 1, capMs: 1, halveAfterRuns: 100 },
    })
    await untilCovered('own_b')
    await until(async () => (await storedLeases(pool)).some(({ status }) => status === 'flagged'))
    const [lease] = (await storedLeases(pool)).filter(({ worker }) => worker === 'own_a')
    expect(lease).to.include({ from: 0, to: end, status: 'flagged', attempt: 21, error: 'no such field' })
    expect(await differences('own_b')).to.deep.equal([])
  })

  it('isolate a block that always fails', async () => {
    const broken = deriving(
      'own_a',
      (usual) => (events, output, signal) =>
        events.some(({ height }) => height === 123) ? Promise.reject(new Error('no')) : usual(events, output, signal),
    )
    await start([broken], {
      liveBlocks: 0,
      historyChunk: end,
      retryPolicy: { ...defaultRetryPolicy, baseMs: 1, capMs: 1 },
    })
    await until(async () => (await storedLeases(pool)).some(({ status }) => status === 'flagged'))
    const rest = [
      { from: 0, to: 123 },
      { from: 124, to: end },
    ]
    await until(async () => difference(rest, (await readCoverage(pool, ['own_a'])).get('own_a') ?? []).length === 0)
    expect((await readCoverage(pool, ['own_a'])).get('own_a')).to.deep.equal(rest)
  })

  it('fail a range that derive does not finish, even if it ignores the signal', async () => {
    const signals: AbortSignal[] = []
    const hanging = deriving('own_a', () => (_events, _output, signal) => {
      signals.push(signal)
      return new Promise(() => undefined)
    })
    await start([hanging, ownWorker('own_b', contract)], {
      liveBlocks: 0,
      historyChunk: end,
      deriveTimeoutMs: 5,
      retryPolicy: { ...defaultRetryPolicy, baseMs: 1, capMs: 1, halveAfterRuns: 100 },
    })
    await untilCovered('own_b')
    await until(async () => (await storedLeases(pool)).some(({ status }) => status === 'flagged'))
    const [lease] = (await storedLeases(pool)).filter(({ worker }) => worker === 'own_a')
    expect(lease).to.include({ status: 'flagged', attempt: 21, code: 'derive-timeout' })
    expect(signals.every(({ aborted }) => aborted)).to.equal(true)
  })

  it('hold no transaction while a worker computes', async () => {
    const { promise: called, resolve: call } = Promise.withResolvers<void>()
    const { promise, resolve } = Promise.withResolvers<void>()
    const slow = deriving('own_a', (usual) => async (events, output, signal) => {
      call()
      await promise
      await usual(events, output, signal)
    })
    await start([slow], { liveBlocks: 0, historyChunk: end })
    await called
    const { rows } = await pool.query(
      `select 1 from pg_locks l join pg_stat_activity a using (pid)
       where l.locktype = 'advisory' and a.datname = current_database()`,
    )
    expect(rows).to.deep.equal([])
    resolve()
    await untilCovered('own_a')
  })

  it('release their leases at a stop, without an attempt', async () => {
    const { promise: called, resolve: call } = Promise.withResolvers<void>()
    const waiting = deriving('own_a', () => async (_events, _output, signal) => {
      call()
      await once(signal, 'abort')
    })
    await start([waiting], { liveBlocks: 0, historyChunk: end })
    await called
    await own?.stop()
    const leases = await storedLeases(pool)
    expect(leases.map(({ worker, status, attempt }) => ({ worker, status, attempt }))).to.deep.equal([
      { worker: 'own_a', status: 'queued', attempt: 0 },
    ])
    // Another process takes it over.
    await start([ownWorker('own_a', contract)])
    await untilCovered('own_a')
    expect(await differences('own_a')).to.deep.equal([])
  })

  it('keep their ranges while only processes without them run, and expired ones too', async () => {
    await addLeases(pool, [
      { worker: 'own_a', from: 0, to: 100 },
      { worker: 'own_a', from: 100, to: 200, status: 'failed', attempt: 1 },
      { worker: 'own_a', from: 200, to: 300 },
    ])
    await claimLeases(pool, [{ worker: 'own_a', from: 200 }], { leasedBy: 'killed', leaseMs: 0 })
    const { enqueue, offered, idle } = startCompletingWorker(pool)
    const coordinator = startCoordinator(database, {
      enqueue,
      workers: () => [plan('tx_contracts_worker')],
      roundMs: 10,
    })
    await coordinator.until(async () => (await leaseLines(pool)).includes('own_a 200-300 queued'))
    await coordinator.stop()
    await idle()
    expect(offered.filter(({ worker }) => worker === 'own_a')).to.deep.equal([])
    expect(await leaseLines(pool)).to.include.members(['own_a 0-100 queued', 'own_a 100-200 failed'])
    await start([ownWorker('own_a', contract)])
    await untilCovered('own_a')
    expect(await differences('own_a')).to.deep.equal([])
  })

  it('continue with replaced code, and with added workers', async () => {
    const { promise: called, resolve: call } = Promise.withResolvers<void>()
    await start([deriving('own_a', () => () => (call(), new Promise(() => undefined)))], {
      liveBlocks: 0,
      historyChunk: end,
    })
    await called
    workers = [ownWorker('own_a', contract), ownWorker('own_b', contract)]
    for (const listener of changed) listener()
    await untilCovered('own_a', 'own_b')
    expect(await differences('own_a')).to.deep.equal([])
  })

  it('equal a rebuild from raw blocks, each on the heights that it covers', async () => {
    const running = [ownWorker('own_a', contract), ownWorker('own_b', contract)]
    await setCoverage(pool, { own_b: [{ from: 0, to: 250 }] })
    await start(running)
    await untilCovered('own_a', 'own_b')
    await own?.stop()
    await rebuildDerived({ pool, workers: running, network: 'mainnet' })
    await setCoverage(pool, { own_b: [{ from: 250, to: end }] })
    const comparison = await compareDerived({ pool, workers: running })
    expect(comparison.heights).to.deep.equal([{ from: 0, to: end }])
    expect(comparison.leftOut).to.deep.equal([{ from: 0, to: 250 }])
    expect(comparison.isEqual).to.equal(true)
    const kept = new Map(comparison.tables.map(({ table, kept: rows }) => [table, rows]))
    expect(kept.get('own_a.events')).to.be.greaterThan(kept.get('own_b.events') ?? 0)
    expect(kept.get('own_b.events')).to.be.greaterThan(0)
    await pool.query('delete from own_a.events where block_height = 300')
    expect((await compareDerived({ pool, workers: running })).isEqual).to.equal(false)
  })

  it('wake when tx_contracts_worker has done new blocks', async () => {
    await start([ownWorker('own_a', contract)], { roundMs: 60_000, historyBatchMs: 60_000 })
    await untilCovered('own_a')
    await storeBlocks(pool, end, end + 4)
    const { blocks } = await new RangeReader({ pool }).read(0, end + 5)
    await deriveInto(pool, txContractsWorker, blocks, { from: end, to: end + 5 })
    const arrived = new Promise<void>((resolve) => {
      onNotification = () => notifications.includes(`own_a ${end} ${end + 5}`) && resolve()
    })
    await announceFarmWork(pool)
    await arrived
    expect(await differences('own_a')).to.deep.equal([])
  })
})
