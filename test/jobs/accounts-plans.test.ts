import { expect } from 'chai'
import type pg from 'pg'
import { accountsWorker } from '../../jobs/accounts-worker.ts'
import { metaWorker } from '../../jobs/meta-worker.ts'
import { ensurePartitions } from '../../src/platform/db/partitions.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { explain, rowsScanned } from '../support/explain.ts'

const rows = 4000
const one = '0x00000000000000a1'

describe('account, key and contract folds with statistics of a chain with one account', () => {
  let database: TestDatabase
  let client: pg.PoolClient

  before(async () => {
    database = await createTestDatabase()
    await ensurePartitions(database.pool, 'app.address_transactions', 1_000_000, { from: 0, to: 10 })
    const write = (height: number, address: string, name: string): Promise<unknown> =>
      database.pool.query(`
      insert into app.address_transactions
      select ${height}, 5, i, true, true, true, false, ${address} from generate_series(1, ${rows}) as i;
      insert into app.account_key_changes
      select ${height}, i, 0, nullif(i % 2, 1), 1000, 2, 3, false, ${address}, int8send(i)
      from generate_series(1, ${rows}) as i;
      insert into app.contract_versions
      select ${height}, i, 1, 'updated', ${address}, ${name}, sha256('') from generate_series(1, ${rows}) as i`)
    await write(0, `'${one}'`, "'Busy'")
    await database.pool.query('analyze')
    await write(5, "'0x' || lpad(to_hex(i + 4096), 16, '0')", "'C' || i")
    client = await database.pool.connect()
  })

  after(async () => {
    client.release()
    await database.drop()
  })

  const expectFewRows = async (what: string, text: string, values: readonly unknown[]): Promise<void> => {
    await client.query('begin')
    try {
      const plan = await explain(client, { text, values }, 'analyze')
      expect(rowsScanned(plan), what).to.be.lessThan(rows * 100)
    } finally {
      await client.query('rollback')
    }
  }

  for (const fold of [...accountsWorker.folds, ...metaWorker.folds]) {
    it(`read only the necessary rows: ${fold.name}`, async () => {
      for (const range of [
        [0, 1],
        [5, 6],
      ] as const) {
        const place = `heights from ${range[0]} on`
        await expectFewRows(`touched, ${place}`, fold.touched, range)
        if (fold.kind === 'sum') {
          await expectFewRows(`counted, ${place}`, fold.counted, range)
          continue
        }
        if (fold.merge !== undefined) await expectFewRows(`merge, ${place}`, fold.merge, range)
        const columns = fold.key.map(({ column }) => `array_agg(${column})::text as ${column}`)
        const {
          rows: [keys = {}],
        } = await client.query<Record<string, string>>(
          `select ${columns.join(', ')} from (${fold.touched}) as touched`,
          [...range],
        )
        await expectFewRows(
          `fold, ${place}`,
          fold.fold,
          fold.key.map(({ column }) => keys[column]),
        )
      }
    })
  }
})
