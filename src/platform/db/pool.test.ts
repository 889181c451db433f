import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { pino } from 'pino'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { FatalError, RetryableError, FlowfarmError } from '../errors.ts'
import { retryWhile } from '../retry.ts'
import { checkServerVersion, createPool, logIdleErrors, withTransaction, withRetriedTransaction } from './pool.ts'

describe('pool', () => {
  let db: TestDatabase
  before(async () => {
    db = await createTestDatabase()
    await db.pool.query('CREATE TABLE notes (id int PRIMARY KEY)')
  })
  after(() => db.drop())

  it('accepts the server of the tests', async () => {
    await checkServerVersion(db.pool)
  })

  it('sets a timeout on every operation that can hang', async () => {
    const limits = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']
    for (const limit of limits) {
      const { rows } = await db.pool.query<Record<string, string>>(`SHOW ${limit}`)
      expect(rows[0]?.[limit]).not.to.equal('0')
    }
  })

  it('commits a transaction', async () => {
    const result = await withTransaction(db.pool, async (client) => {
      await client.query('INSERT INTO notes VALUES (1)')
      return 'done'
    })
    expect(result).to.equal('done')
    expect((await db.pool.query('SELECT FROM notes WHERE id = 1')).rowCount).to.equal(1)
  })

  it('rolls back a transaction that throws, and rethrows its error', async () => {
    const mine = new FatalError('mine', 'mine')
    const failure = await withTransaction(db.pool, async (client) => {
      await client.query('INSERT INTO notes VALUES (2)')
      throw mine
    }).catch((error: unknown) => error)
    expect(failure).to.equal(mine)
    expect((await db.pool.query('SELECT FROM notes WHERE id = 2')).rowCount).to.equal(0)
  })

  it('reports a constraint violation as fatal, with its details', async () => {
    const failure = await withTransaction(db.pool, (client) => client.query('INSERT INTO notes VALUES (3), (3)')).catch(
      (error: unknown) => error,
    )
    expect(failure).to.be.instanceOf(FatalError)
    expect((failure as FatalError).details).to.include({ sqlState: '23505', table: 'notes', constraint: 'notes_pkey' })
  })

  it('does not report a transaction as committed if a failed statement was ignored', async () => {
    const failure = await withTransaction(db.pool, (client) =>
      client.query('SELECT 1 / 0').catch(() => undefined),
    ).catch((error: unknown) => error)
    expect(failure).to.have.property('code', 'transaction-aborted')
  })

  it('reports a connection lost in a transaction as retryable and continues on another', async () => {
    const failure = await withTransaction(db.pool, (client) =>
      client.query('SELECT pg_terminate_backend(pg_backend_pid())'),
    ).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(RetryableError)
    expect((failure as RetryableError).code).to.equal('database-connection-lost')
    await withTransaction(db.pool, (client) => client.query('SELECT 1'))
  })

  it('survives and reports the loss of an idle connection', async () => {
    const lost = Promise.withResolvers<Error>()
    const pool = createPool(db.url, { max: 1, onIdleError: lost.resolve })
    const { rows } = await pool.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
    await db.pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
    expect(await lost.promise).to.be.instanceOf(Error)
    expect((await pool.query('SELECT 1')).rowCount).to.equal(1)
    await pool.end()
  })

  it('logs the loss of idle connections once per cause for all pools', async () => {
    const logged: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) })
    const again = pino({ level: 'debug' }, { write: (line: string) => void logged.push(line) })
    const [first, second] = [log, again].map((one) => logIdleErrors(one))
    first?.(new Error('terminating connection 17'))
    second?.(new Error('terminating connection 18'))
    expect(logged.map((line) => (JSON.parse(line) as { level: number }).level)).to.deep.equal([40, 20])
  })

  it('reports an unreachable server as retryable', async () => {
    const pool = createPool('postgresql://flowfarm@%2Fnonexistent:5432/flowfarm')
    const failure = await withTransaction(pool, () => Promise.resolve()).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(RetryableError)
    expect((failure as RetryableError).code).to.equal('database-unreachable')
    await pool.end()
  })

  it('limits the wait for a connection, unless it is patient', async () => {
    const usual = createPool(db.url, { max: 1, connectTimeoutMs: 200 })
    const patient = createPool(db.url, { max: 1, connectTimeoutMs: 60_000, waitsForConnection: true })
    try {
      const [taken, held] = [
        await retryWhile(() => usual.connect(), { isRetryable: () => true }),
        await patient.connect(),
      ]
      const failure = await withTransaction(usual, () => Promise.resolve()).catch((error: unknown) => error)
      expect(failure).to.have.property('code', 'database-unreachable')
      taken.release()
      const waiting = patient.query('SELECT 1')
      expect(patient.waitingCount).to.equal(1)
      held.release()
      expect((await waiting).rowCount).to.equal(1)
    } finally {
      await Promise.all([usual.end(), patient.end()])
    }
  })

  it('gives up on an unresponsive server, even if it is patient', async () => {
    const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const pool = createPool(`postgresql://flowfarm@127.0.0.1:${(silent.address() as AddressInfo).port}/flowfarm`, {
      waitsForConnection: true,
      connectTimeoutMs: 20,
    })
    const failure = await withTransaction(pool, () => Promise.resolve()).catch((error: unknown) => error)
    expect(failure).to.have.property('code', 'database-unreachable')
    await pool.end()
    silent.close()
  })
})

describe('retried transaction', () => {
  let db: TestDatabase
  before(async () => {
    db = await createTestDatabase()
    await db.pool.query('CREATE TABLE counters (name text PRIMARY KEY, value int NOT NULL)')
    await db.pool.query("INSERT INTO counters VALUES ('a', 0), ('b', 0)")
  })
  after(() => db.drop())

  it('restarts after losing a deadlock, and both transactions commit', async () => {
    const locked = Promise.withResolvers<void>()
    let holders = 0
    let runs = 0
    const addToBoth = (first: string, second: string): Promise<void> =>
      withRetriedTransaction(db.pool, async (client) => {
        runs++
        await client.query('UPDATE counters SET value = value + 1 WHERE name = $1', [first])
        if (++holders === 2) locked.resolve()
        await locked.promise
        await client.query('UPDATE counters SET value = value + 1 WHERE name = $1', [second])
      })
    await Promise.all([addToBoth('a', 'b'), addToBoth('b', 'a')])
    expect(runs).to.equal(3)
    expect((await db.pool.query('SELECT value FROM counters')).rows).to.deep.equal([{ value: 2 }, { value: 2 }])
  })

  it('rethrows other errors immediately', async () => {
    for (const thrown of [new RetryableError('database-overloaded', 'full'), new FatalError('mine', 'mine')]) {
      let runs = 0
      const failure = await withRetriedTransaction(db.pool, () => {
        runs++
        return Promise.reject(thrown)
      }).catch((error: unknown) => error)
      expect(failure).to.equal(thrown)
      expect(runs).to.equal(1)
    }
  })

  it('gives up after repeated conflicts', async () => {
    let runs = 0
    const failure = await withRetriedTransaction(db.pool, (client) => {
      runs++
      return client.query("DO $$ BEGIN RAISE EXCEPTION 'conflict' USING errcode = '40001'; END $$")
    }).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(FlowfarmError).with.property('code', 'transaction-conflict')
    expect(runs).to.equal(10)
  })
})
