import { expect } from 'chai'
import { startFakeProvider } from '../../../scripts/eval/fake-provider.ts'
import { readerRole } from '../../../src/assistant/query/sql/reader.ts'
import { readDeclaration } from '../../../src/own-tables/read-declaration.ts'
import { registerOwnWorker, removeOwnWorker } from '../../../src/own-tables/registry.ts'
import { withTransaction } from '../../../src/platform/db/pool.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { setTimeout as pause } from 'node:timers/promises'
import { runAsk } from './support/running-ask.ts'
import type { Answered, Problem, RunningAsk } from './support/running-ask.ts'

describe('own tables in SQL', () => {
  let db: TestDatabase
  let ask: RunningAsk
  before(async () => {
    db = await createTestDatabase()
    await register('own_early')
    ask = await runAsk(db)
  })
  after(async () => {
    await ask.stop()
    await db.drop()
  })

  async function register(name: string, replaces: string | null = null): Promise<void> {
    const declaration = {
      contract: 'A.0b2a3299cc857e29.TopShot',
      description: 'Moments',
      tables: [{ name: 'sales', columns: [] }],
      folds: [{ name: 'sale_totals' }],
      views: [{ name: 'prices' }, { name: 'keys' }],
    }
    await db.pool.query(`
      CREATE SCHEMA ${name};
      CREATE TABLE ${name}.sales (block_height bigint PRIMARY KEY, price numeric);
      COMMENT ON COLUMN ${name}.sales.price IS 'In FLOW';
      CREATE TABLE ${name}.sale_totals (seller text PRIMARY KEY, volume numeric);
      CREATE TABLE ${name}.other (secret text);
      CREATE VIEW ${name}.prices WITH (security_invoker = true) AS SELECT price FROM ${name}.sales;
      CREATE VIEW ${name}.keys AS SELECT * FROM app.developer_keys;
      CREATE FUNCTION ${name}.leak() RETURNS text LANGUAGE sql IMMUTABLE SECURITY DEFINER AS 'SELECT 1::text';
      INSERT INTO ${name}.sales VALUES (1, 2.5)`)
    await db.pool.query(
      `INSERT INTO app.own_workers (name, declaration, code_hash, start_height, replaces) VALUES ($1, $2, '', 0, $3)`,
      [name, declaration, replaces],
    )
  }

  const run = (sql: string): Promise<Answered<Problem>> => ask.post('/api/v1/run_sql', { sql })
  const whenRun = async (sql: string, status: number): Promise<void> => {
    while ((await run(sql)).status !== status) await pause(50)
  }

  it('are readable with the process start, and no other relation of their schema', async () => {
    const { body } = await ask.post<{ results: unknown[] }>('/api/v1/run_sql', {
      sql: 'SELECT s.price, t.volume FROM own_early.sales AS s LEFT JOIN own_early.sale_totals AS t ON true',
    })
    expect(body.results).to.deep.equal([{ price: '2.5', volume: null }])
    const view = await ask.post<{ results: unknown[] }>('/api/v1/run_sql', {
      sql: 'SELECT price FROM own_early.prices',
    })
    expect(view.body.results).to.deep.equal([{ price: '2.5' }])
    for (const table of ['own_early.other', 'own_early.keys', 'sales', 'app.own_workers'])
      expect((await run(`SELECT * FROM ${table}`)).body.code, table).to.equal('sql-relation')
    expect((await run('SELECT own_early.leak()')).body.code).to.equal('sql-function')
    expect((await run('SELECT NULL::own_early.keys')).body.code).to.equal('sql-type')
    const { rows } = await db.pool.query<{ name: string }>(
      `SELECT c.oid::regclass::text AS name FROM pg_class AS c
       WHERE c.relnamespace = 'own_early'::regnamespace AND c.relkind IN ('r', 'v')
         AND has_table_privilege($1, c.oid, 'SELECT') AND NOT has_table_privilege($1, c.oid, 'INSERT, UPDATE, DELETE')
       ORDER BY 1`,
      [readerRole],
    )
    expect(rows.map(({ name }) => name)).to.deep.equal(['own_early.prices', 'own_early.sale_totals', 'own_early.sales'])
  })

  it('appear without a restart once they are served, and disappear with their worker', async () => {
    const sql = 'SELECT price FROM own_late.sales'
    expect((await run(sql)).body.code).to.equal('sql-relation')
    await register('own_late', 'own_early')
    await register('own_later')
    await whenRun('SELECT price FROM own_later.sales', 200)
    expect((await run(sql)).body.code, 'not served yet').to.equal('sql-relation')
    await db.pool.query(`UPDATE app.own_workers SET replaces = NULL WHERE name = 'own_late'`)
    await whenRun(sql, 200)
    await db.pool.query(`DELETE FROM app.own_workers WHERE name = 'own_late'`)
    // Until the gate follows, the database refuses it.
    while ((await run(sql)).body.code !== 'sql-relation') await pause(50)
    const { rows } = await db.pool.query<{ may: boolean }>(
      `SELECT has_schema_privilege($1, 'own_late', 'USAGE') AS may`,
      [readerRole],
    )
    expect(rows).to.deep.equal([{ may: false }])
    expect((await run('SELECT price FROM own_later.sales')).status, 'the others stay').to.equal(200)
  })

  it('stay readable when they are replaced by a table of the same name', async () => {
    await db.pool.query(`
      DROP SCHEMA own_early CASCADE; DELETE FROM app.own_workers WHERE name = 'own_early'`)
    expect((await run('SELECT height FROM raw.blocks')).status).to.equal(200)
    await register('own_early')
    await db.pool.query('ALTER TABLE own_early.sales ADD COLUMN buyer text')
    await whenRun('SELECT buyer FROM own_early.sales', 200)
  })

  it('are those that the registry creates and removes', async () => {
    const declaration = readDeclaration({
      contract: 'A.0000000000000001.Shop',
      version: 1,
      description: 'Sales of the shop',
      tables: { orders: { comment: 'Orders', columns: { price: { type: 'numeric' }, buyer: { type: 'text' } } } },
      folds: { totals: { kind: 'sum', of: 'orders', key: ['buyer'], count: 'orders', sums: { volume: 'price' } } },
    })
    await withTransaction(db.pool, (client) =>
      registerOwnWorker(client, { name: 'own_shop', declaration, codeHash: 'a' }, false),
    )
    const sql =
      'SELECT o.transaction_id, o.price, t.volume FROM own_shop.orders AS o JOIN own_shop.totals AS t USING (buyer)'
    await whenRun(sql, 200)
    const { body } = await ask.get<{ data: { schema: string; name: string; comment: string | null }[] }>(
      '/api/v1/schema',
    )
    expect(body.data.find(({ schema, name }) => schema === 'own_shop' && name === 'orders')?.comment).to.equal('Orders')
    await withTransaction(db.pool, (client) => removeOwnWorker(client, 'own_shop'))
    await whenRun(sql, 400)
    expect((await run('SELECT price FROM own_later.sales')).status, 'the others stay').to.equal(200)
  })

  it('keep a separate login for statements after a restart', async () => {
    const { body } = await ask.post<{ results: { current_user: string }[] }>('/api/v1/run_sql', {
      sql: 'SELECT DISTINCT grantee AS current_user FROM (SELECT current_user AS grantee) AS who',
    })
    const again = await runAsk(db)
    const restarted = await again.post<{ results: { current_user: string }[] }>('/api/v1/run_sql', {
      sql: 'SELECT DISTINCT grantee AS current_user FROM (SELECT current_user AS grantee) AS who',
    })
    await again.stop()
    expect(restarted.body.results).to.deep.equal(body.results)
    expect(restarted.body.results?.[0]?.current_user).to.match(/^flowfarm_reader_of_/)
  })

  it('reach the model with their comments', async () => {
    const provider = await startFakeProvider(() => ({ text: '```sql\nSELECT price FROM own_early.sales\n```' }))
    const withModel = await runAsk(db, {
      LLM_PROVIDER: 'anthropic',
      LLM_API_KEY: 'key',
      LLM_BASE_URL: provider.url,
    })
    try {
      const { body } = await withModel.post<{ results: unknown[] }>('/api/v1/ask', { question: 'Prices of moments?' })
      expect(body.results).to.deep.equal([{ price: '2.5' }])
      const sent = JSON.stringify(provider.calls)
      expect(sent).to.include('CREATE TABLE own_early.sales').and.include('In FLOW')
      expect(sent).to.include('Moments (events of A.0b2a3299cc857e29.TopShot)')
      expect(sent).to.not.include('own_early.other')
    } finally {
      await withModel.stop()
      await provider.close()
    }
  })
})
