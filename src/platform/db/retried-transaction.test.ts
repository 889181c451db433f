import { expect } from 'chai'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { FatalError, FlowfarmError, RetryableError } from '../errors.ts'
import { withRetriedTransaction } from './retried-transaction.ts'

describe('retried transaction', () => {
  let db: TestDatabase
  before(async () => {
    db = await createTestDatabase()
    await db.pool.query('CREATE TABLE counters (name text PRIMARY KEY, value int NOT NULL)')
    await db.pool.query("INSERT INTO counters VALUES ('a', 0), ('b', 0)")
  })
  after(() => db.drop())

  it('is begun anew when it loses a deadlock, and both who met in it get what they asked for', async () => {
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

  it('passes on what is no conflict at once', async () => {
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

  it('gives up when it meets nothing but conflicts', async () => {
    let runs = 0
    const failure = await withRetriedTransaction(db.pool, (client) => {
      runs++
      return client.query("DO $$ BEGIN RAISE EXCEPTION 'conflict' USING errcode = '40001'; END $$")
    }).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(FlowfarmError).with.property('code', 'transaction-conflict')
    expect(runs).to.equal(10)
  })
})
