import { request as httpRequest } from 'node:http'
import { expect } from 'chai'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { runAsk } from '../support/running-ask.ts'
import type { RunningAsk } from '../support/running-ask.ts'

interface SqlResult {
  readonly target: string
  readonly sql: string
  readonly columns: string[]
  readonly column_types: string[]
  readonly results: Record<string, unknown>[]
  readonly row_count: number
  readonly truncated: boolean
  readonly truncated_by: string | null
  readonly error: string | null
  readonly duration_ms: number
}

describe('run_sql', () => {
  let db: TestDatabase
  let ask: RunningAsk
  before(async () => {
    db = await createTestDatabase()
    ask = await runAsk(db, { MAX_RESULT_ROWS: '5', QUERY_TIMEOUT_S: '1' })
  })
  after(async () => {
    await ask.stop()
    await db.drop()
  })

  const run = (sql: string, fields: object = {}): ReturnType<typeof ask.post<SqlResult>> =>
    ask.post<SqlResult>('/api/v1/run_sql', { sql, ...fields })

  it('returns exact rows by name with column types', async () => {
    const sql = `SELECT 9223372036854775807::int8 AS big, 0.10::numeric AS tenth, '\\x00ff'::bytea AS bytes, true AS yes, null::text AS none, 'NaN'::float8 AS nan`
    const { status, headers, body } = await run(sql)
    const row = { big: '9223372036854775807', tenth: '0.10', bytes: '0x00ff', yes: true, none: null, nan: 'NaN' }
    expect(status).to.equal(200)
    expect(headers.get('cache-control')).to.equal('no-store')
    expect(body).to.deep.include({
      target: 'indexer',
      sql,
      columns: Object.keys(row),
      column_types: ['int8', 'numeric', 'bytea', 'bool', 'text', 'float8'],
      results: [row],
      row_count: 1,
      truncated: false,
      truncated_by: null,
      error: null,
    })
    expect(body.duration_ms).to.be.above(0)
  })

  it('preserves columns with duplicate names', async () => {
    const { body } = await run('SELECT 1 AS a, 2 AS a, 3 AS a_2')
    expect(body.columns).to.deep.equal(['a', 'a_3', 'a_2'])
    expect(body.results).to.deep.equal([{ a: 1, a_3: 2, a_2: 3 }])
  })

  it('returns the columns of an empty result', async () => {
    const { body } = await run('SELECT height, id FROM raw.blocks WHERE false')
    expect(body).to.deep.include({
      columns: ['height', 'id'],
      column_types: ['int8', 'bytea'],
      results: [],
      row_count: 0,
    })
  })

  it('truncates at MAX_RESULT_ROWS and at the requested limit and reports it', async () => {
    const six = 'SELECT * FROM generate_series(1, 6) AS n'
    expect((await run(six)).body).to.include({ row_count: 5, truncated: true, truncated_by: 'rows' })
    expect((await run(six, { max_rows: 2 })).body).to.include({ row_count: 2, truncated: true })
    expect((await run(six, { max_rows: 1000 })).body).to.include({ row_count: 5, truncated: true })
    expect((await run('SELECT * FROM generate_series(1, 5) AS n')).body).to.include({
      row_count: 5,
      truncated: false,
      truncated_by: null,
    })
  })

  it('rejects statements other than SELECT and names the offending word', async () => {
    const { status, headers, body } = await ask.post('/api/v1/run_sql', { sql: 'DELETE FROM raw.blocks' })
    expect(status).to.equal(400)
    expect(headers.get('content-type')).to.match(/^application\/problem\+json/)
    expect(body).to.include({ status: 400, code: 'sql-keyword', field: 'sql' })
    expect(body.detail).to.include('DELETE')
    expect(body.error).to.equal(body.detail)
  })

  it('reports the database error and its position', async () => {
    const { status, body } = await ask.post('/api/v1/run_sql', { sql: 'SELECT heigth FROM raw.blocks' })
    expect(status).to.equal(400)
    expect(body).to.include({ code: 'sql-failed', sql_state: '42703', error_position: 8 })
    expect(body.detail).to.include('heigth')
  })

  it('rejects private tables', async () => {
    const { status, body } = await ask.post('/api/v1/run_sql', { sql: 'SELECT * FROM app.developer_keys' })
    expect(status).to.equal(400)
    expect(body.code).to.equal('sql-relation')
  })

  it('cancels a statement at its timeout', async () => {
    const { status, body } = await ask.post('/api/v1/run_sql', {
      sql: 'SELECT count(*) FROM generate_series(1, 100000000000) AS n',
    })
    expect(status).to.equal(504)
    expect(body).to.include({ code: 'sql-timeout' })
    expect(body.detail).to.include('1 s')
  })

  it('takes the database from the path or the body, has a default, and rejects a conflict', async () => {
    for (const [path, fields] of [
      ['/api/v1/run_sql', {}],
      ['/api/v1/run_sql', { target: 'indexer' }],
      ['/api/v1/indexer/run_sql', {}],
    ] as const) {
      expect((await ask.post<SqlResult>(path, { sql: 'SELECT 1', ...fields })).body.target).to.equal('indexer')
    }
    const { status, body } = await ask.post('/api/v1/indexer/run_sql', { sql: 'SELECT 1', target: 'evm' })
    expect([status, body.field]).to.deep.equal([400, 'target'])
  })

  it('reports which variable to set for an unavailable database', async () => {
    const { status, body } = await ask.post('/api/v1/evm/run_sql', { sql: 'SELECT 1' })
    expect([status, body.code]).to.deep.equal([404, 'no-target'])
    expect(body.detail).to.include('EVM_EXPLORER_DATABASE_URL')
  })

  for (const [name, body, field] of [
    ['nothing', {}, 'sql'],
    ['another name', { query: 'SELECT 1' }, 'sql'],
    ['blanks', { sql: ' \n' }, 'sql'],
    ['a number', { sql: 1 }, 'sql'],
    ['a field too many', { sql: 'SELECT 1', limit: 5 }, 'limit'],
    ['another database', { sql: 'SELECT 1', target: 'mysql' }, 'target'],
    ['no rows', { sql: 'SELECT 1', max_rows: 0 }, 'max_rows'],
  ] as const) {
    it(`rejects ${name} and names the field`, async () => {
      const answer = await ask.post('/api/v1/run_sql', body)
      expect([answer.status, answer.body.code, answer.body.field]).to.deep.equal([400, 'invalid-field', field])
    })
  }

  for (const body of [null, [], 'SELECT 1', 1]) {
    it(`rejects ${JSON.stringify(body)} instead of an object`, async () => {
      const answer = await ask.post('/api/v1/run_sql', body)
      expect([answer.status, answer.body.code, answer.body.detail]).to.deep.equal([
        400,
        'invalid-field',
        'The body must be a JSON object.',
      ])
    })
  }

  it('lists the valid fields for an unknown field', async () => {
    const { body } = await ask.post('/api/v1/run_sql', { sql: 'SELECT 1', limit: 5 })
    expect(body.detail).to.equal('Field "limit" is unknown; known: sql, target, max_rows, parameters.')
  })

  it('rejects a body that is invalid JSON, unlabelled or too large', async () => {
    const send = async (init: RequestInit): Promise<[number, string]> => {
      const response = await ask.fetch('/api/v1/run_sql', { method: 'POST', ...init })
      return [response.status, ((await response.json()) as { code: string }).code]
    }
    const headers = { 'Content-Type': 'application/json' }
    expect(await send({ body: '{"sql": "SELECT 1"}', headers: { 'Content-Type': 'text/plain' } })).to.deep.equal([
      415,
      'not-json',
    ])
    expect(await send({ body: '{"sql": ', headers })).to.deep.equal([400, 'bad-json'])
    expect(await send({ body: JSON.stringify({ sql: 'x'.repeat(1024 * 1024) }), headers })).to.deep.equal([
      413,
      'body-too-large',
    ])
  })

  /** Whether a statement with this name is running. */
  const isRunning = async (name: string): Promise<boolean> => {
    const { rowCount } = await db.pool.query(
      `SELECT FROM pg_stat_activity WHERE application_name = 'flowfarm ask' AND state = 'active' AND query LIKE '%' || $1 || '%'`,
      [name],
    )
    return rowCount !== null && rowCount > 0
  }

  it('returns Retry-After when too many statements run', async () => {
    const small = await runAsk(db, { ASK_CONCURRENCY: '1', ASK_QUEUE: '0', QUERY_TIMEOUT_S: '2' })
    try {
      for (let isSeen = false; !isSeen;) {
        const state = { hasEnded: false }
        const long = small.post('/api/v1/run_sql', {
          sql: 'SELECT count(*) AS crowded FROM generate_series(1, 100000000000) AS n',
        })
        void long.finally(() => (state.hasEnded = true))
        while (!state.hasEnded && !(await isRunning('crowded')));
        const { status, headers, body } = await small.post('/api/v1/run_sql', { sql: 'SELECT 1' })
        expect((await long).status).to.equal(504)
        // Repeated if the first statement ended too early.
        if (status === 200) continue
        isSeen = true
        expect([status, body.code]).to.deep.equal([503, 'sql-busy'])
        expect(Number(headers.get('retry-after'))).to.be.at.least(1)
      }
    } finally {
      await small.stop()
    }
  })

  it('cancels the statement when the client disconnects', async () => {
    const patient = await runAsk(db, { QUERY_TIMEOUT_S: '600' })
    try {
      const gone = httpRequest(`${patient.origin}/api/v1/run_sql`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
      })
      gone.on('error', () => undefined)
      gone.end(JSON.stringify({ sql: 'SELECT count(*) AS endless FROM generate_series(1, 100000000000) AS n' }))
      while (!(await isRunning('endless')));
      gone.destroy()
      while (await isRunning('endless'));
    } finally {
      await patient.stop()
    }
  })
})
