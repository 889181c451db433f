import { expect } from 'chai'
import { createTestDatabase } from '../../support/database.ts'

describe('unlogged tables', () => {
  it('hold only rate limit counters, challenges and requests of devices', async () => {
    const database = await createTestDatabase()
    try {
      const { rows } = await database.pool.query<{ name: string }>(
        `select oid::regclass::text as name from pg_class where relpersistence = 'u' and relkind = 'r' and relnamespace::regnamespace::text in ('wallet', 'wallet_auth') order by 1`,
      )
      expect(rows.map(({ name }) => name)).to.deep.equal([
        'wallet.challenges',
        'wallet.device_requests',
        'wallet_auth.rate_limits',
      ])
    } finally {
      await database.drop()
    }
  })
})
