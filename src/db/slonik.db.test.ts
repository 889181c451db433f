import { expect } from 'chai'
import { SchemaValidationError, sql, StatementTimeoutError } from 'slonik'
import type { DatabasePool } from 'slonik'
import { z } from 'zod'
import { createTestDatabase } from '../../test/support/database.ts'
import type { TestDatabase } from '../../test/support/database.ts'
import { startHalfOpenProxy } from '../../test/support/half-open-proxy.ts'
import { createReadPool } from './slonik.ts'

describe('createReadPool', () => {
  let database: TestDatabase
  let reads: DatabasePool

  before(async () => {
    database = await createTestDatabase()
    reads = await createReadPool({ url: database.url, statementTimeoutMs: 300, answerGraceMs: 300 })
  })

  after(async () => {
    await reads.end()
    await database.drop()
  })

  it('gives heights as numbers and times as ISO text in UTC, whatever the zone of the session', async () => {
    const row = z.object({ height: z.number(), heights: z.array(z.number()), time: z.string(), whole: z.string() })
    expect(await reads.one(sql.type(row)`
      select 9007199254740991::int8 as height, '{1,2}'::int8[] as heights,
        timestamptz '2025-06-01 12:00:00.123456+05:30' as time, timestamptz '2025-06-01 12:00:00+02' as whole
    `)).to.deep.equal({
      height: Number.MAX_SAFE_INTEGER, heights: [1, 2], time: '2025-06-01T06:30:00.123Z',
      whole: '2025-06-01T10:00:00.000Z',
    })
  })

  it('refuses numbers that would lose digits', async () => {
    const tooBig = sql.type(z.object({ n: z.number() }))`select 9007199254740993::int8 as n`
    const failure = await failureOf(reads.one(tooBig))
    expect(failure).to.be.instanceOf(RangeError)
  })

  it('checks rows against the schema of their query', async () => {
    const failure = await failureOf(reads.one(sql.type(z.object({ height: z.string() }))`select 1::int8 as height`))
    expect(failure).to.be.instanceOf(SchemaValidationError)
  })

  it('ends statements that take too long', async () => {
    expect(await failureOf(reads.any(sql.unsafe`select pg_sleep(5)`))).to.be.instanceOf(StatementTimeoutError)
  })

  it('gives a connection up that does not answer any more, and makes a new one', async () => {
    const proxy = await startHalfOpenProxy(database.url)
    const limits = { maxConnections: 1, statementTimeoutMs: 200, answerGraceMs: 100 }
    const behind = await createReadPool({ url: proxy.url, ...limits })
    await behind.any(sql.unsafe`select 1`)
    proxy.freeze()
    const failure = await failureOf(behind.any(sql.unsafe`select 1`))
    expect(String(failure)).to.include('no answer from the database within 300 ms')
    proxy.thaw()
    expect(await behind.oneFirst(sql.type(z.object({ one: z.number() }))`select 1 as one`)).to.equal(1)
    await behind.end()
    await proxy.close()
  })
})

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise.then(() => 'no failure')
  } catch (error) {
    return error
  }
}
