import { expect } from 'chai'
import { sql } from 'slonik'
import { z } from 'zod'
import { createTestDatabase } from '../../../test/support/database.ts'
import { createReadPool, shapedStatement } from './slonik.ts'

describe('typed read pool', () => {
  it('respects its minimum and maximum number of connections', async () => {
    const database = await createTestDatabase()
    const pool = await createReadPool({ url: database.url, maxConnections: 3, minConnections: 2 })
    try {
      await Promise.all(Array.from({ length: 12 }, () => pool.query(sql.unsafe`select pg_sleep(0.05)`)))
      const { acquiredConnections, idleConnections } = pool.state()
      expect(acquiredConnections).to.equal(0)
      expect(idleConnections).to.be.within(2, 3)
      const { rows } = await database.pool.query<{ n: number }>(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`,
      )
      expect(rows[0]?.n).to.be.within(2, 3)
    } finally {
      await pool.end()
      await database.drop()
    }
  })
})

describe('shaped statements', () => {
  it('are built once for each set of given values', async () => {
    let built = 0
    interface Values {
      readonly first: number
      readonly second?: number | undefined
    }
    const sumRow = z.object({ sum: z.number() })
    const sum = shapedStatement<Values, typeof sumRow>({ first: 'int8', second: 'int4' }, ({ first, second }) => {
      built++
      return sql.prepared('sum', sumRow)`select ${first} + ${second ?? sql.fragment`0`} as sum`
    })
    const database = await createTestDatabase()
    const pool = await createReadPool({ url: database.url })
    try {
      const sums: number[] = []
      for (const values of [
        { first: 1 },
        { first: 2, second: 5 },
        { first: 3, second: undefined },
        { first: 4, second: 0 },
      ])
        sums.push((await pool.one(sum(values))).sum)
      expect(sums).to.deep.equal([1, 7, 3, 4])
      expect(built).to.equal(2)
    } finally {
      await pool.end()
      await database.drop()
    }
  })
})
