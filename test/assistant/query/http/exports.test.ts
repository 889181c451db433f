import { expect } from 'chai'
import { parquetReadObjects } from 'hyparquet'
import { setTimeout as pause } from 'node:timers/promises'
import { isNumberType, toCsv } from '../../../../dashboards/kit/result-table.ts'
import type { SqlValue } from '../../../../dashboards/kit/result-table.ts'
import type { ExportLimits } from '../../../../src/assistant/query/exports.ts'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { runAsk } from '../support/running-ask.ts'
import type { Problem, RunningAsk } from '../support/running-ask.ts'

interface State extends Omit<Problem, 'status'> {
  readonly id: string
  readonly status: string
  readonly row_count: number
  readonly bytes: number
  readonly truncated_by: string | null
  readonly error_code: string | null
}

const endless = 'SELECT count(*) FROM generate_series(1, 1e12)'

describe('exports', () => {
  let db: TestDatabase
  let ask: RunningAsk | undefined
  before(async () => {
    db = await createTestDatabase()
  })
  afterEach(() => ask?.stop())
  after(() => db.drop())

  const begin = async (
    limits: Partial<ExportLimits> = {},
    variables: Record<string, string> = {},
  ): Promise<RunningAsk> => (ask = await runAsk(db, variables, limits))
  const start = async (on: RunningAsk, sql: string, more: object = {}): Promise<State> =>
    (await on.post<State>('/api/v1/exports', { sql, ...more })).body
  const state = async (on: RunningAsk, id: string): Promise<State> =>
    (await on.get<State>(`/api/v1/exports/${id}`)).body

  /** The server ended the endless statement. */
  async function untilCancelled(): Promise<void> {
    const running = `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND query LIKE '%export%' AND state = 'active' AND pid <> pg_backend_pid()`
    while ((await db.pool.query(running)).rowCount !== 0) await pause(20)
  }

  async function ended(on: RunningAsk, { id }: State): Promise<State> {
    for (;;) {
      const now = await state(on, id)
      if (now.status !== 'waiting' && now.status !== 'running') return now
      await pause(20)
    }
  }

  it('have all rows, in the format of the page', async () => {
    const on = await begin()
    const sql = `
      SELECT n, n * 1.50 AS amount, '=1+1' AS formula, '' AS empty, NULL AS nothing, 'a "b", c' AS quoted,
        '\\xff'::bytea AS bytes, timestamp '2026-11-20 09:14:03' AS at, ARRAY['x', NULL] AS list, n AS n
      FROM generate_series(1, {{rows}}) AS n`
    const parameters = [{ name: 'rows', type: 'number', value: '1234' }]
    const done = await ended(on, await start(on, sql, { parameters }))
    expect(done).to.include({ status: 'done', row_count: 1234, truncated_by: null, error: null })
    const response = await on.fetch(`/api/v1/exports/${done.id}/file`)
    expect(response.headers.get('content-type')).to.equal('text/csv; charset=utf-8')
    const csv = Buffer.from(await response.arrayBuffer())
    expect(csv.length).to.equal(done.bytes)
    const { body } = await on.post<{ columns: string[]; column_types: string[]; results: Record<string, SqlValue>[] }>(
      '/api/v1/run_sql',
      { sql, parameters: [{ name: 'rows', type: 'number', value: '3' }] },
    )
    const columns = body.columns.map((name, i) => {
      const type = body.column_types[i] ?? ''
      return { name, type, isNumber: isNumberType(type) }
    })
    const rows = body.results.map((row) => body.columns.map((name) => row[name] ?? null))
    const lines = csv.toString().split('\r\n')
    expect(lines).to.have.length(1236)
    expect(`${lines.slice(0, 4).join('\r\n')}\r\n`).to.equal(toCsv({ columns, rows }))
    expect(await on.fetch(`/api/v1/exports/${done.id}/file`).then((again) => again.text())).to.have.length.above(1000)
  })

  it('are written as Parquet on request', async () => {
    const on = await begin()
    const sql = `SELECT n, n * 0.25 AS amount, timestamp '2026-11-20 09:14:03' AS at, n AS n
      FROM generate_series(1, 1234) AS n`
    const done = await ended(on, await start(on, sql, { format: 'parquet' }))
    expect(done).to.include({ status: 'done', format: 'parquet', row_count: 1234, truncated_by: null, error: null })
    const response = await on.fetch(`/api/v1/exports/${done.id}/file`)
    expect(response.headers.get('content-type')).to.equal('application/vnd.apache.parquet')
    expect(response.headers.get('content-disposition')).to.equal('attachment; filename="flowfarm.parquet"')
    const file = await response.arrayBuffer()
    expect(file.byteLength).to.equal(done.bytes)
    const rows = await parquetReadObjects({ file })
    expect(rows).to.have.length(1234)
    expect(rows[1]).to.deep.equal({ n: 2, amount: '0.50', at: new Date('2026-11-20T09:14:03Z'), n_2: 2 })
    const empty = await ended(on, await start(on, 'SELECT 1 AS n WHERE false', { format: 'parquet' }))
    expect(empty).to.include({ status: 'done', row_count: 0 })
    for (const [refused, code] of [
      ["SELECT timestamp 'infinity' AS at", 'parquet-value'],
      ['SELECT', 'parquet-columns'],
    ] as const) {
      const failed = await ended(on, await start(on, refused, { format: 'parquet' }))
      expect(failed, refused).to.include({ status: 'failed', error_code: code })
      expect((await on.fetch(`/api/v1/exports/${failed.id}`, { method: 'DELETE' })).status).to.equal(200)
    }
    expect((await on.post('/api/v1/exports', { sql, format: 'xlsx' })).body.code).to.equal('invalid-field')
  })

  it('are cut at the limits of rows and bytes as Parquet', async () => {
    const on = await begin({ maxRows: 1000, maxBytes: 50_000 })
    const parquet = { format: 'parquet' }
    const exact = await ended(on, await start(on, 'SELECT 1 AS n FROM generate_series(1, 1000)', parquet))
    expect(exact).to.include({ row_count: 1000, truncated_by: null })
    const rows = await ended(on, await start(on, 'SELECT 1 AS n FROM generate_series(1, 1001)', parquet))
    expect(rows).to.include({ row_count: 1000, truncated_by: 'rows' })
    const noise =
      'SELECT md5(n::text) || md5((-n)::text) || md5((n * 1.5)::text) AS text FROM generate_series(1, 1000) AS n'
    const bytes = await ended(on, await start(on, noise, parquet))
    expect(bytes).to.include({ status: 'done', truncated_by: 'bytes' })
    expect(bytes.bytes).to.be.within(40_000, 50_000)
    const file = await on.fetch(`/api/v1/exports/${bytes.id}/file`).then((response) => response.arrayBuffer())
    expect(await parquetReadObjects({ file })).to.have.length(bytes.row_count)
  })

  it('are cut at the limits of rows and bytes', async () => {
    const on = await begin({ maxRows: 1000, maxBytes: 50_000 })
    const exact = await ended(on, await start(on, 'SELECT 1 FROM generate_series(1, 1000)'))
    expect(exact).to.include({ row_count: 1000, truncated_by: null })
    const rows = await ended(on, await start(on, 'SELECT 1 FROM generate_series(1, 1001)'))
    expect(rows).to.include({ row_count: 1000, truncated_by: 'rows' })
    const bytes = await ended(on, await start(on, "SELECT repeat('x', 98) FROM generate_series(1, 1000)"))
    expect(bytes).to.include({ status: 'done', truncated_by: 'bytes' })
    expect(bytes.bytes).to.be.within(49_900, 50_000)
  })

  it('run one at a time, stop when they are deleted, and are limited by client', async () => {
    const on = await begin()
    const first = await start(on, endless)
    const second = await start(on, 'SELECT 2 AS n')
    await start(on, 'SELECT 3 AS n')
    const refused = await on.post('/api/v1/exports', { sql: 'SELECT 4' })
    expect([refused.status, refused.body.code]).to.deep.equal([429, 'too-many-exports'])
    expect(refused.headers.get('retry-after')).to.equal('60')
    expect((await state(on, first.id)).status).to.equal('running')
    expect((await state(on, second.id)).status).to.equal('waiting')
    expect((await on.get(`/api/v1/exports/${second.id}/file`)).body.code).to.equal('export-not-done')
    expect((await on.fetch(`/api/v1/exports/${first.id}`, { method: 'DELETE' })).status).to.equal(200)
    expect((await ended(on, second)).status).to.equal('done')
    expect((await on.get(`/api/v1/exports/${first.id}`)).body.code).to.equal('unknown-export')
    await untilCancelled()
    expect((await on.post('/api/v1/exports', { sql: 'SELECT 4' })).status).to.equal(200)
  })

  it('do not delay other statements of the client', async () => {
    const on = await begin({}, { ASK_CONCURRENCY: '1' })
    await start(on, endless)
    expect((await on.post('/api/v1/run_sql', { sql: 'SELECT 1' })).status).to.equal(200)
  })

  it('are limited in number and time', async () => {
    const on = await begin({ maxJobs: 1, maxMs: 100 })
    const slow = await start(on, endless)
    expect((await on.post('/api/v1/exports', { sql: 'SELECT 1' })).body.code).to.equal('too-many-exports')
    expect(await ended(on, slow)).to.include({ status: 'failed', error_code: 'sql-timeout' })
  })

  it('are deleted after a time, and cancelled when their state is not read', async () => {
    const on = await begin({ keptMs: 50, abandonedMs: 300 })
    const done = await ended(on, await start(on, 'SELECT 1'))
    while ((await on.get(`/api/v1/exports/${done.id}`)).status !== 404) await pause(20)
    const lost = await start(on, endless)
    while ((await db.pool.query(`SELECT FROM pg_stat_activity WHERE query LIKE 'FETCH%'`)).rowCount === 0)
      await pause(5)
    await untilCancelled()
    expect((await on.get(`/api/v1/exports/${lost.id}`)).status).to.equal(404)
  })

  it('refuse what statements may not do, and belong to the token', async () => {
    const on = await begin({}, { API_TOKEN: 'secret' })
    const token = { Authorization: 'Bearer secret' }
    const { body } = await on.post<State>('/api/v1/exports', { sql: 'SELECT * FROM app.developer_keys' }, token)
    let now = body
    while (now.status === 'waiting' || now.status === 'running')
      now = (await on.get<State>(`/api/v1/exports/${body.id}`, token)).body
    expect(now).to.include({ status: 'failed', error_code: 'sql-relation', row_count: 0 })
    expect((await on.get(`/api/v1/exports/${body.id}`)).status).to.equal(401)
    expect((await on.get(`/api/v1/exports/${'0'.repeat(32)}`, token)).status).to.equal(404)
  })
})
