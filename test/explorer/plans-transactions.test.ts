import { expect } from 'chai'
import type { DatabasePool } from 'slonik'
import { skewed } from '../support/skewed/skewed-world.ts'
import type { SkewedWorld } from '../support/skewed/skewed-world.ts'
import { writeSkewedChain } from '../support/skewed/write-skewed-chain.ts'
import { completeTransactions } from '../../src/explorer/transactions/descriptions.ts'
import { listRecentEventTypes } from '../../src/explorer/transactions/event-types.ts'
import { listEvents, searchEvents } from '../../src/explorer/transactions/events.ts'
import { listFilteredTransactions } from '../../src/explorer/transactions/filters.ts'
import { listTransactions } from '../../src/explorer/transactions/queries.ts'
import { listBlocks } from '../../src/explorer/blocks/queries.ts'
import type { Bounds } from '../../src/explorer/paging/bounds.ts'
import { createReadPool } from '../../src/platform/db/slonik.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { queryPlans } from '../support/query-plans.ts'
import type { QueryPlans } from '../support/query-plans.ts'

const size = { transfers: 40_000, spacing: 1000 }
const { whale, guest, quiet } = skewed

/** Of the transaction, its block, seven or eight transfers, a tag and metrics, with its place in an index. */
const rowsPerTransaction = 25

describe('query plans of transactions over many partitions', () => {
  let database: TestDatabase
  let plans: QueryPlans
  let reads: DatabasePool
  let world: SkewedWorld
  let bounds: Bounds

  before(async () => {
    database = await createTestDatabase()
    world = await writeSkewedChain(database.pool, size)
    bounds = { min: 0, max: world.highest }
    plans = await queryPlans(database)
    reads = await createReadPool({ url: database.url })
  })

  after(async () => {
    await Promise.all([plans.end(), reads.end()])
    await database.drop()
  })

  const places = { 'the head': 1, 'the middle': 0.5, 'the tail': 0.01 }

  /** Height at a fraction of the chain. */
  const placeAt = (part: number): { height: number; index: number } => ({
    height: Math.floor((world.blocks - 1) * part) * size.spacing,
    index: 0,
  })

  for (const [name, part] of Object.entries(places)) {
    it(`of an account in a third of all blocks, at ${name}`, async () => {
      const before = placeAt(part)
      const plan = await plans.of((pool) => listFilteredTransactions(pool, bounds, { participant: whale }, before, 21))
      expect(plan.rowsTouched).to.be.at.most(21 * rowsPerTransaction)
      const payer = await plans.of((pool) =>
        listFilteredTransactions(pool, bounds, { payer: whale, status: 'SUCCESS' }, before, 21),
      )
      // One in fifty has failed, so more rows are scanned.
      expect(payer.rowsTouched).to.be.at.most((21 + 84) * 5 + 21 * rowsPerTransaction)
    })

    it(`of a contract that every script imports, at ${name}`, async () => {
      const plan = await plans.of((pool) =>
        listFilteredTransactions(pool, bounds, { contract: skewed.contract }, placeAt(part), 21),
      )
      expect(plan.rowsTouched).to.be.at.most(21 * rowsPerTransaction)
    })

    it(`of all transactions, at ${name}, complete`, async () => {
      const before = placeAt(part)
      const plan = await plans.of((pool) => listTransactions(pool, bounds, before, 21))
      // The first window is meant for chains without gaps and finds few blocks here.
      expect(plan.rowsTouched).to.be.at.most(21 * (rowsPerTransaction + 3))
      const rows = await listTransactions(reads, bounds, before, 21)
      expect(rows).to.have.length(21)
      const complete = await plans.of((pool) => completeTransactions(pool, 'mainnet', rows))
      // Scripts, templates, and per transaction names and prices of seven or eight tokens.
      expect(complete.rowsTouched).to.be.at.most(21 * 16 + 40)
      const blocks = await plans.of((pool) => listBlocks(pool, bounds, before.height, 21))
      expect(blocks.rowsTouched).to.be.at.most(42)
    })
  }

  /** Full scan of the table. */
  async function heightsWhere(condition: string): Promise<number[]> {
    const { rows } = await database.pool.query<{ height: string }>(
      `select block_height as height from raw.transactions where ${condition} order by block_height desc`,
    )
    return rows.map(({ height }) => Number(height))
  }

  it('with a rare status', async () => {
    const filter = { status: 'UNKNOWN' as const }
    const plan = await plans.of((pool) => listFilteredTransactions(pool, bounds, filter, undefined, 21))
    expect(plan.rowsTouched).to.be.at.most(5 * 5 + 4 * rowsPerTransaction)
    const page = await listFilteredTransactions(reads, bounds, filter, undefined, 21)
    const expected = await heightsWhere('status_code is null')
    expect(expected).to.have.length.above(3)
    expect(page.rows.map((row) => row.block_height)).to.deep.equal(expected)
  })

  it('of two accounts use the less active one', async () => {
    const filter = { payer: quiet, authorizer: guest }
    const plan = await plans.of((pool) => listFilteredTransactions(pool, bounds, filter, undefined, 21))
    expect(plan.rowsTouched).to.be.at.most(2 * 8 * 5 + 8 * rowsPerTransaction)
    const expected = await heightsWhere(`payer_address = '${quiet}' and '${guest}' = any (authorizers)`)
    const { rows } = await listFilteredTransactions(reads, bounds, filter, undefined, 21)
    expect(rows.map((row) => row.block_height)).to.deep.equal(expected)
  })

  it('of a fruitless search stop at the scan limit and resume there', async () => {
    const filter = { payer: whale, status: 'UNKNOWN' as const }
    let before: { height: number; index: number } | undefined
    const found: number[] = []
    let pages = 0
    do {
      const page = await listFilteredTransactions(reads, bounds, filter, before, 21)
      found.push(...page.rows.map((row) => row.block_height))
      before =
        page.stoppedAt === undefined
          ? undefined
          : { height: page.stoppedAt.block_height, index: page.stoppedAt.tx_index }
      pages++
    } while (before !== undefined)
    expect(found).to.deep.equal(await heightsWhere(`payer_address = '${whale}' and status_code is null`))
    expect(pages).to.be.within(2, 3)
  })

  it('of events of a type read only matching pieces', async () => {
    const plan = await plans.of((pool) => searchEvents(pool, [skewed.rareEventType], undefined, 21))
    // Eight pieces, each with a block and a row of events.
    expect(plan.rowsTouched).to.be.at.most(8 * 6)
    expect(await searchEvents(reads, [skewed.rareEventType], undefined, 21)).to.have.length(8)
  })

  it('of events of all types read only one page', async () => {
    const plan = await plans.of((pool) => listEvents(pool, undefined, 21, bounds))
    expect(plan.rowsTouched).to.be.at.most(60)
  })

  it('of event types read only the newest blocks', async () => {
    const plan = await plans.of((pool) => listRecentEventTypes(pool, bounds, 20))
    expect(plan.rowsTouched).to.be.at.most(60)
  })

  it('has a token with nine tenths of the transfers, and an account with a fifth', async () => {
    const {
      rows: [row],
    } = await database.pool.query<{ token: number; account: number; partitions: number }>(`
      select avg((token = '${skewed.token}')::integer)::float8 as token, avg((to_address = '${whale}')::integer)::float8 as account,
        count(distinct tableoid)::integer as partitions
      from app.ft_transfers where transfer_type <> 'fee'`)
    expect(row?.token).to.be.within(0.85, 0.95)
    expect(row?.account).to.be.within(0.18, 0.25)
    expect(row?.partitions).to.equal(8)
  })
})
