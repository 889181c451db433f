import { expect } from 'chai'
import { storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { explorerPage } from '../support/explorer-page.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'
import { addOwnWorker, addSales, momentDeclaration } from '../support/served-worker.ts'
import { useExplorerSession } from './explorer-session.ts'
import { expectUsable, untilLoaded } from './page-checks.ts'

const phone = { viewport: { width: 360, height: 780 } }
const table = '/tables/top_shot/moment_purchased'

describe('own tables in the explorer', function () {
  this.timeout(240_000)
  const session = useExplorerSession()
  let database: TestDatabase
  let api: RunningApi

  before(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 0, 60)
    await addOwnWorker(database.pool, { end: 61 })
    await addSales(database.pool, 0, 60)
    api = await runApi(database.url, { server: { page: explorerPage() } })
  })
  after(async () => {
    await api.stop()
    await database.drop()
  })

  it('name the command that creates them while none exists', async () => {
    const page = await session.open('/tables')
    await page.getByText('npm run worker -- init').waitFor()
    expect(
      await page.getByRole('navigation', { name: 'Explorer' }).getByRole('link', { name: 'Tables' }).count(),
    ).to.equal(0)
    await expectUsable(page, 'no own tables')
  })

  it('are found from the menu, the list and the page of their worker', async () => {
    const page = await session.open('/', { of: api })
    await page.getByRole('navigation', { name: 'Explorer' }).getByRole('link', { name: 'Tables' }).click()
    await page.getByRole('link', { name: 'top_shot', exact: true }).click()
    await page.getByRole('heading', { name: 'Worker top_shot' }).waitFor()
    await page.getByText('Up to date').waitFor()
    await expectUsable(page, 'worker')
    await page.getByRole('link', { name: 'seller_totals' }).click()
    await page.getByRole('heading', { name: 'Table top_shot.seller_totals' }).waitFor()
    await untilLoaded(page)
    await page.getByRole('button', { name: 'volume' }).click()
    await page.waitForURL(/sort=volume/)
    await expectUsable(page, 'fold')
    await page.getByRole('link', { name: 'Worker top_shot' }).click()
    await page.getByRole('link', { name: 'top_sellers' }).click()
    await page.getByRole('heading', { name: 'Table top_shot.top_sellers' }).waitFor()
    await page.getByRole('link', { name: 'first 1,000 rows as CSV' }).waitFor()
    await untilLoaded(page)
    expect(await page.getByRole('row').count()).to.equal(8)
    await expectUsable(page, 'view')
  })

  it('are shown wide and on phones, filtered and sorted', async () => {
    for (const options of [{}, phone]) {
      const page = await session.open(table, { of: api, ...options })
      await untilLoaded(page)
      await page.getByText('All 61 rows by day (UTC).').waitFor()
      await page.getByText('Live', { exact: true }).waitFor()
      await expectUsable(page, `table ${JSON.stringify(options)}`)
      await page.getByRole('button', { name: 'level', exact: true }).click()
      await page.getByRole('textbox', { name: 'level' }).fill('3')
      await page.getByRole('button', { name: 'Apply' }).click()
      await page.waitForURL(/level=3/)
      await page.getByText('12 in total').waitFor()
    }
    const page = await session.open(`${table}?seller=nobody`, { of: api })
    await page.getByText('match these filters').waitFor()
    await expectUsable(page, 'no match')
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('scroll within their own frame when they are wider than the page', async () => {
    const columns = Array.from({ length: 60 }, (_, i) => ({
      name: `column_with_a_long_name_${i}`,
      type: 'text' as const,
      isOptional: true,
      isIndexed: i < 20,
      comment: '',
    }))
    const wide = { name: 'wide', comment: '', columns }
    await addOwnWorker(database.pool, {
      name: 'own_wide',
      declaration: { ...momentDeclaration, tables: [wide], folds: [], views: [] },
      end: 61,
    })
    const values = columns.map((_, i) => (i % 2 === 0 ? `repeat('x', 900)` : 'null')).join(', ')
    await database.pool.query(
      `insert into own_wide.wide select h, 0, 0, 0, now(), sha256('x'), ${values} from generate_series(1, 30) as h`,
    )
    for (const options of [{}, phone]) {
      const page = await session.open('/tables/wide/wide', { of: api, ...options })
      await untilLoaded(page)
      expect(await page.getByText('column_with_a_long_name_59').count()).to.be.above(0)
      await expectUsable(page, `wide table ${JSON.stringify(options)}`)
    }
  })

  it('show new rows once they are derived', async () => {
    const page = await session.open(table, { of: api })
    await page.getByText('Live', { exact: true }).waitFor()
    await storeBlocks(database.pool, 61, 61)
    await addSales(database.pool, 61, 61)
    await database.pool.query(`
      update app.indexing_checkpoints set covered = '{[0,62)}' where service_name = 'own_top_shot';
      select pg_notify('own_rows', 'own_top_shot 61 62')`)
    await page.getByRole('link', { name: '61', exact: true }).waitFor()
  })

  it('are found by the search', async () => {
    const page = await session.open('/search?q=moment_pur', { of: api })
    await page.getByRole('link', { name: 'top_shot.moment_purchased' }).first().click()
    await page.getByRole('heading', { name: 'Table top_shot.moment_purchased' }).waitFor()
  })

  it('report the error of a worker, and an unknown table', async () => {
    await addOwnWorker(database.pool, { name: 'own_broken', declaration: momentDeclaration })
    await database.pool.query("update app.own_workers set error = 'no <b>default</b> export' where name = 'own_broken'")
    const page = await session.open('/tables/broken', { of: api, ...phone })
    await page.getByText('could not be loaded').waitFor()
    await page.getByText('no <b>default</b> export').waitFor()
    await expectUsable(page, 'broken worker')
    const missing = await session.open('/tables/top_shot/none', { of: api })
    await missing.getByText('Could not find this table').waitFor()
    const unknown = await session.open('/tables/none', { of: api })
    await unknown.getByText('Worker none is unknown').waitFor()
  })
})
