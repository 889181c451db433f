import { expect } from 'chai'
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts'
import { runAsk, type RunningAsk } from '../support/running-ask.ts'

const slow = { sql: 'SELECT count(*) AS crowding FROM generate_series(1, 100000000000) AS n' }

describe('query service slots per client', () => {
  let db: TestDatabase
  let ask: RunningAsk
  before(async () => {
    db = await createTestDatabase()
    ask = await runAsk(db, { ASK_CONCURRENCY: '2', TRUSTED_PROXIES: '127.0.0.1' })
  })
  after(async () => {
    await ask.stop()
    await db.drop()
  })

  it('do not delay one client by 200 slow statements of another, from any address of its network', async () => {
    const disconnect = new AbortController()
    const crowd = Array.from({ length: 200 }, async (_, index) => {
      const response = await ask.fetch('/api/v1/run_sql', {
        method: 'POST',
        body: JSON.stringify(slow),
        signal: disconnect.signal,
        headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': `2001:db8:1:2::${(index + 1).toString(16)}` },
      })
      return [response.status, response.headers.get('Retry-After')] as const
    })
    // One runs and a hundred queue; the others are rejected.
    expect(await Promise.race(crowd)).to.deep.equal([429, '5'])
    for (const client of ['203.0.113.7', '2001:db8:1:3::1']) {
      const { status } = await ask.post('/api/v1/run_sql', { sql: 'SELECT 1' }, { 'X-Forwarded-For': client })
      expect(status, client).to.equal(200)
    }
    disconnect.abort()
    const outcomes = await Promise.allSettled(crowd)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.lengthOf(99)
  })
})
