import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'chai'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { untilLockWait } from '../../support/lock-wait.ts'
import { loopback, runHooks } from '../../webhooks/support/hook-world.ts'
import type { RunningHooks } from '../../webhooks/support/hook-world.ts'
import { startReceiver } from '../../webhooks/support/receiver.ts'
import type { Receiver } from '../../webhooks/support/receiver.ts'
import type { RunResult } from '../../../src/assistant/query/alerts/alert-store.ts'
import { runAsk } from './support/running-ask.ts'
import type { RunningAsk } from './support/running-ask.ts'

const variables = { WEBHOOK_ALLOWED_NETWORKS: loopback.join(',') }
const price = 'SELECT price FROM app.prices'
const isAbove = { kind: 'compare', operator: '>', number: '5' }

describe('alerts', () => {
  let db: TestDatabase
  let receiver: Receiver
  let hooks: RunningHooks
  let secrets: Map<string, string>
  const running: RunningAsk[] = []
  /** Results of all runs, in order, and who waits for one. */
  let results: RunResult[]
  let waiting: (() => void)[]
  before(async () => {
    db = await createTestDatabase()
  })
  beforeEach(async () => {
    await db.pool.query(`TRUNCATE app.alerts CASCADE; TRUNCATE app.prices;
      INSERT INTO app.prices (token, currency, price_time, price) VALUES ('A.1', 'usd', '2026-01-01', 1)`)
    results = []
    waiting = []
    secrets = new Map()
    receiver = await startReceiver({ secrets })
    hooks = await runHooks(db.url)
  })
  afterEach(async () => {
    for (const ask of running.splice(0)) await ask.stop()
    await hooks.stop()
    await receiver.stop()
  })
  after(() => db.drop())

  const onRun = (result: RunResult): void => {
    results.push(result)
    for (const wake of waiting.splice(0)) wake()
  }

  async function start(): Promise<RunningAsk> {
    const ask = await runAsk(db, variables)
    running.push(ask)
    return ask
  }

  /** Its first run waits for `runAll`. Call before `startAlerts`. */
  async function create(ask: RunningAsk, path: string, fields: object = {}): Promise<string> {
    const alert = { name: path, sql: price, condition: isAbove, url: `${receiver.url}/${path}`, ...fields }
    const { status, body } = await ask.post<{ id: string; secret: string }>('/api/v1/alerts', alert)
    expect(status, JSON.stringify(body)).to.equal(200)
    secrets.set(`/${path}`, body.secret)
    await db.pool.query(`UPDATE app.alerts SET next_run_at = now() + interval '1 hour'`)
    return body.id
  }

  const setPrice = (value: string): Promise<unknown> => db.pool.query('UPDATE app.prices SET price = $1', [value])

  /** Makes all alerts due and resolves when each ran. */
  async function runAll(count = 1): Promise<RunResult[]> {
    const before = results.length
    await db.pool.query(`UPDATE app.alerts SET next_run_at = now() - interval '1 second'`)
    while (results.length < before + count) await new Promise<void>((resolve) => waiting.push(resolve))
    return results.slice(before)
  }

  it('fire once when the condition becomes true, with a signed delivery', async () => {
    const ask = await start()
    const id = await create(ask, 'price')
    ask.startAlerts(onRun)
    expect(await runAll()).to.deep.equal(['not_met'])
    await setPrice('7.25')
    expect(await runAll()).to.deep.equal(['fired'])
    expect(await runAll()).to.deep.equal(['met'])
    await setPrice('5')
    expect(await runAll()).to.deep.equal(['not_met'])
    await setPrice('5.000000001')
    expect(await runAll()).to.deep.equal(['fired'])
    await receiver.until((received) => received.length === 2)
    expect(receiver.problems).to.deep.equal([])
    expect(receiver.received.map(({ body }) => [body.type, body.data])).to.deep.equal(
      ['7.25', '5.000000001'].map((value) => [
        'query.alert',
        {
          alert_id: id,
          name: 'price',
          question: '',
          condition: isAbove,
          value,
          columns: ['price'],
          results: [{ price: value }],
          row_count: 1,
          truncated: false,
        },
      ]),
    )
    const { body } = await ask.get<{ runs: { has_fired: boolean; value: string }[] }>(`/api/v1/alerts/${id}`)
    expect(body.runs.map((run) => [run.value, run.has_fired])).to.deep.equal([
      ['5.000000001', true],
      ['5', false],
      ['7.25', false],
      ['7.25', true],
      ['1', false],
    ])
  })

  it('run with their parameters, which are bound', async () => {
    const ask = await start()
    const [name, value] = ['floor', `5' OR true --`]
    const sql = `SELECT count(*) FROM app.prices WHERE price > {{floor}} AND {{other}} = 'x'' {{not}}'`
    const other = { name: 'other', type: 'text', value: `x' {{not}}` }
    const parameters = [{ name, type: 'number', value: '5' }, other]
    const condition = { kind: 'compare', operator: '>', number: '0' }
    const id = await create(ask, 'parameters', { sql, parameters, condition })
    ask.startAlerts(onRun)
    expect(await runAll()).to.deep.equal(['not_met'])
    await setPrice('7')
    expect(await runAll()).to.deep.equal(['fired'])
    const { body } = await ask.get<{ alert: object }>(`/api/v1/alerts/${id}`)
    expect(body.alert).to.deep.include({ sql, parameters })
    for (const [refused, field] of [
      [[other], 'parameters'],
      [[{ name, type: 'number', value }, other], 'parameters[0].value'],
      [Array.from({ length: 21 }, () => other), 'parameters'],
    ] as const) {
      const alert = { name: 'p', sql, parameters: refused, condition, url: `${receiver.url}/p` }
      expect((await ask.post('/api/v1/alerts', alert)).body).to.include({ status: 400, field })
    }
  })

  it('fire again after the hours of the owner', async () => {
    const ask = await start()
    await create(ask, 'repeated', { condition: { kind: 'rows' }, repeat_hours: 2 })
    ask.startAlerts(onRun)
    const passHours = (hours: number): Promise<unknown> =>
      db.pool.query('UPDATE app.alerts SET last_fired_at = last_fired_at - make_interval(hours => $1)', [hours])
    expect(await runAll()).to.deep.equal(['fired'])
    await passHours(1)
    expect(await runAll()).to.deep.equal(['met'])
    await passHours(1)
    expect(await runAll()).to.deep.equal(['fired'])
  })

  it('fire for each change of a value', async () => {
    const ask = await start()
    await create(ask, 'changes', { condition: { kind: 'changed' } })
    ask.startAlerts(onRun)
    const seen: RunResult[] = []
    for (const value of ['1', '2', '2', '1']) {
      await setPrice(value)
      seen.push(...(await runAll()))
    }
    expect(seen).to.deep.equal(['not_met', 'fired', 'not_met', 'fired'])
  })

  it('of several processes fire once per change', async () => {
    const processes = [await start(), await start(), await start()]
    const [first] = processes
    if (first === undefined) throw new Error('no process')
    const alerts = 6
    for (let i = 0; i < alerts; i++) await create(first, `of-${i}`)
    // Owners take turns within a process, so give each alert an owner.
    await db.pool.query('UPDATE app.alerts SET owner = id')
    for (const ask of processes) ask.startAlerts(onRun)
    for (let round = 1; round <= 4; round++) {
      await setPrice('9')
      expect(await runAll(alerts)).to.deep.equal(Array.from({ length: alerts }, () => 'fired'))
      await setPrice('1')
      await runAll(alerts)
    }
    await receiver.until((received) => received.length >= alerts * 4)
    const { rows } = await db.pool.query('SELECT 1 FROM app.webhook_deliveries WHERE event_type = $1', ['query.alert'])
    expect(new Set(receiver.received.map(({ id }) => id)).size).to.equal(alerts * 4)
    expect(rows.length).to.be.at.least(alerts * 4)
  })

  it('survive a killed process, which neither loses nor repeats a firing', async () => {
    const ask = await start()
    await create(ask, 'killed')
    await setPrice('9')
    const blocking = await db.pool.connect()
    try {
      const child = spawn(process.execPath, [join(import.meta.dirname, 'support/alerts-process.ts'), db.url], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await once(child.stdout, 'data')
      await blocking.query('BEGIN; LOCK TABLE app.prices IN ACCESS EXCLUSIVE MODE')
      await db.pool.query(`UPDATE app.alerts SET next_run_at = now() - interval '1 second'`)
      await untilLockWait(db)
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
      ask.startAlerts(onRun)
      // Its lease protects the run until it expires.
      const { rows } = await db.pool.query<{ left: number }>(
        'SELECT extract(epoch FROM leased_until - now())::float8 AS left FROM app.alerts',
      )
      expect(rows[0]?.left).to.be.within(1, 70)
      await db.pool.query('UPDATE app.alerts SET leased_until = now()')
      await blocking.query('COMMIT')
    } finally {
      blocking.release()
    }
    await receiver.until((received) => received.length === 1)
    expect(await runAll()).to.not.include('fired')
    expect(receiver.received).to.have.length(1)
  })

  it('store no result of a run that was taken over, paused or deleted', async () => {
    const ask = await start()
    const id = await create(ask, 'stale')
    await setPrice('9')
    const blocking = await db.pool.connect()
    const untilRunning = async (): Promise<void> => {
      await blocking.query('BEGIN; LOCK TABLE app.prices IN ACCESS EXCLUSIVE MODE')
      await db.pool.query(`UPDATE app.alerts SET next_run_at = now() - interval '1 second'`)
      await untilLockWait(db)
    }
    const untilResult = async (): Promise<RunResult | undefined> => {
      const ended = new Promise<void>((resolve) => waiting.push(resolve))
      await blocking.query('COMMIT')
      await ended
      return results.at(-1)
    }
    try {
      ask.startAlerts(onRun)
      await untilRunning()
      await db.pool.query(`UPDATE app.alerts SET generation = generation + 1, next_run_at = now() + interval '1 hour'`)
      expect(await untilResult()).to.equal('lost')
      await db.pool.query(`UPDATE app.alerts SET leased_until = NULL`)
      await untilRunning()
      await ask.post(`/api/v1/alerts/${id}/pause`, {})
      expect(await untilResult()).to.equal('lost')
      await ask.post(`/api/v1/alerts/${id}/resume`, {})
      while (results.length < 3) await new Promise<void>((resolve) => waiting.push(resolve))
      expect(results[2]).to.equal('fired')
      await untilRunning()
      await ask.fetch(`/api/v1/alerts/${id}`, { method: 'DELETE' })
      expect(await untilResult()).to.equal('lost')
    } finally {
      blocking.release()
    }
  })

  it('pause after failures of the statement, and when the operator deletes the endpoint', async () => {
    const ask = await start()
    const id = await create(ask, 'failing')
    ask.startAlerts(onRun)
    await db.pool.query(`UPDATE app.alerts SET sql = 'SELECT token FROM app.prices'`)
    for (let run = 1; run <= 5; run++) expect(await runAll()).to.deep.equal(['failed'])
    const read = async (): Promise<Record<string, unknown>> =>
      (await ask.get<{ alert: Record<string, unknown> }>(`/api/v1/alerts/${id}`)).body.alert
    const failing = await read()
    expect(failing).to.include({ state: 'paused', paused_reason: 'failures', failures: 5 })
    expect(failing['last_error']).to.equal('The value is not a number ("A.1"). Select a number as the first column.')
    await db.pool.query('UPDATE app.alerts SET sql = $1', [price])
    await db.pool.query('DELETE FROM app.webhook_endpoints')
    await setPrice('9')
    await ask.post(`/api/v1/alerts/${id}/resume`, {})
    while (results.length < 6) await new Promise<void>((resolve) => waiting.push(resolve))
    expect(await read()).to.include({ state: 'paused', paused_reason: 'webhook', failures: 0 })
  })

  it('with slow statements delay neither users, nor other owners, nor run twice at once', async () => {
    const ask = await runAsk(db, { ...variables, ASK_CONCURRENCY: '3', QUERY_TIMEOUT_S: '1' })
    running.push(ask)
    for (let i = 0; i < 10; i++) await create(ask, `slow-${i}`)
    await db.pool.query(
      `UPDATE app.alerts SET owner = 'slow ' || right(name, 1)::int % 2, last_run_at = now() - interval '1 minute'`,
    )
    const quick = await create(ask, 'quick', { sql: 'SELECT 7 AS n' })
    await db.pool.query(
      `UPDATE app.alerts SET owner = 'quick', last_run_at = now() - interval '30 seconds' WHERE id = $1`,
      [quick],
    )
    await db.pool.query(
      `UPDATE app.alerts SET next_run_at = now() - CASE WHEN id = $1 THEN interval '1 second' ELSE interval '1 hour' END`,
      [quick],
    )
    const blocking = await db.pool.connect()
    try {
      await blocking.query('BEGIN; LOCK TABLE app.prices IN ACCESS EXCLUSIVE MODE')
      ask.startAlerts(onRun)
      await untilLockWait(db)
      expect((await ask.post<{ row_count: number }>('/api/v1/run_sql', { sql: 'SELECT 1' })).body.row_count).to.equal(1)
      expect(results, 'before a slow one ended').to.deep.equal([])
      await db.pool.query(`UPDATE app.alerts SET next_run_at = now() - interval '2 hours' WHERE leased_until > now()`)
      while (!results.includes('fired')) await new Promise<void>((resolve) => waiting.push(resolve))
      expect(results.indexOf('fired'), results.join(' ')).to.be.at.most(2)
      const { rows } = await db.pool.query<{ runs: number }>('SELECT max(generation)::int AS runs FROM app.alerts')
      expect(rows[0]?.runs).to.equal(1)
    } finally {
      await blocking.query('ROLLBACK')
      blocking.release()
    }
  })

  it('keep 50 runs', async () => {
    const ask = await start()
    const id = await create(ask, 'history')
    await db.pool.query(
      `INSERT INTO app.alert_runs (alert_id, run, duration_ms, has_fired) SELECT $1, n, 1, false FROM generate_series(-70, -1) AS n`,
      [id],
    )
    ask.startAlerts(onRun)
    await runAll()
    const { rows } = await db.pool.query('SELECT 1 FROM app.alert_runs')
    expect(rows).to.have.length(50)
  })
})
