import { expect } from 'chai'
import type { PoolClient } from 'pg'
import { createEmptyDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { FatalError, RetryableError } from '../errors.ts'
import { copyInto, copyTables } from './copy-into.ts'
import { CopyWriter } from './copy-writer.ts'

describe('copyInto', () => {
  let db: TestDatabase
  before(async () => {
    db = await createEmptyDatabase()
    await db.pool.query('CREATE SCHEMA "Odd Name"; CREATE TABLE "Odd Name".t (id int4 PRIMARY KEY, body text)')
  })
  beforeEach(() => db.pool.query('TRUNCATE "Odd Name".t'))
  after(() => db.drop())

  function rowsOf(count: number, bodyLength: number): CopyWriter {
    const rows = new CopyWriter()
    for (let id = 0; id < count; id++) {
      rows.row(2)
      rows.int4(id)
      rows.text('x'.repeat(bodyLength))
    }
    return rows
  }

  async function withClient<T>(fn: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await db.pool.connect()
    try {
      return await fn(client)
    } finally {
      client.release()
    }
  }

  const copy = (client: PoolClient, rows: CopyWriter | Buffer | Buffer[]): Promise<number> =>
    copyInto(client, 'Odd Name.t', ['id', 'body'], rows)

  it('stores data larger than one message, including a row longer than a message', async () => {
    const rows = rowsOf(3, 300_000)
    expect(await withClient((client) => copy(client, rows))).to.equal(3)
    const { rows: stored } = await db.pool.query('SELECT sum(length(body))::int AS sum FROM "Odd Name".t')
    expect(stored).to.deep.equal([{ sum: 900_000 }])
  })

  it('stores buffers of all sizes in order', async () => {
    const sizes = [1, 1, 20_000, 1, 300_000, 5000, 5000, ...Array<number>(100).fill(4000), 9000, 1]
    const rows = new CopyWriter()
    const starts = sizes.map((size, id) => {
      const start = rows.out.position
      rows.row(2)
      rows.int4(id)
      rows.text(String(id % 10).repeat(size))
      return start
    })
    const pieces = starts.map((start, i) => rows.out.bytes.subarray(start, starts[i + 1] ?? rows.out.position))
    expect(await withClient((client) => copy(client, pieces))).to.equal(sizes.length)
    const { rows: stored } = await db.pool.query<{ id: number; size: number; isRight: boolean }>(
      `SELECT id, length(body) AS size, body = repeat((id % 10)::text, length(body)) AS "isRight" FROM "Odd Name".t ORDER BY ctid`,
    )
    expect(stored).to.deep.equal(sizes.map((size, id) => ({ id, size, isRight: true })))
  })

  it('accepts a buffer, a list of buffers, and no data', async () => {
    const whole = Buffer.from(rowsOf(2, 1).out.view())
    const [first, second] = [whole.subarray(0, whole.length / 2), whole.subarray(whole.length / 2)]
    await withClient(async (client) => {
      expect(await copy(client, whole)).to.equal(2)
      await client.query('TRUNCATE "Odd Name".t')
      expect(await copy(client, [first, second])).to.equal(2)
      expect(await copy(client, [])).to.equal(0)
      expect(await copy(client, new CopyWriter())).to.equal(0)
    })
  })

  it('leaves the client usable after a rejected row, and names the violated constraint', async () => {
    await withClient(async (client) => {
      for (const rows of [rowsOf(2, 1), rowsOf(2000, 1000)]) {
        await copy(client, rowsOf(1, 1))
        const failure = await copy(client, rows).catch((error: unknown) => error)
        expect(failure).to.be.instanceOf(FatalError)
        expect((failure as FatalError).details).to.include({ sqlState: '23505' })
        await client.query('TRUNCATE "Odd Name".t')
      }
      const missing = await copyInto(client, 'nowhere', ['id'], rowsOf(2000, 1000)).catch((error: unknown) => error)
      expect((missing as FatalError).details).to.include({ sqlState: '42P01' })
      expect(await copy(client, rowsOf(2, 1))).to.equal(2)
    })
  })

  it('stores rows of several tables in one transaction, and nothing if one is rejected', async () => {
    await db.pool.query('CREATE TABLE other (LIKE "Odd Name".t INCLUDING ALL)')
    await withClient(async (client) => {
      const tables = [
        { table: 'Odd Name.t', columns: ['id', 'body'], rows: rowsOf(2, 300_000) },
        { table: 'other', columns: ['id', 'body'], rows: rowsOf(3, 1) },
      ]
      expect(await copyTables(client, tables, 'begin')).to.equal(5)
      await client.query('COMMIT')
      for (const again of [tables, tables.toReversed()]) {
        const failure = await copyTables(client, again, 'begin').catch((error: unknown) => error)
        expect((failure as FatalError).details).to.include({ sqlState: '23505' })
        await client.query('ROLLBACK')
      }
      const { rows } = await client.query<{ count: number }>('SELECT count(*)::int FROM other')
      expect(rows).to.deep.equal([{ count: 3 }])
    })
  })

  it('fails as retryable if the connection is lost during the COPY', async () => {
    const client = await db.pool.connect()
    const other = await db.pool.connect()
    try {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
      // The lock blocks the COPY until its connection is terminated.
      await other.query('BEGIN; LOCK TABLE "Odd Name".t')
      const copying = copy(client, rowsOf(20_000, 1000)).catch((error: unknown) => error)
      await other.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid])
      const failure = await copying
      expect(failure).to.be.instanceOf(RetryableError)
      expect((failure as RetryableError).code).to.equal('database-connection-lost')
    } finally {
      await other.query('ROLLBACK')
      other.release()
      client.release(true)
    }
  })
})
