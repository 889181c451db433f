import { expect } from 'chai'
import { deliveriesPage } from '../../src/webhooks/delivery-store.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { explain, rowsScanned } from '../support/explain.ts'
import { makeOwner, subscribe } from './support/hook-world.ts'

describe('webhook log', () => {
  let database: TestDatabase
  before(async () => {
    database = await createTestDatabase()
  })
  after(async () => {
    await database.drop()
  })

  it('is read by status without scanning other deliveries', async () => {
    const owner = await makeOwner(database)
    const { id } = await subscribe(database, owner, 'http://127.0.0.1:1/')
    await database.pool.query(
      `insert into app.webhook_deliveries (subscription_id, sequence, block_height, event_type, body, status)
       select $1, i, i, 'ft.transfer', '{}', case when i <= 3 then 'dead' when i > 19998 then 'pending' else 'delivered' end from generate_series(1, 20000) i`,
      [id],
    )
    await database.pool.query('analyze app.webhook_deliveries')
    for (const caller of [owner, undefined]) {
      for (const [status, sequences] of [
        ['dead', [3, 2, 1]],
        ['pending', [20000, 19999]],
      ] as const) {
        const statement = deliveriesPage(id, { before: undefined, status, limit: 21 }, caller)
        const { rows } = await database.pool.query<{ sequence: number }>(statement.text, statement.values)
        expect(rows.map(({ sequence }) => sequence)).to.deep.equal(sequences)
        expect(rowsScanned(await explain(database.pool, statement, 'analyze, buffers')), status).to.be.below(50)
      }
    }
  })
})
