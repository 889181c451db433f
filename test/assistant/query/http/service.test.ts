import { expect } from 'chai'
import { expectNotFoundPage } from '../../../support/not-found-page.ts'
import { askRoutes } from '../../../../src/assistant/query/http/server.ts'
import { createTestDatabase } from '../../../support/database.ts'
import type { TestDatabase } from '../../../support/database.ts'
import { runAsk } from '../support/running-ask.ts'
import type { RunningAsk } from '../support/running-ask.ts'

interface HistoryItem {
  readonly id: string
  readonly kind: string
  readonly target: string
  readonly question: string | null
  readonly sql: string
  readonly row_count: number | null
  readonly error: string | null
  readonly timestamp: string
}

interface Pair {
  readonly id: string
  readonly question: string
  readonly sql: string
  readonly approved_at: string
}

const token = { Authorization: 'Bearer secret' }

describe('query service', () => {
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

  describe('access', () => {
    it('is open for health, routes and examples', async () => {
      const { status, body } = await ask.get('/health')
      expect(status).to.equal(200)
      expect(body).to.deep.include({ status: 'ok', targets: ['indexer'], model: null, needs_token: true })
      expect(body).to.have.property('remedy').that.includes('LLM_API_KEY')
      for (const path of ['/openapi.json', '/openapi.yaml', '/api/v1/examples'])
        expect((await ask.fetch(path)).status, path).to.equal(200)
    })

    it('requires the token otherwise and names it in the error', async () => {
      for (const [given, code] of [
        [{}, 'missing-token'],
        [{ Authorization: 'Bearer wrong' }, 'wrong-token'],
      ] as const) {
        const { status, headers, body } = await ask.post('/api/v1/run_sql', { sql: 'SELECT 1' }, given)
        expect([status, body.code]).to.deep.equal([401, code])
        expect(headers.get('www-authenticate')).to.match(/^Bearer/)
      }
      expect((await ask.post('/api/v1/run_sql', { sql: 'SELECT 1' }, token)).status).to.equal(200)
    })

    it('is granted to every protected route only with the token', async () => {
      for (const { method, path, access } of askRoutes) {
        const { status } = await ask.fetch(path.replaceAll(/\{\w+\}/g, 'indexer'), { method })
        expect(status === 401, `${method} ${path}`).to.equal(access !== 'none')
      }
    })

    it('is denied to pages of other origins', async () => {
      const { headers } = await ask.fetch('/health', { headers: { Origin: 'https://elsewhere.example' } })
      expect(headers.get('access-control-allow-origin')).to.equal(null)
      const preflight = await ask.fetch('/api/v1/ask', {
        method: 'OPTIONS',
        headers: { Origin: 'https://elsewhere.example', 'Access-Control-Request-Method': 'POST' },
      })
      expect([...preflight.headers.keys()].filter((name) => name.startsWith('access-control-'))).to.deep.equal([])
    })
  })

  describe('responses', () => {
    it('report unknown paths and unsupported methods', async () => {
      const { status, headers, body } = await ask.get('/api/v1/nothing')
      expect([status, body.code]).to.deep.equal([404, 'unknown-path'])
      await expectNotFoundPage(ask.origin)
      expect(headers.get('x-content-type-options')).to.equal('nosniff')
      const wrong = await ask.get('/api/v1/run_sql', token)
      expect([wrong.status, wrong.headers.get('allow')]).to.deep.equal([405, 'POST, OPTIONS'])
      expect(wrong.body.detail).to.include('does not support this method')
      for (const path of ['/openapi.json', '/health']) {
        const posted = await ask.fetch(path, { method: 'POST' })
        expect([posted.status, posted.headers.get('allow')], path).to.deep.equal([405, 'HEAD, GET, OPTIONS'])
        const head = await ask.fetch(path, { method: 'HEAD' })
        expect([head.status, await head.text()], path).to.deep.equal([200, ''])
      }
      expect((await ask.post('/api/v1/mysql/run_sql', { sql: 'SELECT 1' }, token)).status).to.equal(400)
    })

    it('include the request id, taken from the client when present', async () => {
      const named = await ask.get('/health', { 'X-Request-Id': 'mine-1' })
      expect(named.headers.get('x-request-id')).to.equal('mine-1')
      expect((await ask.get('/health')).headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/)
    })

    it('are counted in latency metrics by route', async () => {
      await ask.get('/api/v1/history/unknown', token)
      const text = await ask.metrics.registry.metrics()
      expect(text).to.match(/route="\/api\/v1\/history\/\{id\}",method="GET",status="404"/)
    })

    it('are described by the OpenAPI document with valid examples', async () => {
      const { body } = await ask.get<{
        openapi: string
        paths: Record<string, Record<string, { operationId: string }>>
        components: { schemas: object }
      }>('/openapi.json')
      expect(body.openapi).to.equal('3.1.0')
      const operations = Object.values(body.paths).flatMap((path) => Object.values(path))
      expect(operations).to.have.length(askRoutes.length)
      expect(new Set(operations.map(({ operationId }) => operationId)).size).to.equal(askRoutes.length)
      expect(body.components.schemas).to.include.keys(
        'AskResult',
        'SqlResult',
        'GeneratedSql',
        'HistoryItem',
        'ApprovedPair',
        'Problem',
        'Health',
      )
      expect(JSON.stringify(body)).not.to.include('#/$defs/')
      for (const { path, response, example, body: input, bodyExample } of askRoutes) {
        expect(response.safeParse(example).error?.message, path).to.equal(undefined)
        expect(input?.safeParse(bodyExample).error?.message, path).to.equal(undefined)
      }
    })
  })

  describe('query history', () => {
    const history = async (query = ''): Promise<HistoryItem[]> =>
      (await ask.get<HistoryItem[]>(`/api/v1/history${query}`, token)).body
    beforeEach(() => ask.fetch('/api/v1/history', { method: 'DELETE', headers: token }))

    it('lists the newest queries first, including failed ones', async () => {
      for (const sql of ['SELECT 1 AS first', 'SELECT nothing', 'SELECT 1 UNION ALL SELECT 2'])
        await ask.post('/api/v1/run_sql', { sql }, token)
      const items = await history()
      expect(items.map(({ row_count: rows }) => rows)).to.deep.equal([2, null, 1])
      expect(items[0]).to.include({
        kind: 'run_sql',
        target: 'indexer',
        question: null,
        sql: 'SELECT 1 UNION ALL SELECT 2',
        error: null,
      })
      expect(items[1]?.error).to.include('nothing')
      expect(new Date(items[0]?.timestamp ?? '').toISOString()).to.equal(items[0]?.timestamp)
    })

    it('includes unanswered questions', async () => {
      await ask.post('/api/v1/ask', { question: 'How high?' }, token)
      expect((await history())[0])
        .to.include({ kind: 'ask', question: 'How high?', sql: '', row_count: null })
        .and.have.property('error')
        .that.includes('LLM_API_KEY')
    })

    it('returns pages, filters by database and returns single entries', async () => {
      for (let n = 1; n <= 3; n++) await ask.post('/api/v1/run_sql', { sql: `SELECT ${n}` }, token)
      expect((await history('?limit=1&offset=1')).map(({ sql }) => sql)).to.deep.equal(['SELECT 2'])
      expect(await history('?target=evm')).to.deep.equal([])
      const [newest] = await history()
      expect((await ask.get<HistoryItem>(`/api/v1/history/${newest?.id}`, token)).body).to.deep.equal(newest)
      expect((await ask.get('/api/v1/history/0', token)).body.code).to.equal('unknown-query')
      for (const query of ['limit=0', 'limit=201', 'offset=-1', 'limit=x', 'page=1', 'target=mysql']) {
        const { status, body } = await ask.get(`/api/v1/history?${query}`, token)
        expect([status, body.field], query).to.deep.equal([400, query.split('=', 1)[0]])
      }
    })

    it('is empty after it is cleared', async () => {
      await ask.post('/api/v1/run_sql', { sql: 'SELECT 1' }, token)
      const cleared = await ask.fetch('/api/v1/history', { method: 'DELETE', headers: token })
      expect(await cleared.json()).to.deep.equal({ status: 'cleared' })
      expect(await history()).to.deep.equal([])
    })
  })

  describe('approved examples', () => {
    const keep = (body: object): ReturnType<typeof ask.post<Pair>> => ask.post<Pair>('/api/v1/memory', body, token)
    const pair = { question: 'How many blocks are there?', sql: 'SELECT count(*) FROM raw.blocks' }
    beforeEach(() => ask.fetch('/api/v1/memory', { method: 'DELETE', headers: token }))

    it('can be added, listed, searched, exported and deleted', async () => {
      const { status, body } = await keep(pair)
      expect(status).to.equal(201)
      expect(body).to.include({ ...pair, target: 'indexer' })
      expect((await ask.get('/api/v1/memory', token)).body).to.deep.equal({ data: [body], total: 1 })
      const found = await ask.get<{ data: Pair[] }>(
        `/api/v1/memory/search?question=${encodeURIComponent('how many block')}`,
        token,
      )
      expect(found.body.data.map(({ id }) => id)).to.deep.equal([body.id])
      const exported = await ask.fetch('/api/v1/memory/export', { headers: token })
      expect(exported.headers.get('content-type')).to.match(/^application\/jsonl/)
      expect(await exported.text()).to.equal(`${JSON.stringify(body)}\n`)
      const remove = (): Promise<Response> =>
        ask.fetch(`/api/v1/memory/${body.id}`, { method: 'DELETE', headers: token })
      expect((await remove()).status).to.equal(204)
      expect((await remove()).status).to.equal(404)
      expect((await ask.get('/api/v1/memory', token)).body).to.deep.equal({ data: [], total: 0 })
    })

    it('must be runnable', async () => {
      for (const [sql, code] of [
        ['SELECT heigth FROM raw.blocks', 'sql-failed'],
        ['DROP TABLE raw.blocks', 'sql-keyword'],
        ['I do not know', 'sql-syntax'],
      ]) {
        const { status, body } = await ask.post('/api/v1/memory', { ...pair, sql }, token)
        expect([status, body.code]).to.deep.equal([400, code])
      }
      expect((await ask.post('/api/v1/memory', { ...pair, target: 'evm' }, token)).body.code).to.equal('no-target')
      expect((await ask.get('/api/v1/memory', token)).body).to.deep.equal({ data: [], total: 0 })
    })

    it('report an unusable folder without Retry-After', async () => {
      const other = await runAsk(db, { CHROMA_PERSIST_DIR: '/dev/null' })
      try {
        const { status, headers, body } = await other.get('/api/v1/memory')
        expect([status, body.code, headers.get('retry-after')]).to.deep.equal([503, 'memory-unavailable', null])
        expect(body.detail).to.include('CHROMA_PERSIST_DIR')
      } finally {
        await other.stop()
      }
    })

    it('are stored only on request, not by questions', async () => {
      await ask.post('/api/v1/run_sql', { sql: 'SELECT 1' }, token)
      await ask.post('/api/v1/ask', { question: pair.question }, token)
      expect((await ask.get('/api/v1/memory', token)).body).to.deep.equal({ data: [], total: 0 })
    })
  })
})
