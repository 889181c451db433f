import { expect } from 'chai'
import type { PoolClient } from 'pg'
import { createEmptyDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { FatalError, RetryableError } from '../errors.ts'
import { failedStatement, isConnectionLost } from './errors.ts'
import { runBatch } from './statement-batch.ts'
import type { BatchStatement } from './statement-batch.ts'

describe('a batch of statements', () => {
  let db: TestDatabase
  let client: PoolClient

  before(async () => {
    db = await createEmptyDatabase()
    await db.pool.query('create table t (id int primary key, body text)')
  })
  beforeEach(async () => {
    await db.pool.query('truncate t')
    client = await db.pool.connect()
    await client.query('begin')
  })
  afterEach(async () => {
    await client.query('rollback').catch(() => undefined)
    client.release(true)
  })
  after(() => db.drop())

  const add = (id: string, body = 'a'): BatchStatement => ({
    name: 'add',
    text: 'insert into t values ($1, $2)',
    values: [id, body],
  })
  const count: BatchStatement = { name: 'count', text: "select count(*), null, '{}'::int[] from t" }
  const errorOf = (statements: readonly BatchStatement[], ms?: number): Promise<unknown> =>
    runBatch(client, statements, ms).catch((error: unknown) => error)

  it('returns the rows of each statement, which see what earlier ones did', async () => {
    expect(await runBatch(client, [count, add('1'), add('2'), count])).to.deep.equal([
      [['0', null, '{}']],
      [],
      [],
      [['2', null, '{}']],
    ])
    expect(await runBatch(client, [])).to.deep.equal([])
    expect((await client.query('select id from t order by id')).rows).to.deep.equal([{ id: 1 }, { id: 2 }])
  })

  it('prepares a name again when its text changes, also after a failure', async () => {
    const named = (text: string): BatchStatement => ({ name: 'same', text })
    expect(await runBatch(client, [named('select 1'), named('select 2')])).to.deep.equal([[['1']], [['2']]])
    expect(await errorOf([named('select 3 / 0')])).to.be.instanceOf(FatalError)
    await client.query('rollback')
    await client.query('begin')
    expect(await runBatch(client, [named('select 2')])).to.deep.equal([[['2']]])
  })

  it('names the statement that failed, and is usable after a rollback', async () => {
    for (const bad of [add('1'), { name: 'typo', text: 'select nothing' }, { ...add('x'), name: 'add' }]) {
      const error = await errorOf([add('1'), count, bad, { name: 'late', text: 'insert into t values (9)' }])
      expect(error).to.be.instanceOf(FatalError)
      expect(failedStatement(error)).to.equal(2)
      await client.query('rollback')
      await client.query('begin')
      expect(await runBatch(client, [count, { name: 'late', text: 'insert into t values (9)' }, count])).to.deep.equal([
        [['0', null, '{}']],
        [],
        [['1', null, '{}']],
      ])
      await client.query('rollback')
      await client.query('begin')
    }
  })

  it('commits only if all statements succeed', async () => {
    const commit = { name: 'commit', text: 'commit' }
    await errorOf([add('1'), add('1'), commit])
    await client.query('rollback')
    await client.query('begin')
    expect((await runBatch(client, [count, add('1'), commit]))[0]).to.deep.equal([['0', null, '{}']])
    expect((await db.pool.query('select id from t')).rows).to.deep.equal([{ id: 1 }])
  })

  it('limits the time of each statement, not of the batch', async () => {
    const sleep = { name: 'sleep', text: 'select pg_sleep(0.2)' }
    expect(
      await runBatch(
        client,
        Array.from({ length: 4 }, () => sleep),
        700,
      ),
    ).to.have.length(4)
    const error = await errorOf([add('1'), { name: 'long', text: 'select pg_sleep(60)' }], 300)
    expect(error).to.be.instanceOf(RetryableError)
    expect(isConnectionLost(error)).to.equal(true)
    expect(failedStatement(error)).to.equal(1)
    // The rollback waits for it.
    const { rowCount } = await db.pool.query(`
      select pg_cancel_backend(pid) from pg_stat_activity
      where datname = current_database() and query = 'select pg_sleep(60)'`)
    expect(rowCount).to.equal(1)
  })
})
