import { expect } from 'chai'
import { workers } from '../../jobs/index.ts'
import { addRederiveRequest } from '../../src/farm/leases/requests.ts'
import type { TestDatabase } from '../support/database.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { activeOf, lockTable, waitForCoordinator, waitForHeldLeases, waitUntil } from '../support/lease-waits.ts'
import { StoredChain } from '../support/stored-chain.ts'
import { Stopwatch } from '../support/stopwatch.ts'

/** Seventy ranges for each worker, so that processes are killed at work. */
const last = 279

describe('farm processes', function (this: Mocha.Suite) {
  let chain: StoredChain
  let database: TestDatabase
  const started: FlowfarmProcess[] = []

  before(async () => {
    chain = await StoredChain.store(last)
  })
  beforeEach(async () => {
    database = await chain.newDatabase()
  })
  afterEach(async function (this: Mocha.Context) {
    if (this.currentTest?.state === 'failed')
      for (const one of started) process.stderr.write(`${one.output().slice(-20_000)}\n\n`)
    for (const one of started) one.child.kill('SIGCONT')
    await Promise.all(started.splice(0).map((one) => one.end('SIGKILL')))
    await database.drop()
  })
  after(() => chain.drop())

  const start = async (variables: Record<string, string> = {}): Promise<FlowfarmProcess> => {
    const one = new FlowfarmProcess(['farm'], {
      LIVE_DERIVERS_CHUNK: '4',
      HISTORY_DERIVERS_CHUNK: '4',
      LOG_LEVEL: 'debug',
      DB_URL: database.url,
      ...variables,
    })
    started.push(one)
    await one.logged(/Farm started/)
    return one
  }

  /** Requeues everything for workers that have done all that was requested. */
  const keepBusy = async (): Promise<void> => {
    const { rowCount } = await database.pool.query(`
      (select 1 from app.worker_leases where status <> 'done' limit 1) union all
      (select 1 from app.backfill_requests where finished_at is null limit 1)`)
    if (rowCount === 0)
      await addRederiveRequest(
        database.pool,
        workers,
        workers.map(({ name }) => name),
        { from: 0, to: last + 1 },
      )
  }

  it('a stalled process commits nothing for ranges completed by another', async () => {
    const wide = { LIVE_DERIVERS_CHUNK: '10', HISTORY_DERIVERS_CHUNK: '10' }
    const coordinating = await start(wide)
    await waitForCoordinator(database)
    // Ranges are claimed and cannot be read.
    const held = await lockTable(database, 'raw.events', 'access exclusive')
    const stopped = await start(wide)
    const claimed = await waitForHeldLeases(database, stopped.pid)
    stopped.child.kill('SIGSTOP')
    await held.release()
    await chain.untilDerived(database)
    expect(await chain.differences(database)).to.deep.equal([])
    const written = await chain.writes(database)

    stopped.child.kill('SIGCONT')
    await stopped.logged(/Range not committed/)
    expect(await stopped.end('SIGTERM')).to.equal(0)
    const outcomes = stopped.log.filter(
      ({ msg, from }) => msg === 'Range not committed' && claimed.includes(from as number),
    )
    expect(outcomes).to.not.deep.equal([])
    for (const { outcome } of outcomes) expect(outcome).to.be.oneOf(['fenced', 'released'])
    expect(await chain.writes(database)).to.deep.equal(written)
    expect(await coordinating.end('SIGTERM')).to.equal(0)
  })

  it('a killed process is replaced in less than 8 s without lost or duplicate rows', async () => {
    await Promise.all([start(), start(), start(), start()])
    // Replacements start meanwhile.
    const victims = started.slice()
    for (const victim of victims) {
      await waitUntil(database, async () => {
        if ((await activeOf(database, victim.pid)).length > 0) return true
        await keepBusy()
        return false
      })
      await victim.end('SIGKILL')
      const killedAt = new Stopwatch()
      const replacement = start()
      await waitUntil(database, async () => (await activeOf(database, victim.pid)).length === 0)
      await killedAt.expectBelow(8000)
      await replacement
    }
    await chain.untilDerived(database)
    expect(await chain.differences(database)).to.deep.equal([])
  })

  it('a process releases its ranges on SIGTERM and exits with 0 within 10 s', async () => {
    const one = await start()
    await waitUntil(database, async () => (await activeOf(database, one.pid)).length > 0)
    const startedAt = new Stopwatch()
    expect(await one.end('SIGTERM'), one.output()).to.equal(0)
    await startedAt.expectBelow(10_000)
    expect(await activeOf(database, one.pid), one.output()).to.deep.equal([])
    await start()
    await chain.untilDerived(database)
    expect(await chain.differences(database)).to.deep.equal([])
  })

  it('another process coordinates within 8 s after the coordinator is killed', async () => {
    // Far more ranges than are allocated at a time.
    const first = await start({ LIVE_DERIVERS_CHUNK: '1', HISTORY_DERIVERS_CHUNK: '1' })
    await waitForCoordinator(database)
    const second = await start()
    await second.logged(/Another process coordinates/)
    const {
      rows: [now],
    } = await database.pool.query<{ at: Date }>('select clock_timestamp() as at')
    await first.end('SIGKILL')
    const killedAt = new Stopwatch()
    await waitUntil(database, async () => {
      const { rowCount } = await database.pool.query('select 1 from app.worker_leases where created_at > $1 limit 1', [
        now?.at,
      ])
      return rowCount === 1
    })
    await killedAt.expectBelow(8000)
    await chain.untilDerived(database)
    expect(await chain.differences(database)).to.deep.equal([])
    expect(await second.end('SIGTERM')).to.equal(0)
  })
})
