import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { createTestDatabase } from '../../../test/support/database.ts'
import type { TestDatabase } from '../../../test/support/database.ts'
import { FatalError, RetryableError } from '../errors.ts'
import { PreparedStatements } from './prepared-statements.ts'

describe('prepared statements', () => {
  let database: TestDatabase
  let statements: PreparedStatements

  beforeEach(async () => {
    database = await createTestDatabase({ max: 2 })
    await database.pool.query('create table written (n int4 primary key check (n > 0))')
    statements = new PreparedStatements(database.url, { max: 2, depth: 4, idleTimeoutMs: 60_000 })
  })

  afterEach(async () => {
    await statements.end()
    await database.drop()
  })

  const write = (n: number): Promise<unknown> =>
    statements.query({ name: 'write', text: 'insert into written values ($1)', values: [n] })
  const written = async (): Promise<readonly number[]> =>
    (await database.pool.query<{ n: number }>('select n from written order by n')).rows.map(({ n }) => n)

  it('are separate transactions: a failing write does not roll back those sent with it', async () => {
    const results = await Promise.allSettled([write(1), write(2), write(0), write(2), write(3)])
    expect(results.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ])
    for (const result of results) if (result.status === 'rejected') expect(result.reason).to.be.instanceOf(FatalError)
    expect(await written()).to.deep.equal([1, 2, 3])
  })

  it('return the number of affected rows', async () => {
    await write(1)
    expect(
      (await statements.query({ name: 'remove', text: 'delete from written where n <= $1', values: [5] })).rowCount,
    ).to.equal(1)
    expect(
      (await statements.query({ name: 'remove', text: 'delete from written where n <= $1', values: [5] })).rowCount,
    ).to.equal(0)
  })

  it('fill one connection up to its depth before opening another, then use the shortest queue', async () => {
    const [lock, locker] = [4711, await database.pool.connect()]
    try {
      await locker.query('select pg_advisory_lock($1)', [lock])
      const requested = Array.from({ length: 12 }, () =>
        statements.query<{ pid: number }>({
          name: 'locked',
          text: 'select pg_backend_pid() as pid from pg_advisory_xact_lock_shared($1)',
          values: [lock],
        }),
      )
      await locker.query('select pg_advisory_unlock($1)', [lock])
      const pids = (await Promise.all(requested)).map(({ rows: [row] }) => row?.pid)
      const [first, second] = [...new Set(pids)]
      expect(second).to.be.a('number').and.to.not.equal(first)
      expect(pids).to.deep.equal([
        first,
        first,
        first,
        first,
        second,
        second,
        second,
        second,
        first,
        second,
        first,
        second,
      ])
    } finally {
      locker.release()
    }
  })

  it('spread over more connections if responses are slow', async () => {
    const slow = new PreparedStatements(database.url, { max: 2, depth: 16, queueMs: 10, idleTimeoutMs: 60_000 })
    const pids = async (count: number): Promise<number> => {
      const reported = await Promise.all(
        Array.from({ length: count }, () =>
          slow.query<{ pid: number }>({
            name: 'slow',
            text: 'select pg_backend_pid() as pid from pg_sleep(0.02)',
            values: [],
          }),
        ),
      )
      return new Set(reported.map(({ rows: [row] }) => row?.pid)).size
    }
    try {
      expect(await pids(16)).to.equal(1)
      expect(await pids(16)).to.equal(2)
    } finally {
      await slow.end()
    }
  })

  it('run once if their plan must be recreated', async () => {
    const writeAll = (n: number): Promise<{ rows: unknown[] }> =>
      statements.query({ name: 'write all', text: 'insert into written values ($1) returning *', values: [n] })
    expect((await writeAll(1)).rows).to.deep.equal([{ n: 1 }])
    await database.pool.query('alter table written add column m int4 default 5')
    expect((await writeAll(2)).rows).to.deep.equal([{ n: 2, m: 5 }])
    expect(await written()).to.deep.equal([1, 2])
  })

  it('run once if all connections must recreate their plans', async () => {
    await database.pool.query('insert into written values (1)')
    const lock = 4712
    const locker = await database.pool.connect()
    try {
      const read = (): Promise<{ rows: unknown[] }> =>
        statements.query({
          name: 'read all',
          text: 'select written.* from written, pg_advisory_xact_lock_shared($1)',
          values: [lock],
        })
      await locker.query('select pg_advisory_lock($1)', [lock])
      const first = Array.from({ length: 8 }, read)
      await locker.query('select pg_advisory_unlock($1)', [lock])
      await Promise.all(first)
      await locker.query('alter table written add column m int4 default 5')
      expect((await read()).rows).to.deep.equal([{ n: 1, m: 5 }])
    } finally {
      locker.release()
    }
  })

  it('are not queued behind a stalled statement if another connection may be opened', async () => {
    const [lock, locker] = [4713, await database.pool.connect()]
    const deep = new PreparedStatements(database.url, { max: 2, depth: 1000, idleTimeoutMs: 60_000 })
    const requested: Promise<unknown>[] = []
    try {
      await locker.query('select pg_advisory_lock($1)', [lock])
      requested.push(
        deep.query({ name: 'locked', text: 'select from pg_advisory_xact_lock_shared($1)', values: [lock] }),
      )
      const answered = new AbortController()
      while (!answered.signal.aborted) {
        requested.push(
          deep.query({ name: 'one', text: 'select 1 + $1::int', values: [1] }).then(() => answered.abort()),
        )
        // Time must pass: a connection counts as stuck after 100 ms.
        await delay(10)
      }
    } finally {
      await locker.query('select pg_advisory_unlock($1)', [lock])
      locker.release()
      await Promise.all(requested)
      await deep.end()
    }
  })

  it('end when all have completed, even if a connection is closed meanwhile', async () => {
    const all = { name: 'all', text: 'select * from written where n <> $1', values: [0] }
    const locked = (lock: number): Promise<unknown> =>
      statements.query({ name: 'locked', text: 'select from pg_advisory_xact_lock_shared($1)', values: [lock] })
    await statements.query(all)
    await database.pool.query('alter table written add column m int4')
    const [locks, locker] = [[4714, 4715] as const, await database.pool.connect()]
    try {
      for (const lock of locks) await locker.query('select pg_advisory_lock($1)', [lock])
      const [first, failing, last] = [
        locked(locks[0]),
        statements.query(all).catch((error: unknown) => error),
        locked(locks[1]),
      ]
      const ended = statements.end()
      await locker.query('select pg_advisory_unlock($1)', [locks[0]])
      await first
      expect(await failing).to.be.instanceOf(RetryableError)
      await locker.query('select pg_advisory_unlock($1)', [locks[1]])
      await last
      await ended
    } finally {
      locker.release()
    }
  })

  it('use the settings of their session', async () => {
    const set = new PreparedStatements(database.url, { max: 1, idleTimeoutMs: 60_000, settings: { work_mem: '5MB' } })
    try {
      const { rows } = await set.query({
        name: 'settings',
        text: "select name, setting from pg_settings where name in ('work_mem', 'plan_cache_mode') and $1 order by name",
        values: [true],
      })
      expect(rows).to.deep.equal([
        { name: 'plan_cache_mode', setting: 'force_generic_plan' },
        { name: 'work_mem', setting: '5120' },
      ])
    } finally {
      await set.end()
    }
  })

  it('fail when the server stops, and run again when it is back', async () => {
    await write(1)
    const [lock, locker] = [4716, await database.pool.connect()]
    try {
      await locker.query('select pg_advisory_lock($1)', [lock])
      const requested = Array.from({ length: 3 }, () =>
        statements.query({ name: 'locked', text: 'select from pg_advisory_xact_lock_shared($1)', values: [lock] }),
      )
      const settled = Promise.allSettled(requested)
      await locker.query(
        'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      )
      for (const result of await settled)
        expect(result.status === 'rejected' && result.reason).to.be.instanceOf(RetryableError)
      await write(2)
      expect((await locker.query<{ n: number }>('select n from written order by n')).rows).to.deep.equal([
        { n: 1 },
        { n: 2 },
      ])
    } finally {
      locker.release()
    }
  })

  it('fail without a leak warning when many are sent to closed connections', async () => {
    await statements.end()
    statements = new PreparedStatements(database.url, { max: 1, idleTimeoutMs: 60_000 })
    const {
      rows: [backend],
    } = await statements.query<{ pid: number }>({
      name: 'pid',
      text: 'select pg_backend_pid() as pid where $1',
      values: [true],
    })
    const warnings: Error[] = []
    const warned = (warning: Error): void => void warnings.push(warning)
    process.on('warning', warned)
    try {
      process.kill(backend?.pid ?? 0, 'SIGTERM')
      // Within one event loop iteration, so no callback reports the closed connection.
      while (isRunning(backend?.pid ?? 0)) continue
      for (const result of await Promise.allSettled(Array.from({ length: 20 }, () => write(1))))
        expect(result.status === 'rejected' && result.reason).to.be.instanceOf(RetryableError)
      await write(2)
      expect([await written(), warnings]).to.deep.equal([[2], []])
    } finally {
      process.off('warning', warned)
    }
  })
})

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
