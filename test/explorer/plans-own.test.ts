import { expect } from 'chai'
import { createPool } from '../../src/platform/db/pool.ts'
import { createReadPool } from '../../src/platform/db/slonik.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { addOwnWorker } from '../support/served-worker.ts'
import { explainAll, recordStatements } from '../support/query-plans.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

const count = 300_000
const rows = '/own/top_shot/moment_purchased'

/** Nearly all rows have one seller and one level; a few have others. */
const skewedRows = `
  insert into own_top_shot.moment_purchased
    select h, 0, 0, 0, timestamptz '2025-01-01Z' + h * interval '1 second', '\\x00', h, h % 1000,
      case when h % 30000 = 7 then 'rare' when h % 100 = 3 then 's' || h else 'whale' end, h % 5, h % 2 = 0, null, null,
      case when h % 50000 = 9 then 2 else 1 end, jsonb_build_object('text', repeat('x', 100)), null, null, null
    from generate_series(0, ${count - 1}) as h;
  insert into own_top_shot.seller_totals
    select 's' || n, case when n % 10 = 0 then n else 1 end, n % 3 from generate_series(1, ${count}) as n;
  insert into own_top_shot.edition_sellers
    select case when n % 1000 = 0 then n else 1 end, 's' || n, 1, n % 3 from generate_series(1, ${count}) as n;
  analyze`

/** Twenty items, each read by three steps of the statement at most. */
const maxRows = 100
/** Rows of the rarer value are compared with the other filter. */
const maxScannedRows = 60_000

describe('lists of own tables with 300,000 rows', () => {
  let database: TestDatabase
  let api: RunningApi
  let planOf: (path: string) => Promise<number>
  const ends: (() => Promise<void>)[] = []

  before(async () => {
    database = await createTestDatabase({ statementTimeoutMs: 0 })
    await addOwnWorker(database.pool)
    await database.pool.query(skewedRows)
    const explaining = createPool(database.url, { max: 1, applicationName: 'test', statementTimeoutMs: 0 })
    const reads = await createReadPool({ url: database.url })
    const { recording, statements } = recordStatements(reads)
    api = await runApi(database.url, { server: { database: recording } })
    planOf = async (path) => {
      statements.length = 0
      await api.json(path)
      return (await explainAll(explaining, [...statements])).rowsTouched
    }
    ends.push(
      () => api.stop(),
      () => reads.end(),
      () => explaining.end(),
      () => database.drop(),
    )
  })

  after(async () => {
    for (const end of ends) await end()
  })

  async function cursorAfter(path: string, pages: number): Promise<string> {
    let cursor = ''
    for (let i = 0; i < pages; i++) {
      const separator = path.includes('?') ? '&' : '?'
      cursor = (await api.json<{ cursor: string }>(`${path}${separator}limit=100&cursor=${cursor}`)).cursor
    }
    return cursor
  }

  for (const path of [
    rows,
    `${rows}?order=asc`,
    `${rows}?from_height=1000&to_height=2000`,
    `${rows}?seller=whale`,
    `${rows}?seller=whale&order=asc`,
    `${rows}?seller=whale&from_height=1000&to_height=1100`,
    '/own/top_shot/seller_totals',
    '/own/top_shot/seller_totals?sort=sales',
    '/own/top_shot/seller_totals?sort=volume&order=asc',
    '/own/top_shot/edition_sellers?edition=1',
    '/own/top_shot/edition_sellers?edition=1&sort=volume',
  ]) {
    it(`read few rows for each page of ${path}`, async () => {
      expect(await planOf(path), 'first page').to.be.at.most(maxRows)
      const cursor = await cursorAfter(path, 20)
      if (cursor === '') return
      expect(await planOf(`${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`), 'later').to.be.at.most(maxRows)
    })
  }

  for (const path of [
    `${rows}?seller=rare`,
    `${rows}?seller=nobody`,
    `${rows}?seller=s103`,
    `${rows}?moment_id=-1`,
    `${rows}?level=2`,
    `${rows}?level=3&order=asc`,
    '/own/top_shot/seller_totals?seller=nobody',
    '/own/top_shot/edition_sellers?seller=s77',
    '/own/top_shot/edition_sellers?edition=2000&sort=volume',
    '/own/top_shot/edition_sellers?edition=-2&sort=volume',
  ]) {
    it(`read few rows for the rare value of ${path}`, async () => {
      expect(await planOf(path)).to.be.at.most(maxRows)
    })
  }

  it('read a bounded number of rows for several filters, and find every row', async () => {
    for (const filter of ['seller=whale&level=2', 'seller=rare&is_first=true', 'edition=1&level=1&seller=rare']) {
      expect(await planOf(`${rows}?${filter}`), filter).to.be.at.most(maxScannedRows)
    }
    expect(await planOf(`${rows}?is_first=true&level=1&edition=3`)).to.be.at.most(4 * maxScannedRows)
    let found = 0
    let pages = 0
    for (let cursor: string | undefined; cursor !== ''; pages++) {
      const query = new URLSearchParams({ is_first: 'true', edition: '3', level: '2', cursor: cursor ?? '' })
      const page = await api.json<{ data: unknown[]; cursor: string }>(`${rows}?${query.toString()}`)
      found += page.data.length
      cursor = page.cursor
    }
    const { rows: expected } = await database.pool.query<{ count: number }>(
      'select count(*)::int from own_top_shot.moment_purchased where is_first and edition = 3 and level = 2',
    )
    expect([found, pages]).to.deep.equal([expected[0]?.count, 1])
  })

  it('end early when a page has compared enough rows, and continue there', async () => {
    await database.pool.query(
      'update own_top_shot.moment_purchased set is_first = false where is_first and block_height > 1000',
    )
    let pages = 0
    const heights: number[] = []
    for (let cursor: string | undefined; cursor !== ''; pages++) {
      const query = new URLSearchParams({ edition: '0', seller: 'whale', cursor: cursor ?? '', limit: '100' })
      query.set('is_first', 'true')
      const page = await api.json<{ data: { block_height: number }[]; cursor: string }>(`${rows}?${query.toString()}`)
      heights.push(...page.data.map((row) => row.block_height))
      cursor = page.cursor
    }
    const { rows: expected } = await database.pool.query<{ h: number }>(
      `select block_height::int as h from own_top_shot.moment_purchased
       where is_first and edition = 0 and seller = 'whale' order by 1 desc`,
    )
    expect(heights).to.deep.equal(expected.map(({ h }) => h))
    expect(pages).to.be.greaterThan(0)
  })

  it('end a page before it has too many bytes', async () => {
    await database.pool.query(
      `update own_top_shot.moment_purchased set details = jsonb_build_object('text', repeat('x', 1000000))
       where block_height >= ${count - 20}`,
    )
    const heights: number[] = []
    let pages = 0
    for (let cursor: string | undefined; cursor !== ''; pages++) {
      const path = `${rows}?limit=100&from_height=${count - 50}&cursor=${cursor ?? ''}`
      const page = await api.json<{ data: { block_height: number }[]; cursor: string }>(path)
      heights.push(...page.data.map((row) => row.block_height))
      cursor = page.cursor
    }
    expect(heights).to.deep.equal(Array.from({ length: 50 }, (_, i) => count - 1 - i))
    expect(pages).to.equal(5)
  })

  it('count the days of the newest rows only', async () => {
    expect(await planOf(`${rows}/daily?column=price`)).to.be.at.most(250_000)
    const { data } = await api.json<{ data: [{ days: { day: string }[]; is_cut: boolean; rows: number }] }>(
      `${rows}/daily?column=price`,
    )
    expect(data[0]).to.include({ is_cut: true, rows: 40_800 })
  })
})
