import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { createPostgresWorkQueue } from '../../src/farm/queues/postgres-work-queue.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { untilLockWait } from '../support/lock-wait.ts'

/** Longer than the timeout for an unresponsive queue. */
const beyondCloseMs = 3000

describe('a consumer closed while it fetches its first job', () => {
  let database: TestDatabase
  before(async () => {
    database = await createTestDatabase()
  })
  after(() => database.drop())

  it('closes after that job has ended', async () => {
    const queue = await createPostgresWorkQueue(database.url, pino({ level: 'silent' }))
    const locker = await database.pool.connect()
    try {
      await queue.add('history', [{ workers: ['w'], starts: [0], generation: 0 }])
      const { rows } = await database.pool.query<{ name: string }>(
        "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = 'bullmq'",
      )
      await locker.query('begin')
      await locker.query(`lock table ${rows.map(({ name }) => name).join(', ')} in access exclusive mode`)
      const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const consumer = await queue.work('history', 1, async () => {
        begun.resolve()
        await end.promise
      })
      await untilLockWait(database)
      const closed = consumer.close().then(() => 'closed')
      await locker.query('commit')
      await begun.promise
      expect(await Promise.race([closed, delay(beyondCloseMs, 'open')])).to.equal('open')
      end.resolve()
      expect(await closed).to.equal('closed')
    } finally {
      locker.release()
      await queue.close()
    }
  })
})
