import { expect } from 'chai'
import { maxSavedQueries } from '../../../../src/assistant/query/saved/saved-queries.ts'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { runAsk } from '../support/running-ask.ts'
import type { Answered, Problem, RunningAsk } from '../support/running-ask.ts'

const token = { Authorization: 'Bearer secret' }

describe('statements with parameters', () => {
  let db: TestDatabase
  let ask: RunningAsk
  before(async () => {
    db = await createTestDatabase()
    await db.pool.query(`
      INSERT INTO app.prices (token, currency, price_time, price)
      SELECT 'A.' || n, 'usd', '2026-01-01'::date + n, n FROM generate_series(1, 9) AS n`)
    ask = await runAsk(db)
  })
  after(async () => {
    await ask.stop()
    await db.drop()
  })

  const run = <Body = Problem>(sql: string, ...parameters: object[]): Promise<Answered<Body>> =>
    ask.post<Body>('/api/v1/run_sql', { sql, parameters })
  const rows = async (sql: string, ...parameters: object[]): Promise<unknown> =>
    (await run<{ results: unknown }>(sql, ...parameters)).body.results

  it('compare columns by their type', async () => {
    expect(
      await rows(
        'SELECT token FROM app.prices WHERE price_time > {{since}} AND price < {{most}} AND token <> {{not}} ORDER BY token LIMIT {{rows}}',
        { name: 'since', type: 'date', value: '2026-01-04' },
        { name: 'most', type: 'number', value: '7.5' },
        { name: 'not', type: 'text', value: "A.5' OR true --" },
        { name: 'rows', type: 'number', value: '2' },
      ),
    ).to.deep.equal([{ token: 'A.4' }, { token: 'A.5' }])
  })

  it('are values in any place, never SQL', async () => {
    const value = `x'; SELECT pg_sleep(1) -- {{a}} $1`
    const parameter = { name: 'a', type: 'text', value }
    expect(await rows('SELECT {{a}} AS b, length({{a}}) AS n', parameter)).to.deep.equal([
      { b: value, n: value.length },
    ])
    for (const [sql, code] of [
      ['SELECT * FROM {{a}}', 'sql-syntax'],
      ['SELECT {{a}}::regclass', 'sql-type'],
      ['SELECT set_config({{a}}, {{a}}, false)', 'sql-function'],
      ['SELECT $2, {{a}}', 'sql-clause'],
      ['SELECT {{b}}', 'missing-parameter'],
    ] as const)
      expect((await run(sql, parameter)).body.code, sql).to.equal(code)
  })

  it('cost as much as literals', async () => {
    const value = '5'
    for (const sql of [
      'SELECT repeat(repeat({{a}}, 100000), 100000)',
      'SELECT regexp_replace(repeat({{a}}, 10000000), {{a}}, {{a}})',
      'SELECT 10 ^ {{a}}::numeric',
      'SELECT unnest(string_to_array({{a}}, {{a}}))',
    ]) {
      const literal = await run(sql.replaceAll('{{a}}', `'${value}'`))
      expect((await run(sql, { name: 'a', type: 'text', value })).body.code, sql).to.equal(literal.body.code)
    }
  })

  it('report the position of an error in the original statement', async () => {
    const { body } = await run('SELECT {{a}}, hieght FROM raw.blocks', {
      name: 'a',
      type: 'text',
      value: 'long '.repeat(20),
    })
    expect(body.error_position).to.equal('SELECT {{a}}, '.length + 1)
  })

  it('must be of their type, and within limits', async () => {
    const parameters: readonly object[] = [
      { name: 'a', type: 'number', value: '1e9' },
      { name: 'a', type: 'number', value: '' },
      { name: 'a', type: 'date', value: '2026-02-32' },
      { name: 'a', type: 'date', value: 'now()' },
      { name: 'a', type: 'text', value: 'x'.repeat(1001) },
      { name: 'a', type: 'text', value: '\0' },
      { name: 'a b', type: 'text', value: '' },
      { name: 'a', type: 'json', value: '' },
    ]
    for (const parameter of parameters)
      expect((await run('SELECT {{a}}', parameter)).body.code, JSON.stringify(parameter)).to.equal('invalid-field')
    const many = Array.from({ length: 21 }, (_, i) => ({ name: `a${i}`, type: 'text', value: '' }))
    expect((await run('SELECT 1', ...many)).body.code).to.equal('invalid-field')
    expect(await rows('SELECT {{a}} AS a', { name: 'a', type: 'text', value: 'x'.repeat(1000) })).to.have.length(1)
  })
})

describe('saved queries', () => {
  let db: TestDatabase
  let ask: RunningAsk
  before(async () => {
    db = await createTestDatabase()
    ask = await runAsk(db, { API_TOKEN: 'secret' })
  })
  after(async () => {
    await ask.stop()
    await db.drop()
  })

  interface Saved {
    readonly id: string
    readonly name: string
    readonly sql: string
  }

  const save = (name: string, sql = 'SELECT {{a}}'): Promise<Answered<Saved & Problem>> =>
    ask.post('/api/v1/queries', { name, sql, parameters: [{ name: 'a', type: 'number', value: '1' }] }, token)
  const list = async (): Promise<readonly Saved[]> =>
    (await ask.get<{ data: readonly Saved[] }>('/api/v1/queries', token)).body.data

  it('are listed by name, replaced by name, and deleted', async () => {
    const { body } = await save(' b ')
    await save('a')
    const { status } = await ask.post(
      '/api/v1/queries',
      { name: 'a', sql: 'SELECT {{a}}', parameters: [{ name: 'a', type: 'number', value: '' }] },
      token,
    )
    expect(status, 'without a default').to.equal(200)
    await save('b', 'SELECT 2')
    const saved = await list()
    expect(saved.map(({ name, sql }) => [name, sql])).to.deep.equal([
      ['a', 'SELECT {{a}}'],
      ['b', 'SELECT 2'],
    ])
    expect(saved[1]?.id).to.equal(body.id)
    const path = `/api/v1/queries/${body.id}`
    expect((await ask.fetch(path, { method: 'DELETE', headers: token })).status).to.equal(200)
    expect((await ask.fetch(path, { method: 'DELETE', headers: token })).status).to.equal(404)
    expect(await list()).to.have.length(1)
  })

  it('belong to the token', async () => {
    expect((await ask.get('/api/v1/queries')).status).to.equal(401)
    await db.pool.query(`
      INSERT INTO app.saved_queries (id, owner, name, target, question, sql, parameters)
      VALUES ('00000000000000aa', 'everybody', 'other', 'indexer', '', 'SELECT 1', '[]')`)
    expect((await list()).map(({ name }) => name)).to.not.include('other')
    const response = await ask.fetch('/api/v1/queries/00000000000000aa', { method: 'DELETE', headers: token })
    expect(response.status).to.equal(404)
  })

  it('are limited in size and number', async () => {
    expect((await save('x'.repeat(101))).body.code).to.equal('invalid-field')
    expect((await save(' ')).body.code).to.equal('invalid-field')
    expect((await save('long', 'x'.repeat(50_001))).body.code).to.equal('invalid-field')
    await db.pool.query(
      `INSERT INTO app.saved_queries (id, owner, name, target, question, sql, parameters)
       SELECT 'n' || n, owner, 'n' || n, 'indexer', '', 'SELECT 1', '[]'
       FROM (SELECT DISTINCT owner FROM app.saved_queries WHERE owner <> 'everybody') AS o, generate_series(2, $1) AS n`,
      [maxSavedQueries],
    )
    expect(await list()).to.have.length(maxSavedQueries)
    expect((await save('one more')).body.code).to.equal('queries-full')
    expect((await save('a')).status, 'replaces').to.equal(200)
  })
})
