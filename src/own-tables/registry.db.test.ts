import { expect } from 'chai'
import type pg from 'pg'
import { createTestDatabase } from '../../test/support/database.ts'
import type { TestDatabase } from '../../test/support/database.ts'
import { addLeases, setCoverage } from '../farm/farm-tables.test-support.ts'
import { readCoverage } from '../farm/leases/coverage.ts'
import { createPool, withTransaction } from '../platform/db/pool.ts'
import { RetryableError } from '../platform/errors.ts'
import type { FatalError } from '../platform/errors.ts'
import { readDeclaration } from './read-declaration.ts'
import {
  readOwnWorkers,
  readRegisteredWorkers,
  registerOwnWorker,
  removeOwnWorker,
  replaceIfCaughtUp,
  setWorkerError,
} from './registry.ts'
import type { RegisteredWorker } from './registry.ts'

const definition = {
  contract: 'A.0000000000000001.Shop',
  version: 1,
  description: 'Sales of the shop',
  tables: {
    sales: {
      comment: 'Sales',
      columns: {
        seller: { type: 'text', index: true, optional: true, comment: "The seller's account" },
        price: { type: 'numeric' },
      },
    },
  },
  folds: {
    totals: { kind: 'sum', of: 'sales', key: ['seller'], count: 'order', sums: { volume: 'price' } },
    latest: { kind: 'latest', of: 'sales', key: ['price'], columns: ['seller', 'block_height'] },
  },
}

describe('the registry of own workers', () => {
  let database: TestDatabase
  let pool: pg.Pool
  before(async () => {
    database = await createTestDatabase()
    pool = database.pool
  })
  afterEach(async () => {
    await withTransaction(pool, async (client) => {
      for (const { name } of await readRegisteredWorkers(client)) await removeOwnWorker(client, name)
    })
    await pool.query('truncate app.smart_contracts')
  })
  after(() => database.drop())

  const register = (codeHash: string, changes: object = {}, isReload = false): Promise<RegisteredWorker> => {
    const declaration = readDeclaration({ ...definition, ...changes })
    return withTransaction(pool, (client) =>
      registerOwnWorker(client, { name: 'own_shop', declaration, codeHash }, isReload),
    )
  }
  const names = async (): Promise<string[]> => (await readRegisteredWorkers(pool)).map(({ name }) => name)
  const schemas = async (): Promise<string[]> => {
    const { rows } = await pool.query<{ name: string }>(
      `select nspname as name from pg_namespace where nspname like 'own%' order by 1`,
    )
    return rows.map(({ name }) => name)
  }
  const replace = (): Promise<boolean> => withTransaction(pool, (client) => replaceIfCaughtUp(client, 'own_shop'))

  it('creates the schema with comments and indexes', async () => {
    await register('a')
    const { rows: columns } = await pool.query(
      `select table_name || '.' || column_name || ' ' || data_type || case is_nullable when 'YES' then '?' else '' end
         as column, col_description(to_regclass('own_shop.' || table_name), ordinal_position) as comment
       from information_schema.columns where table_schema = 'own_shop' and table_name <> 'sales' order by 1`,
    )
    expect(columns).to.deep.equal([
      { column: 'latest.block_height bigint', comment: 'Height of the block of the event.' },
      { column: 'latest.price numeric', comment: null },
      { column: 'latest.seller text?', comment: "The seller's account" },
      { column: 'totals.order bigint', comment: 'Number of rows.' },
      { column: 'totals.seller text', comment: "The seller's account" },
      { column: 'totals.volume numeric', comment: 'Sum of price.' },
    ])
    const { rows: indexes } = await pool.query<{ index: string }>(
      `select tablename || ' ' || substring(indexdef from '\\((.*)\\)') as index from pg_indexes
       where schemaname = 'own_shop' order by 1`,
    )
    expect(indexes.map(({ index }) => index)).to.deep.equal([
      'latest price',
      'latest seller, price',
      'sales block_height, tx_index, event_index, row_index',
      'sales price, block_height, tx_index, event_index, row_index',
      'sales seller, block_height, tx_index, event_index, row_index',
      'totals "order", seller',
      'totals seller',
      'totals volume, seller',
    ])
    const { rows } = await pool.query(
      `select obj_description('own_shop'::regnamespace) as schema, obj_description('own_shop.sales'::regclass) as table`,
    )
    expect(rows).to.deep.equal([{ schema: 'Sales of the shop', table: 'Sales' }])
    const [worker] = await readOwnWorkers(pool)
    expect(worker?.deriveEvents?.contract).to.equal(definition.contract)
    expect(worker?.tables[0]?.columns.slice(5)).to.deep.equal(['transaction_id', 'seller', 'price'])
  })

  it('creates views, which keep their tables when these are replaced', async () => {
    const views = {
      best: { sql: 'select seller, volume from totals order by volume desc', comment: 'Best first' },
      number: { sql: 'select count(*) as sellers from best' },
    }
    await register('a', { views })
    const [worker] = await readRegisteredWorkers(pool)
    expect(worker?.declaration.views?.map(({ name, columns }) => [name, columns])).to.deep.equal([
      [
        'best',
        [
          { name: 'seller', type: 'text' },
          { name: 'volume', type: 'numeric' },
        ],
      ],
      ['number', [{ name: 'sellers', type: 'bigint' }]],
    ])
    await register('b', { version: 2, views })
    expect(await replace()).to.equal(true)
    await pool.query("insert into own_shop.totals values ('a', 1, 2), ('b', 1, 3)")
    expect((await pool.query('select seller from own_shop.best')).rows).to.deep.equal([
      { seller: 'b' },
      { seller: 'a' },
    ])
    expect((await pool.query('select sellers from own_shop.number')).rows).to.deep.equal([{ sellers: '2' }])
  })

  it('refuses views of anything else, and names the remedy', async () => {
    const refused = async (sql: string): Promise<string> =>
      register('a', { views: { best: { sql } } }).then(
        () => 'accepted',
        (error: unknown) => `${(error as FatalError).code}: ${(error as FatalError).message}`,
      )
    const cases: Record<string, string> = {
      'select seller, price * 2 from sales': 'Name it with "as"',
      'select seller, avg(price)::real as mean from sales group by 1': 'has the type real. Cast it to one of text,',
      'select seler from sales': 'column "seler" does not exist',
      'select from nothing': 'nothing',
      'select jwt from wallet_auth.users': 'wallet_auth',
      'select height from raw.blocks': 'raw.blocks',
      'select name from app.own_workers': 'app.own_workers',
      'select 1 as a; select 2 as b': 'one at a time',
      'select 1 as a; drop table own_shop.sales': 'DROP',
      'delete from sales returning seller': 'DELETE',
      'table sales': 'TABLE',
      "select pg_read_file('/etc/passwd') as text": 'pg_read_file',
      'select pg_sleep(100)::text as wait': 'pg_sleep',
      'select seller from sales for update': 'UPDATE',
      'select seller into copy from sales': 'INTO',
    }
    for (const [sql, words] of Object.entries(cases)) {
      const message = await refused(sql)
      expect(message, sql).to.match(/^bad-own-worker: Invalid declaration: views\.best: /)
      expect(message, sql).to.include(words)
      expect(await schemas(), sql).to.deep.equal([])
    }
    expect(() => readDeclaration({ ...definition, views: { sales: { sql: 'select 1 as a' } } })).to.throw(
      'views.sales: Rename the view',
    )
    expect(() => readDeclaration({ ...definition, views: { long: { sql: 'x'.repeat(10_001) } } })).to.throw(
      'views.long.sql: Use at most 10000 characters.',
    )
  })

  it('registers once when several processes start at once', async () => {
    const registered = await Promise.all(Array.from({ length: 8 }, () => register('a')))
    expect(new Set(registered.map(({ name }) => name))).to.deep.equal(new Set(['own_shop']))
    expect(await names()).to.deep.equal(['own_shop'])
  })

  it('leaves nothing if registration fails', async () => {
    const declaration = readDeclaration(definition)
    const failing = withTransaction(pool, async (client) => {
      await registerOwnWorker(client, { name: 'own_shop', declaration, codeHash: 'a' }, false)
      throw new Error('killed')
    })
    await expectRejection(failing, 'killed')
    expect(await names()).to.deep.equal([])
    expect(await schemas()).to.deep.equal([])
  })

  it('does not touch a schema that it does not know', async () => {
    await pool.query('create schema own_shop')
    await expectRejection(register('a'), 'Could not create schema own_shop: it exists already.')
    expect(await withTransaction(pool, (client) => removeOwnWorker(client, 'own_shop'))).to.equal(false)
    expect(await schemas()).to.deep.equal(['own_shop'])
    await pool.query('drop schema own_shop')
  })

  it('refuses changed code without a higher version', async () => {
    await register('a', { version: 2 })
    await expectRejection(register('b', { version: 2 }), 'Restore the code, or raise version above 2')
    await expectRejection(register('b', { version: 1 }), 'Deploy version 2, or raise version above 2')
    expect(await names()).to.deep.equal(['own_shop'])
    expect((await register('b', { version: 3 })).name).to.equal('own_shop__next')
    expect((await register('a', { version: 2 })).name).to.equal('own_shop', 'a process with the old code keeps running')
    expect(await names()).to.deep.equal(['own_shop', 'own_shop__next'])
    await expectRejection(register('c', { version: 3 }), 'registered version 3')
  })

  it('replaces a successor by newer code, and drops it when the code is restored', async () => {
    await register('a')
    expect((await register('b', {}, true)).name).to.equal('own_shop__next')
    await setCoverage(pool, { own_shop__next: [{ from: 0, to: 10 }] })
    expect((await register('c', {}, true)).codeHash).to.equal('c')
    expect((await readCoverage(pool, ['own_shop__next'])).get('own_shop__next')).to.deep.equal([])
    expect((await register('a', {}, true)).name).to.equal('own_shop')
    expect(await schemas()).to.deep.equal(['own_shop'])
  })

  it('replaces the tables when the successor has covered the same heights', async () => {
    await register('a')
    await setCoverage(pool, { own_shop: [{ from: 0, to: 100 }] })
    await addLeases(pool, [{ worker: 'own_shop', from: 100, to: 110, status: 'done' }])
    await register('b', { version: 2, tables: { sales: definition.tables.sales, more: { columns: {} } } })
    await setCoverage(pool, { own_shop__next: [{ from: 0, to: 109 }] })
    await pool.query('insert into own_shop__next.totals values ($1, 1, 5)', ['new'])
    expect(await replace()).to.equal(false)
    await addLeases(pool, [
      { worker: 'own_shop__next', from: 109, to: 110, status: 'done' },
      { worker: 'own_shop__next', from: 110, to: 120, status: 'active' },
    ])
    await pool.query(
      `insert into raw.indexing_errors (worker_name, block_height, code, message)
       values ('own_shop', 1, 'old', ''), ('own_shop__next', 1, 'new', '')`,
    )
    expect(await replace()).to.equal(true)
    const [worker, ...others] = await readRegisteredWorkers(pool)
    expect(others).to.deep.equal([])
    expect(worker).to.include({ name: 'own_shop', codeHash: 'b', replaces: undefined })
    expect(await schemas()).to.deep.equal(['own_shop'])
    expect((await pool.query('select seller from own_shop.totals')).rows).to.deep.equal([{ seller: 'new' }])
    expect([...(await readCoverage(pool))].filter(([name]) => name.startsWith('own'))).to.deep.equal([
      ['own_shop', [{ from: 0, to: 110 }]],
    ])
    const { rows: leases } = await pool.query('select worker_type as worker, status from app.worker_leases')
    expect(leases).to.deep.equal([{ worker: 'own_shop', status: 'done' }])
    const { rows: errors } = await pool.query('select worker_name as worker, code from raw.indexing_errors')
    expect(errors).to.deep.equal([{ worker: 'own_shop', code: 'new' }])
    expect(await replace()).to.equal(false)
  })

  it('needs no coverage below the start of the successor', async () => {
    await register('a', { startHeight: 0 })
    await setCoverage(pool, { own_shop: [{ from: 0, to: 100 }] })
    await register('b', { startHeight: 50 }, true)
    await setCoverage(pool, { own_shop__next: [{ from: 50, to: 100 }] })
    expect(await replace()).to.equal(true)
  })

  it('changes all or nothing, wherever the process is killed', async () => {
    const declaration = readDeclaration(definition)
    const next = { name: 'own_shop', declaration, codeHash: 'b' }
    const state = async (): Promise<unknown> => {
      const { rows } = await pool.query(
        `select (select jsonb_agg(w order by name) from (select name, code_hash, replaces from app.own_workers) w) as workers,
           (select jsonb_object_agg(service_name, covered) from app.coverage where service_name like 'own%') as coverage,
           (select jsonb_agg(format('%s.%s', table_schema, table_name) order by 1) from information_schema.tables
            where table_schema like 'own%') as tables`,
      )
      return rows
    }
    const steps: readonly ((client: pg.ClientBase) => Promise<unknown>)[] = [
      (client) => registerOwnWorker(client, { ...next, codeHash: 'a' }, true),
      (client) => registerOwnWorker(client, next, true),
      (client) => replaceIfCaughtUp(client, 'own_shop'),
      (client) => removeOwnWorker(client, 'own_shop'),
    ]
    for (const step of steps) {
      const before = await state()
      for (let statements = 0, isDone = false; !isDone; statements++) {
        isDone = await withTransaction(pool, async (client) => {
          await step(killedAfter(client, statements))
          return true
        }).catch((error: unknown) => {
          expect((error as Error).message).to.include('terminating connection')
          return false
        })
        if (!isDone) expect(await state(), `killed after ${statements} statements`).to.deep.equal(before)
      }
      expect(await state()).to.not.deep.equal(before)
    }
  }).timeout(60_000)

  it('keeps both if the replacement fails', async () => {
    await register('a')
    await register('b', {}, true)
    const failing = withTransaction(pool, async (client) => {
      expect(await replaceIfCaughtUp(client, 'own_shop')).to.equal(true)
      throw new Error('killed')
    })
    await expectRejection(failing, 'killed')
    expect(await names()).to.deep.equal(['own_shop', 'own_shop__next'])
    expect(await schemas()).to.deep.equal(['own_shop', 'own_shop__next'])
    expect(await replace()).to.equal(true)
  })

  it('removes a worker with its successor', async () => {
    await register('a')
    await register('b', {}, true)
    await addLeases(pool, [{ worker: 'own_shop', from: 0, to: 10, status: 'done' }])
    expect(await withTransaction(pool, (client) => removeOwnWorker(client, 'own_shop'))).to.equal(true)
    expect(await schemas()).to.deep.equal([])
    const { rows } = await pool.query(`select from app.worker_leases where worker_type like 'own%'`)
    expect(rows).to.deep.equal([])
    expect([...(await readCoverage(pool)).keys()].filter((name) => name.startsWith('own'))).to.deep.equal([])
  })

  it('starts at the declared height, else at the first block', async () => {
    expect((await register('a')).startHeight).to.equal(0)
    expect((await register('b', { startHeight: 700 }, true)).startHeight).to.equal(700)
    expect((await readCoverage(pool, ['own_shop__next'])).get('own_shop__next')).to.deep.equal([{ from: 0, to: 700 }])
  })

  it('shows an error until it is fixed', async () => {
    await register('a')
    await setWorkerError(pool, 'own_shop', 'broken')
    expect((await readRegisteredWorkers(pool))[0]?.error).to.equal('broken')
    await setWorkerError(pool, 'own_shop', null)
    expect((await readRegisteredWorkers(pool))[0]?.error).to.equal(null)
  })

  it('reports a lost database as retryable', async () => {
    const lost = createPool('postgresql://127.0.0.1:1/none', { max: 1 })
    try {
      const error: unknown = await readOwnWorkers(lost).catch((reason: unknown) => reason)
      expect(error).to.be.instanceOf(RetryableError)
    } finally {
      await lost.end()
    }
  })
})

/** The server ends the session before the next statement. */
function killedAfter(client: pg.ClientBase, statements: number): pg.ClientBase {
  let left = statements
  return new Proxy(client, {
    get(target, name) {
      if (name !== 'query') return Reflect.get(target, name, target) as unknown
      return async (...query: Parameters<typeof target.query>) => {
        if (left-- === 0) await target.query('select pg_terminate_backend(pg_backend_pid())')
        return target.query(...query) as unknown
      }
    },
  })
}

async function expectRejection(promise: Promise<unknown>, message: string): Promise<void> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).to.be.instanceOf(Error)
  expect((error as FatalError).message).to.include(message)
}
