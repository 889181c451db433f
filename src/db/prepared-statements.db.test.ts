import { expect } from 'chai'
import { createTestDatabase } from '../../test/support/database.ts'
import type { TestDatabase } from '../../test/support/database.ts'
import { FatalError } from '../base/errors.ts'
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

  const write = (n: number): Promise<unknown> => statements.query({ name: 'write', text: 'insert into written values ($1)', values: [n] })
  const written = async (): Promise<readonly number[]> => (await database.pool.query<{ n: number }>('select n from written order by n')).rows.map(({ n }) => n)

  it('that write are transactions of their own: one that fails takes back nothing of those sent with it', async () => {
    const results = await Promise.allSettled([write(1), write(2), write(0), write(2), write(3)])
    expect(results.map(({ status }) => status)).to.deep.equal(['fulfilled', 'fulfilled', 'rejected', 'rejected', 'fulfilled'])
    for (const result of results) if (result.status === 'rejected') expect(result.reason).to.be.instanceOf(FatalError)
    expect(await written()).to.deep.equal([1, 2, 3])
  })

  it('say how many rows they changed', async () => {
    await write(1)
    expect((await statements.query({ name: 'remove', text: 'delete from written where n <= $1', values: [5] })).rowCount).to.equal(1)
    expect((await statements.query({ name: 'remove', text: 'delete from written where n <= $1', values: [5] })).rowCount).to.equal(0)
  })

  it('fill a connection up to its depth before there is another, and then go where least waits', async () => {
    const [lock, locker] = [4711, await database.pool.connect()]
    try {
      await locker.query('select pg_advisory_lock($1)', [lock])
      const asked = Array.from({ length: 12 }, () => statements.query<{ pid: number }>({
        name: 'locked', text: 'select pg_backend_pid() as pid from pg_advisory_xact_lock_shared($1)', values: [lock],
      }))
      await locker.query('select pg_advisory_unlock($1)', [lock])
      const pids = (await Promise.all(asked)).map(({ rows: [row] }) => row?.pid)
      const [first, second] = [...new Set(pids)]
      expect(second).to.be.a('number').and.to.not.equal(first)
      expect(pids).to.deep.equal([first, first, first, first, second, second, second, second, first, second, first, second])
    } finally {
      locker.release()
    }
  })

  it('are run once where their plan has to be made anew', async () => {
    const writeAll = (n: number): Promise<{ rows: unknown[] }> => statements.query({ name: 'write all', text: 'insert into written values ($1) returning *', values: [n] })
    expect((await writeAll(1)).rows).to.deep.equal([{ n: 1 }])
    await database.pool.query('alter table written add column m int4 default 5')
    expect((await writeAll(2)).rows).to.deep.equal([{ n: 2, m: 5 }])
    expect(await written()).to.deep.equal([1, 2])
  })
})
