import { expect } from 'chai'
import { pino } from 'pino'
import { Dispatcher } from '../../src/webhooks/dispatcher.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { commitTransfers, makeOwner, subscribe } from './support/hook-world.ts'

describe('the webhook dispatcher', () => {
  let database: TestDatabase
  let stop: AbortController
  let running: Promise<void>
  let onMade: (count: number) => void

  beforeEach(async () => {
    database = await createTestDatabase()
    await commitTransfers(database, 0, [[]])
    stop = new AbortController()
    const dispatcher = new Dispatcher({
      databaseUrl: database.url,
      pool: database.pool,
      log: pino({ level: 'silent' }),
      signal: stop.signal,
      onMade: (count) => onMade(count),
      pollMs: 2 ** 31 - 1,
    })
    running = dispatcher.run()
  })
  afterEach(async () => {
    stop.abort()
    await running
    await database.drop()
  })

  it('is woken by new blocks, also after it had no subscription', async () => {
    const owner = await makeOwner(database)
    await subscribe(database, owner, 'https://example.com/hook')
    for (const height of [1, 2, 3]) {
      const made = new Promise<number>((resolve) => (onMade = resolve))
      await commitTransfers(database, height, [[{ amount: '1' }]])
      expect(await made).to.equal(1)
    }
  })
})
