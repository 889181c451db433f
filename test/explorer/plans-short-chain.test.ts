import { expect } from 'chai'
import type { DatabasePool } from 'slonik'
import { withQuery } from '../support/skewed/list-case.ts'
import { listCases } from '../support/skewed/list-cases.ts'
import { listFilteredTransactions } from '../../src/explorer/transactions/filters.ts'
import { ensurePartitions } from '../../src/platform/db/partitions.ts'
import { createReadPool } from '../../src/platform/db/slonik.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { readCursors } from '../support/follow-list.ts'
import { maxRowsOf } from '../support/list-bounds.ts'
import { queryPlans } from '../support/query-plans.ts'
import type { QueryPlans } from '../support/query-plans.ts'
import { openSkewedLists } from '../support/skewed-lists.ts'
import type { SkewedLists } from '../support/skewed-lists.ts'

/**
 * A single partition, as on the first day of a farm. The planner does not know the heights of a
 * page, assumes few rows, and may prefer reading all of them to the index of the account.
 */
describe('query plans on a short chain', () => {
  describe('of transfers', () => {
    let lists: SkewedLists

    before(async () => {
      lists = await openSkewedLists({ transfers: 60_000, spacing: 1 }, { isScanned: false })
    })

    after(() => lists.stop())

    for (const one of listCases.filter(({ path }) => /\/transfer\b/.test(path) && /(0x|A\.)/.test(path))) {
      it(`read few rows at the tail of ${one.path}`, async () => {
        const cursor = (await readCursors(lists.database.pool, one, 'tail', 22)).at(-1)
        const { rowsTouched } = await lists.planOf(withQuery(one.path, { cursor }))
        expect(rowsTouched).to.be.at.most(maxRowsOf(one))
      })
    }
  })

  describe('of transactions of an account', () => {
    const address = '0x0000000000000001'
    /** 40,000 transactions of 2,000 equally active accounts. */
    const ofAccount = 20
    const bounds = { min: 0, max: 9999 }
    let database: TestDatabase
    let plans: QueryPlans
    let reads: DatabasePool

    before(async () => {
      database = await createTestDatabase()
      await ensurePartitions(database.pool, 'app.address_transactions', 1_000_000, { from: 0, to: 10_000 })
      await database.pool.query(`
        insert into app.address_transactions (address, block_height, tx_index, is_payer, is_proposer, is_authorizer, is_created)
        select '0x' || lpad(to_hex(i * 7919 % 2000), 16, '0'), i / 4, i % 4, true, true, true, false from generate_series(0, 39999) as i;
        insert into app.accounts (address, first_seen_height, last_seen_height) values ('${address}', 0, 9999);
        insert into app.address_stats (address, tx_count, gas_used) values ('${address}', ${ofAccount}, 0);
        analyze app.address_transactions`)
      plans = await queryPlans(database)
      reads = await createReadPool({ url: database.url })
    })

    after(async () => {
      await Promise.all([plans.end(), reads.end()])
      await database.drop()
    })

    it('read only rows of the account', async () => {
      const plan = await plans.of((pool) =>
        listFilteredTransactions(pool, bounds, { participant: address }, undefined, 21),
      )
      expect(plan.rowsTouched).to.be.at.most(ofAccount + 5)
      const { rows } = await database.pool.query('select from app.address_transactions where address = $1', [address])
      expect(rows).to.have.length(ofAccount)
    })
  })
})
