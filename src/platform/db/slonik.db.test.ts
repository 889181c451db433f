import { expect } from 'chai'
import { sql } from 'slonik'
import { createTestDatabase } from '../../../test/support/database.ts'
import { createReadPool } from './slonik.ts'

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
