import { expect } from 'chai'
import fc from 'fast-check'
import type pg from 'pg'
import { createTestDatabase } from '../../test/support/database.ts'
import type { TestDatabase } from '../../test/support/database.ts'
import { activeLease, commitRange } from '../farm/commit/example-worker.test-support.ts'
import { rollBackDerived } from '../farm/commit/folds.ts'
import { RangeOutput } from '../farm/commit/range-output.ts'
import { renameTables } from '../farm/rebuild/derived-tables.ts'
import { withTransaction } from '../platform/db/pool.ts'
import { createOwnSchema } from './create-schema.ts'
import { farmWorkerOf } from './own-worker.ts'
import { readDeclaration } from './read-declaration.ts'

/** The names of tables and columns are words of SQL. */
const declaration = readDeclaration({
  contract: 'A.0000000000000001.Shop',
  version: 1,
  events: ['Sold'],
  tables: {
    select: {
      columns: {
        order: { type: 'numeric', optional: true },
        user: { type: 'text', optional: true },
        price: { type: 'numeric', optional: true },
      },
    },
  },
  folds: {
    group: { kind: 'latest', of: 'select', key: ['order', 'user'], columns: ['price', 'transaction_id'] },
    where: { kind: 'sum', of: 'select', key: ['order'], count: 'limit', sums: { sum: 'price' } },
    table: { kind: 'sum', of: 'select', key: ['user'] },
  },
})

interface Row {
  readonly height: number
  readonly order: string | null
  readonly user: string | null
  readonly price: string | null
}

const heights = 20
/** Equal numbers of different scales. */
const numbers = fc.constantFrom(null, '0', '1', '1.0', '1.50', '-1', '100000000000000000000000000000.00000001')
const row: fc.Arbitrary<Row> = fc.record({
  height: fc.integer({ min: 0, max: heights - 1 }),
  order: numbers,
  user: fc.constantFrom(null, 'a', 'b'),
  price: numbers,
})

describe('the farm worker of a declaration', () => {
  let database: TestDatabase
  let pool: pg.Pool
  const worker = farmWorkerOf({ name: 'own_shop', declaration, startHeight: 7, replaces: undefined })
  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
    await withTransaction(pool, (client) => createOwnSchema(client, 'own_shop', declaration))
    await pool.query(`insert into app.indexing_checkpoints (service_name) values ('main_ingester')`)
  })
  after(() => database.drop())

  const reset = (): Promise<unknown> =>
    pool.query('truncate app.worker_leases, own_shop.select, own_shop.group, own_shop.where, own_shop.table')

  async function derive(rows: readonly Row[], from: number, to: number): Promise<void> {
    const output = new RangeOutput(worker)
    const writer = output.rows('own_shop.select')
    const placed = rows.toSorted((a, b) => a.height - b.height).map((one, i) => ({ ...one, i }))
    for (const { height, order, user, price, i } of placed) {
      if (height < from || height >= to) continue
      writer.row(9)
      writer.int8(height)
      for (const part of [0, 0, i]) writer.int4(part)
      writer.timestamptzUs(height)
      writer.bytea(Buffer.from([height, i]))
      if (order === null) writer.null()
      else writer.numeric(order)
      if (user === null) writer.null()
      else writer.text(user)
      if (price === null) writer.null()
      else writer.numeric(price)
    }
    const lease = await activeLease(pool, from, to, worker.name)
    expect(await commitRange(pool, { worker, lease, chainVersion: 0, output })).to.equal('committed')
  }

  async function stored(): Promise<Record<string, unknown[]>> {
    const tables: Record<string, unknown[]> = {}
    for (const table of ['group', 'where', 'table']) {
      const { rows } = await pool.query<{ row: string }>(`select t::text as row from own_shop."${table}" t order by 1`)
      tables[table] = rows.map(({ row: text }) => text)
    }
    return tables
  }

  it('computes the same folds in any order, byte by byte', async () => {
    const ranges = [0, 5, 10, 15].map((from) => ({ from, to: from + 5 }))
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 30 }),
        fc.array(row, { maxLength: 30 }),
        fc.shuffledSubarray(ranges, { minLength: ranges.length }),
        fc.integer({ min: 0, max: heights }),
        async (wrong, rows, order, ancestor) => {
          await reset()
          await derive(rows, 0, ancestor + 1)
          const clean = await stored()
          await reset()
          for (const { from, to } of ranges) await derive(wrong, from, to)
          for (const { from, to } of order) await derive(rows, from, to)
          await withTransaction(pool, (client) => rollBackDerived(client, ancestor, [worker]))
          expect(await stored()).to.deep.equal(clean)
        },
      ),
      { numRuns: 25 },
    )
  }).timeout(120_000)

  it('folds the newest row of a key, counts and sums', async () => {
    await reset()
    const at = (height: number, order: string | null, user: string | null, price: string | null): Row => ({
      height,
      order,
      user,
      price,
    })
    const rows = [at(1, '1.0', 'a', '2.50'), at(2, '1', 'a', '0.50'), at(2, null, 'a', '9'), at(3, '2', null, null)]
    await derive(rows, 0, heights)
    expect(await stored()).to.deep.equal({
      group: [String.raw`(1,a,0.50,"\\x0201")`],
      where: ['(1,2,3)', '(2,1,0)'],
      table: ['(a,3)'],
    })
  })

  it('finds the newest row by index', async () => {
    const client = await pool.connect()
    try {
      await client.query('begin')
      await client.query('set local enable_seqscan = off')
      const [fold] = worker.folds
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain ${fold?.kind === 'state' ? fold.fold : ''}`.replaceAll('$1', `'{1}'`).replaceAll('$2', `'{a}'`),
      )
      const plan = rows.map((line) => line['QUERY PLAN']).join('\n')
      expect(plan).to.match(/Index (Only )?Scan Backward using select_order_user_.*_idx on "select" h/)
      await client.query('rollback')
    } finally {
      client.release()
    }
  })

  it('names its tables in a way that a rebuild can replace', () => {
    for (const fold of worker.folds) {
      const statements = [fold.touched, fold.kind === 'state' ? fold.fold : fold.counted]
      for (const sql of statements) {
        const moved = renameTables(sql, (table) => (table.startsWith('own_shop.') ? 'rebuild."x"' : undefined))
        expect(moved).to.include('rebuild."x"').and.to.not.include('own_shop')
      }
    }
  })

  it('derives events of the contract from the start height', async () => {
    expect(worker).to.deep.include({ name: 'own_shop', phase: 2, follows: ['tx_contracts_worker'] })
    const { deriveEvents } = worker
    expect(deriveEvents?.types).to.deep.equal(['A.0000000000000001.Shop.Sold'])
    expect(deriveEvents?.startHeight).to.equal(7)
    const error: unknown = await deriveEvents
      ?.derive([], new RangeOutput(worker), new AbortController().signal)
      .catch((reason: unknown) => reason)
    expect(error).to.have.property('code', 'own-worker-not-loaded')
  })
})
