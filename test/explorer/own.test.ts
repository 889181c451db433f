import { expect } from 'chai'
import type { OwnWorkerDetail, OwnWorkerSummary } from '../../src/explorer/own/schema.ts'
import type { List } from '../../src/explorer/paging/pages.ts'
import { allPages } from '../support/all-pages.ts'
import { storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { expectProblem } from '../support/expect-problem.ts'
import { addOwnWorker, addSales, momentDeclaration } from '../support/served-worker.ts'
import { createReadPool } from '../../src/platform/db/slonik.ts'
import { untilLockWait } from '../support/lock-wait.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

const rows = '/own/top_shot/moment_purchased'
const last = 99

type Row = Record<string, unknown>

describe('own tables in the API', () => {
  let database: TestDatabase
  let api: RunningApi

  before(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 0, last)
    await addOwnWorker(database.pool, { end: 60 })
    await addSales(database.pool, 0, last)
    api = await runApi(database.url)
  })

  after(async () => {
    await api.stop()
    await database.drop()
  })

  async function heights(query: string): Promise<unknown[]> {
    return (await allPages<Row>(api, `${rows}${query}`, 7)).map((row) => row['block_height'])
  }

  it('list workers with tables and progress', async () => {
    const { data } = await api.json<List<OwnWorkerSummary>>('/own')
    const [worker, ...others] = data
    expect(others).to.deep.equal([])
    expect(worker).to.include({
      name: 'top_shot',
      schema: 'own_top_shot',
      contract: momentDeclaration.contract,
      from_height: 0,
      to_height: last,
      derived_height: 59,
      stored_blocks: 100,
      derived_blocks: 60,
      is_caught_up: false,
      flagged_ranges: 0,
      error: null,
    })
    expect(worker?.tables.map(({ name, kind }) => [name, kind])).to.deep.equal([
      ['moment_purchased', 'events'],
      ['seller_totals', 'sum'],
      ['latest_price', 'latest'],
      ['edition_sellers', 'sum'],
      ['top_sellers', 'view'],
    ])
  })

  it('describe columns', async () => {
    const {
      data: [worker],
    } = await api.json<{ data: [OwnWorkerDetail] }>('/own/top_shot')
    const described = (table: number): unknown[] =>
      worker.tables[table]?.columns.map(({ name, type, filter, can_sort: canSort, is_key: isKey }) => [
        name,
        type,
        filter,
        ...(canSort ? ['sort'] : []),
        ...(isKey ? ['key'] : []),
      ]) ?? []
    expect(described(0).slice(0, 9)).to.deep.equal([
      ['block_height', 'bigint', null, 'key'],
      ['tx_index', 'integer', null, 'key'],
      ['event_index', 'integer', null, 'key'],
      ['row_index', 'integer', null, 'key'],
      ['block_timestamp', 'timestamptz', null],
      ['transaction_id', 'bytea', null],
      ['moment_id', 'numeric', 'moment_id'],
      ['price', 'numeric', null],
      ['seller', 'text', 'seller'],
    ])
    expect(described(0)).to.deep.include(['limit', 'text', 'column.limit'])
    expect(described(3)).to.deep.equal([
      ['edition', 'bigint', 'edition', 'key'],
      ['seller', 'text', 'seller', 'key'],
      ['sales', 'bigint', null, 'sort'],
      ['volume', 'numeric', null, 'sort'],
    ])
  })

  it('return exact values', async () => {
    const { data } = await api.json<List<Row>>(`${rows}?from_height=44&to_height=44`)
    expect(data).to.deep.equal([
      {
        block_height: 44,
        tx_index: 1,
        event_index: 2,
        row_index: 0,
        block_timestamp: '2025-01-01T00:00:44.000Z',
        transaction_id: data[0]?.['transaction_id'],
        moment_id: '44',
        price: '55.00000000',
        seller: '0x0000000000000002',
        edition: '4',
        is_first: true,
        listed_at: '2025-01-01T00:00:44.000Z',
        listed_on: '2025-01-03',
        level: 0,
        details: { h: 44 },
        limit: 'l2',
        select: 's2',
        constructor: 'c',
      },
    ])
    expect(data[0]?.['transaction_id']).to.match(/^[0-9a-f]{64}$/)
  })

  it('page through rows in both orders', async () => {
    const all = Array.from({ length: last + 1 }, (_, i) => i)
    expect(await heights('')).to.deep.equal(all.toReversed())
    expect(await heights('?order=asc')).to.deep.equal(all)
    expect(await heights('?from_height=90')).to.deep.equal(all.slice(90).toReversed())
    expect(await heights('?from_height=10&to_height=12&order=asc')).to.deep.equal([10, 11, 12])
    expect(await heights('?from=2025-01-01&to=2025-01-01')).to.deep.equal(all.toReversed())
    expect(await heights('?from=2025-01-02')).to.deep.equal([])
  })

  it('filter by indexed columns of each type, also combined', async () => {
    const expected = async (where: string): Promise<unknown[]> => {
      const found = await database.pool.query<{ h: number }>(
        `select block_height::int as h from own_top_shot.moment_purchased where ${where} order by 1 desc`,
      )
      return found.rows.map(({ h }) => h)
    }
    const cases = [
      ['moment_id=7', 'moment_id = 7'],
      ['moment_id=7.00', 'moment_id = 7'],
      ['seller=0x0000000000000003', "seller = '0x0000000000000003'"],
      ['edition=-0', 'edition = 0'],
      ['is_first=true', 'is_first'],
      ['listed_at=2025-01-01T00:00:00Z', "listed_at = '2025-01-01Z'"],
      ['listed_on=2025-01-02', "listed_on = '2025-01-02'"],
      ['level=3', 'level = 3'],
      ['column.limit=l1', `"limit" = 'l1'`],
      ['select=s1', `"select" = 's1'`],
      ['select=s1&level=3', `"select" = 's1' and level = 3`],
      ['is_first=true&moment_id=8', 'is_first and moment_id = 8'],
      ['level=1&from_height=20&to_height=60', 'level = 1 and block_height between 20 and 60'],
      ['seller=nobody', 'false'],
    ] as const
    for (const [query, where] of cases) {
      const wanted = await expected(where)
      expect(await heights(`?${query}`), query).to.deep.equal(wanted)
      expect(await heights(`?${query}&order=asc`), query).to.deep.equal(wanted.toReversed())
    }
  })

  it('sort folds by key, sums and indexed columns', async () => {
    const fold = async (path: string): Promise<string> =>
      (await allPages<Row>(api, `/own/top_shot/${path}`, 3)).map((row) => Object.values(row).join(' ')).join('\n')
    const expected = async (text: string): Promise<string> =>
      (await database.pool.query<Record<string, string | null>>(text)).rows
        .map((row) => Object.values(row).join(' '))
        .join('\n')
    const totals = 'select seller, sales::text, volume::text from own_top_shot.seller_totals'
    expect(await fold('seller_totals')).to.equal(await expected(`${totals} order by 1`))
    expect(await fold('seller_totals?order=desc')).to.equal(await expected(`${totals} order by 1 desc`))
    expect(await fold('seller_totals?sort=volume')).to.equal(await expected(`${totals} order by volume desc`))
    expect(await fold('seller_totals?sort=sales&order=asc')).to.equal(
      await expected(
        `${totals} order by sales, 1`.replace('order by sales, 1', 'order by seller_totals.sales, seller'),
      ),
    )
    expect(await fold('seller_totals?seller=0x0000000000000003')).to.equal(
      await expected(`${totals} where seller = '0x0000000000000003'`),
    )
    const sellers = 'select edition::text, seller, sales::text, volume::text from own_top_shot.edition_sellers s'
    expect(await fold('edition_sellers?edition=2&sort=volume')).to.equal(
      await expected(`${sellers} where edition = 2 order by s.volume desc`),
    )
    expect(await fold('edition_sellers?seller=0x0000000000000003')).to.equal(
      await expected(`${sellers} where seller = '0x0000000000000003' order by s.edition`),
    )
    expect(await fold('edition_sellers?seller=0x0000000000000003&edition=2&sort=volume')).to.equal(
      await expected(`${sellers} where seller = '0x0000000000000003' and edition = 2`),
    )
    const prices = (await allPages<Row>(api, '/own/top_shot/latest_price?sort=listed_at', 4)).map(
      (row) => row['moment_id'],
    )
    const listed = await database.pool.query<{ id: string }>(
      'select moment_id::text as id from own_top_shot.latest_price where listed_at is not null order by listed_at desc',
    )
    expect(prices).to.deep.equal(listed.rows.map(({ id }) => id))
    expect(await fold('latest_price?seller=0x0000000000000003')).to.include('0x0000000000000003')
  })

  it('name invalid parameters and list what is possible', async () => {
    await expectProblem(
      api,
      `${rows}?prise=1`,
      'prise',
      'top_shot.moment_purchased has no such column. Possible: moment_id, seller,',
    )
    await expectProblem(
      api,
      `${rows}?price=1`,
      'price',
      'cannot filter: column price has no index. Possible: moment_id',
    )
    await expectProblem(api, `${rows}?details=1`, 'details', 'has no index')
    await expectProblem(api, `${rows}?block_height=1`, 'block_height', 'use from_height and to_height')
    await expectProblem(api, `${rows}?transaction_id=00`, 'transaction_id', 'has no index')
    await expectProblem(api, `${rows}?moment_id=x`, 'moment_id', 'must be a decimal number')
    await expectProblem(
      api,
      `${rows}?level=2147483648`,
      'level',
      'must be a whole number from -2147483648 to 2147483647',
    )
    await expectProblem(api, `${rows}?edition=9223372036854775808`, 'edition', 'must be a whole number')
    await expectProblem(api, `${rows}?is_first=1`, 'is_first', 'must be true or false')
    await expectProblem(api, `${rows}?listed_on=2025-02-30`, 'listed_on', 'must be a day')
    await expectProblem(api, `${rows}?seller=a%00b`, 'seller', 'without NUL')
    await expectProblem(api, `${rows}?seller=a&seller=b`, 'seller', 'is repeated')
    await expectProblem(api, `${rows}?seller=${'a'.repeat(1001)}`, 'seller', 'at most 1000 characters')
    await expectProblem(api, `${rows}?limit=l1`, 'limit', 'must be a whole number from 1 to 100')
    await expectProblem(api, `${rows}?sort=price`, 'sort', 'can only be key for this table')
    await expectProblem(api, `${rows}?from_height=2&to_height=1`, 'from_height', 'must not be above "to_height" (1)')
    await expectProblem(
      api,
      '/own/top_shot/seller_totals?from_height=2',
      'from_height',
      'folds and views have the current state only',
    )
    await expectProblem(api, '/own/top_shot/seller_totals?sort=seller', 'sort', 'must be one of key, sales, volume')
    await expectProblem(
      api,
      '/own/top_shot/seller_totals?sales=1',
      'sales',
      'cannot filter: column sales has no index. Possible: seller.',
    )
    await expectProblem(
      api,
      '/own/top_shot/edition_sellers?seller=a&sort=volume',
      'sort',
      'cannot be combined with the filter seller: no index serves both. Sort by key instead.',
    )
    const missing = await api.get('/own/none/moment_purchased')
    expect([missing.status, ((await missing.json()) as { detail: string }).detail]).to.deep.equal([
      404,
      'Worker none is unknown. Known: top_shot.',
    ])
    const table = await api.get('/own/top_shot/none')
    expect([table.status, ((await table.json()) as { detail: string }).detail]).to.deep.equal([
      404,
      'Worker top_shot has no table none. Known: moment_purchased, seller_totals, latest_price, edition_sellers, ' +
        'top_sellers.',
    ])
  })

  it('refuse hostile names, values and cursors without an error of the database', async () => {
    const evil = [
      `"; drop schema own_top_shot cascade; --`,
      `seller"`,
      `seller' or '1'='1`,
      '__proto__',
      'constructor[]',
      '\\',
      '%',
      't.seller',
    ]
    for (const text of evil) {
      const q = encodeURIComponent(text)
      const calls = [
        `${rows}?${q}=1`,
        `${rows}?sort=${q}`,
        `${rows}?order=${q}`,
        `${rows}?cursor=${q}`,
        `${rows}?moment_id=${q}`,
        `${rows}?seller=${q}`,
        `${rows}?from=${q}`,
        `${rows}?format=${q}`,
        `${rows}/daily?column=${q}`,
        `/own/${q}`,
        `/own/${q}/moment_purchased`,
        `/own/top_shot/${q}`,
        `/own/${q}/openapi.json`,
      ]
      for (const call of calls) {
        const response = await api.get(call)
        expect(response.status, `${call}: ${await response.text()}`).to.be.oneOf([200, 400, 404])
      }
    }
    const cursors: readonly unknown[] = [
      ['1', '2', '3'],
      ['1', '2', '3', '4', '5'],
      ['1', '2', '3', "4'"],
      [1, 2, 3, 4],
      ['99999999999999999999', '1', '1', '1'],
      ['1', '2147483648', '1', '1'],
      {},
      null,
      '1',
    ]
    for (const cursor of cursors) {
      const text = Buffer.from(JSON.stringify(cursor)).toString('base64url')
      await expectProblem(api, `${rows}?cursor=${text}`, 'cursor', 'does not belong to this list')
    }
    const many = Array.from({ length: 1000 }, (_, i) => `a${i}=1`).join('&')
    await expectProblem(api, `${rows}?${many}`, 'a0', 'is unknown')
    expect((await api.get(`${rows}?seller=${'a'.repeat(1_000_000)}`)).status).to.equal(431)
    expect((await database.pool.query('select from own_top_shot.moment_purchased')).rowCount).to.equal(last + 1)
  })

  it('are written as CSV', async () => {
    const response = await api.get(`${rows}?format=csv&level=1&order=asc`)
    expect(response.headers.get('content-type')).to.equal('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).to.equal('attachment; filename="top_shot-moment_purchased.csv"')
    const lines = (await response.text()).trimEnd().split('\r\n')
    expect(lines[0]).to.match(/^block_height,tx_index,.*,moment_id,price,.*,details,limit,select,constructor$/)
    expect(lines[1]).to.match(/^1,1,2,0,2025-01-01T00:00:01\.000Z,[0-9a-f]{64},1,1\.25000000,.*,"\{""h"":1\}",l1,s1,c$/)
    expect(lines).to.have.length(1 + (await heights('?level=1')).length)
    const empty = await (await api.get(`${rows}?format=csv&from=2030-01-01`)).text()
    expect(empty.split('\r\n')).to.have.length(2)
  })

  it('are counted and summed by day', async () => {
    const days = await api.json<{ data: [object] }>(`${rows}/daily?column=price`)
    const { rows: expected } = await database.pool.query<{ sum: string }>(
      'select sum(price)::text as sum from own_top_shot.moment_purchased',
    )
    expect(days.data).to.deep.equal([
      { days: [{ day: '2025-01-01', count: 100, sum: expected[0]?.sum }], column: 'price', rows: 100, is_cut: false },
    ])
    await expectProblem(api, `${rows}/daily?column=seller`, 'column', 'must be one of moment_id, price, edition, level')
    await expectProblem(
      api,
      '/own/top_shot/seller_totals/daily',
      'tableName',
      'it is not a table of events. Read moment_purchased instead',
    )
  })

  it('include views, in their own order', async () => {
    const view = '/own/top_shot/top_sellers'
    const shown = await allPages<Row>(api, view, 3)
    const { rows: stored } = await database.pool.query(
      `select seller, sales::text, volume::text, (rank() over (order by volume desc))::text as place
       from own_top_shot.seller_totals order by 4`,
    )
    expect(shown).to.deep.equal(stored)
    const csv = await (await api.get(`${view}?format=csv`)).text()
    expect(csv.split('\r\n')[0]).to.equal('seller,sales,volume,place')
    expect(csv.trimEnd().split('\r\n')).to.have.length(1 + stored.length)
    await expectProblem(api, `${view}?order=asc`, 'order', 'cannot be set for a view')
    await expectProblem(api, `${view}?sort=volume`, 'sort', 'can only be key')
    await expectProblem(api, `${view}?seller=a`, 'seller', 'has no index')
    await expectProblem(api, `${view}?from_height=1`, 'from_height', 'folds and views')
    await expectProblem(api, `${view}?cursor=${Buffer.from('-1').toString('base64url')}`, 'cursor', 'does not belong')
    await expectProblem(api, `${view}/daily`, 'tableName', 'it is not a table of events')
  })

  it('limit the rows of a view, and read it once for all clients', async () => {
    const views = [
      {
        name: 'pairs',
        comment: '',
        sql: 'select a.block_height from moment_purchased as a cross join moment_purchased as b',
        columns: [],
      },
      { name: 'moments', comment: '', sql: 'select now() as read_at from moment_purchased limit 1', columns: [] },
    ]
    await addOwnWorker(database.pool, { name: 'own_wide', declaration: { ...momentDeclaration, views } })
    await addSales(database.pool, 0, 40, 'own_wide')
    expect(await allPages(api, '/own/wide/pairs', 100)).to.have.length(1000)
    const read = async (): Promise<unknown> => (await api.json<List<Row>>('/own/wide/moments')).data
    expect(
      new Set(await Promise.all(Array.from({ length: 8 }, async () => JSON.stringify(await read())))),
    ).to.have.length(1)
    await database.pool.query("drop schema own_wide cascade; delete from app.own_workers where name = 'own_wide'")
  })

  it('include views that are slow, without delaying other calls', async () => {
    const sql = 'select count(*) from moment_purchased'
    const views = Array.from({ length: 12 }, (_, i) => ({ name: `slow_${i}`, comment: '', sql, columns: [] }))
    await addOwnWorker(database.pool, { name: 'own_slow', declaration: { ...momentDeclaration, views } })
    const expensiveReads = await createReadPool({ url: database.url, statementTimeoutMs: 8000 })
    const slow = await runApi(database.url, { server: { expensiveReads } })
    const locking = await database.pool.connect()
    try {
      await locking.query('begin; lock table own_slow.moment_purchased in access exclusive mode')
      const answers: string[] = []
      const calls = views.map(async ({ name }) => {
        const response = await slow.get(`/own/slow/${name}`)
        answers.push(`${response.status} ${((await response.json()) as { code: string }).code}`)
      })
      await untilLockWait(database)
      for (let call = 0; call < 5; call++) expect((await slow.get(`${rows}?limit=${call + 1}`)).status).to.equal(200)
      expect(answers, 'views that ended before the other calls').to.not.include('503 database-unavailable')
      await Promise.all(calls)
      expect(new Set(answers)).to.have.all.keys('503 database-unavailable', '503 busy')
    } finally {
      await locking.query('rollback')
      locking.release()
      await slow.stop()
      await expensiveReads.end()
    }
    await database.pool.query("drop schema own_slow cascade; delete from app.own_workers where name = 'own_slow'")
  })

  it('are described by an OpenAPI document of their own', async () => {
    const document = await api.json<{
      paths: Record<string, { get: { parameters: { name?: string; $ref?: string }[] } }>
      components: { parameters: Record<string, { name: string }> }
    }>('/own/top_shot/openapi.json')
    expect(Object.keys(document.paths)).to.deep.equal([
      '/own/top_shot/moment_purchased',
      '/own/top_shot/seller_totals',
      '/own/top_shot/latest_price',
      '/own/top_shot/edition_sellers',
      '/own/top_shot/top_sellers',
    ])
    const names = document.paths['/own/top_shot/moment_purchased']?.get.parameters.map(
      ({ name, $ref }) => name ?? document.components.parameters[$ref?.split('/').at(-1) ?? '']?.name,
    )
    expect(names).to.include.members(['limit', 'cursor', 'from_height', 'seller', 'column.limit'])
    expect(names).to.not.include('price')
  })

  it('are read without an error while they are replaced', async () => {
    const [table] = momentDeclaration.tables
    if (table === undefined) throw new Error('no table')
    const narrow = { ...table, columns: table.columns.filter(({ name }) => name !== 'price') }
    await addOwnWorker(database.pool, { name: 'own_changing' })
    let isReplacing = true
    const replacing = (async () => {
      for (let version = 0; version < 40; version++) {
        const declaration =
          version % 2 === 0 ? { ...momentDeclaration, tables: [narrow], folds: [], views: [] } : momentDeclaration
        await addOwnWorker(database.pool, { name: 'own_next', declaration })
        await database.pool.query(`
          begin;
          delete from app.own_workers where name = 'own_changing';
          drop schema own_changing cascade;
          update app.own_workers set name = 'own_changing', replaces = null where name = 'own_next';
          alter schema own_next rename to own_changing;
          commit`)
      }
    })().finally(() => {
      isReplacing = false
    })
    const failures: string[] = []
    const isRunning = (): boolean => isReplacing
    while (isRunning()) {
      const response = await api.get('/own/changing/moment_purchased?seller=a')
      if (response.status !== 200) failures.push(await response.text())
    }
    await replacing
    expect(failures).to.deep.equal([])
    await database.pool.query(
      "drop schema own_changing cascade; delete from app.own_workers where name = 'own_changing'",
    )
  })

  it('that are dropped are unknown', async () => {
    await addOwnWorker(database.pool, { name: 'own_short' })
    expect((await api.get('/own/short/moment_purchased')).status).to.equal(200)
    await database.pool.query("drop schema own_short cascade; delete from app.own_workers where name = 'own_short'")
    expect((await api.get('/own/short/moment_purchased')).status).to.equal(404)
  })
})
