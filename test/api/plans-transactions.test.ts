import { expect } from 'chai'
import type { DatabasePool } from 'slonik'
import { highestOf, skewedAccount, skewedToken, skewedTransactionId, writeSkewedTransfers } from '../../scripts/support/skewed-transfers.ts'
import { completeTransactions } from '../../src/api/queries/complete-transactions.ts'
import { searchEvents } from '../../src/api/queries/search-events.ts'
import { listFilteredTransactions } from '../../src/api/queries/transaction-filters.ts'
import { listTransactions } from '../../src/api/queries/transactions.ts'
import { listBlocks } from '../../src/api/queries/blocks.ts'
import { createReadPool } from '../../src/db/slonik.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { queryPlans } from '../support/query-plans.ts'
import type { QueryPlans } from '../support/query-plans.ts'
import { insertEvents } from '../support/insert-events.ts'

const size = { transfers: 20_000, spacing: 5000 }
const highest = highestOf(size)
const bounds = { min: 0, max: highest }
const quiet = '0x00000000000000d0'
const contract = 'A.f233dcee88fe0abe.FungibleToken'

describe('the plans of transactions over many partitions', () => {
  let database: TestDatabase
  let plans: QueryPlans
  let reads: DatabasePool

  before(async function () {
    this.timeout(60_000)
    database = await createTestDatabase()
    await writeSkewedTransfers(database.pool, size)
    // Two transactions of an account that is seldom seen, one of which failed, and a contract that every script imports.
    await database.pool.query(`
      insert into app.address_transactions select h, 20, 0, false, true, true, false, '${quiet}' from unnest(array[50000, 10000000]::int8[]) h;
      insert into app.accounts values ('${quiet}', 50000, 10000000, null, null);
      insert into app.address_stats values ('${quiet}', 2, 0);
      update raw.transactions set status_code = 1, proposer_address = '${quiet}', authorizers = array['${skewedAccount}', '${quiet}'] where block_height = 50000;
      insert into app.tx_contracts select '${contract}', h, '{0}' from generate_series(0, ${highest}, ${size.spacing}) h;
      analyze`)
    plans = await queryPlans(database)
    reads = await createReadPool({ url: database.url })
  })

  after(async () => {
    await Promise.all([plans.end(), reads.end()])
    await database.drop()
  })

  const places = {
    'the head': { height: highest - size.spacing, index: 0 },
    'the middle': { height: highest / 2 - (highest / 2) % size.spacing, index: 0 },
    'the tail': { height: 30 * size.spacing, index: 0 },
  }

  for (const [name, before] of Object.entries(places)) {
    it(`of an account that is in every block, at ${name}`, async () => {
      const plan = await plans.of((pool) => listFilteredTransactions(pool, bounds, { participant: skewedAccount }, before, 21))
      expect(plan.rowsTouched).to.be.at.most(21 * 5 + 5)
      const payer = await plans.of((pool) => listFilteredTransactions(pool, bounds, { payer: skewedAccount, status: 'SUCCESS' }, before, 21))
      // One of the last has failed, so that a few more are looked at.
      expect(payer.rowsTouched).to.be.at.most(21 * 7)
    })

    it(`of a contract that every script imports, at ${name}`, async () => {
      const plan = await plans.of((pool) => listFilteredTransactions(pool, bounds, { contract }, before, 21))
      expect(plan.rowsTouched).to.be.at.most(21 * 5 + 5)
    })

    it(`of all, at ${name}, complete`, async () => {
      const plan = await plans.of((pool) => listTransactions(pool, bounds, before, 21))
      // The first window is for chains without holes, and finds few blocks here.
      expect(plan.rowsTouched).to.be.at.most(21 * 8)
      const rows = await listTransactions(reads, bounds, before, 21)
      expect(rows).to.have.length(21)
      const complete = await plans.of((pool) => completeTransactions(pool, 'mainnet', rows))
      // Five transfers, a tag and metrics for each; coverage of three workers; the script.
      expect(complete.rowsTouched).to.be.at.most(21 * 7 + 40)
      const blocks = await plans.of((pool) => listBlocks(pool, bounds, before.height, 21))
      expect(blocks.rowsTouched).to.be.at.most(42)
    })
  }

  it('that failed, however few they are', async () => {
    const plan = await plans.of((pool) => listFilteredTransactions(pool, bounds, { status: 'FAILURE' }, undefined, 21))
    expect(plan.rowsTouched).to.be.at.most(10)
    const page = await listFilteredTransactions(reads, bounds, { status: 'FAILURE' }, undefined, 21)
    expect(page.rows.map(({ id }) => id)).to.deep.equal([skewedTransactionId(50_000)])
  })

  it('that two accounts share, by the one with fewer', async () => {
    const filter = { payer: skewedAccount, authorizer: quiet }
    const plan = await plans.of((pool) => listFilteredTransactions(pool, bounds, filter, undefined, 21))
    expect(plan.rowsTouched).to.be.at.most(20)
    expect((await listFilteredTransactions(reads, bounds, filter, undefined, 21)).rows.map((row) => row.block_height)).to.deep.equal([50_000])
  })

  it('that are searched in vain stop after so many, and go on where they stopped', async () => {
    const filter = { payer: skewedAccount, status: 'FAILURE' as const }
    let before: { height: number; index: number } | undefined
    const found: number[] = []
    let pages = 0
    do {
      const page = await listFilteredTransactions(reads, bounds, filter, before, 21)
      found.push(...page.rows.map((row) => row.block_height))
      before = page.stoppedAt === undefined ? undefined : { height: page.stoppedAt.block_height, index: page.stoppedAt.tx_index }
      pages++
    } while (before !== undefined)
    expect(found).to.deep.equal([50_000])
    expect(pages).to.be.within(2, 3)
  })

  it('of events of a type, by the pieces that have some', async () => {
    await database.pool.query(`
      create table raw.event_chunks_p0 partition of raw.event_chunks for values from (0) to (1000000);
      ${insertEvents(`
        select 50000, i / 10, i % 10, case when i = 7 then 'flow.AccountCreated' else 'A.${'0'.repeat(16)}.X.Y' end, '{}'
        from generate_series(0, 149) i
      `)};
      create table app.block_event_types_p0 partition of app.block_event_types for values from (0) to (1000000);
      insert into app.block_event_types select h, array['A.${'0'.repeat(16)}.X.Y'], '{15}' from generate_series(0, 49900, 100) h;
      insert into app.block_event_types values (50000, array['A.${'0'.repeat(16)}.X.Y', 'flow.AccountCreated'], '{149, 1}');
      insert into app.event_type_pieces values ('flow.AccountCreated', 500, 1);
      insert into app.event_type_pieces select 'A.${'0'.repeat(16)}.X.Y', i, 1 from generate_series(0, 500) i;
      analyze app.block_event_types, raw.event_chunks, raw.event_shapes, app.event_type_pieces`)
    const plan = await plans.of((pool) => searchEvents(pool, ['flow.AccountCreated'], undefined, 21))
    expect(plan.rowsTouched).to.be.at.most(1 + 1 + 15 + 5)
    expect(await searchEvents(reads, ['flow.AccountCreated'], undefined, 21)).to.have.length(1)
  })

  it('has a token with half of the transfers, and an account with a fifth', async () => {
    const { rows: [row] } = await database.pool.query<{ token: string; account: string; partitions: number }>(`
      select count(*) filter (where token = '${skewedToken}') as token, count(*) filter (where to_address = '${skewedAccount}') as account,
        count(distinct tableoid)::int as partitions
      from app.ft_transfers`)
    expect([Number(row?.token), Number(row?.account), row?.partitions]).to.deep.equal([size.transfers / 2, size.transfers / 5, 20])
  })
})
