import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { expect } from 'chai'
import { pino } from 'pino'
import { Gauge } from 'prom-client'
import { workers } from '../../jobs/index.ts'
import { maxHealthAgeMs } from '../../src/explorer/status/queries.ts'
import { pause } from '../../src/platform/retry.ts'
import { below } from '../../src/platform/http/server.ts'
import { pageAddress } from '../../src/platform/http/connections.ts'
import { chainBlock, storeBlocks } from '../support/chain-rows.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { startHalfOpenProxy } from '../support/half-open-proxy.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

describe('the API over HTTP', () => {
  let database: TestDatabase
  let api: RunningApi

  before(async () => {
    database = await createTestDatabase()
    await storeBlocks(database.pool, 100, 160)
    api = await runApi(database.url, { server: { maxReorgDepth: 20 } })
  })

  const connectionsOf = async (): Promise<number> => {
    const { rows } = await database.pool.query<{ count: number }>(
      'select count(*)::int as count from pg_stat_activity where datname = current_database()',
    )
    return rows[0]?.count ?? 0
  }

  after(async () => {
    await api.stop()
    await database.drop()
  })

  it('serves every path under both prefixes and their legacy forms', async () => {
    const prefixes = ['/chain/v1/', '/chain/v1/flow/', '/api/v1/chain/v1/', '/api/v1/chain/v1/flow/', '/flow/v1/']
    for (const rest of ['block/120', 'transaction?limit=2']) {
      const expected = await api.json(`/flow/${rest}`)
      for (const prefix of prefixes) {
        expect(await api.json(`${prefix}${rest}`), prefix).to.deep.equal(expected)
      }
    }
    for (const path of ['health', 'status', 'openapi.json']) {
      for (const prefix of ['/', '/chain/v1/', '/api/v1/chain/v1/']) {
        expect((await api.get(`${prefix}${path}`)).status, `${prefix}${path}`).to.equal(200)
      }
    }
  })

  it('closes mounts if its port is taken', async () => {
    let closed = 0
    const mount = { answers: below('/mounted'), handle: () => undefined, close: () => Promise.resolve(void closed++) }
    const failure = await runApi(database.url, { server: { port: api.server.port, mounts: [mount] } }).catch(
      (error: unknown) => error,
    )
    expect(failure).to.have.property('code', 'EADDRINUSE')
    expect(closed).to.equal(1)
  })

  it('allows every origin to read all responses, including errors', async () => {
    for (const path of ['/flow/block', '/flow/block/99', '/flow/block?limit=0', '/nothing', '/health']) {
      const response = await api.get(path, { headers: { Origin: 'https://example.org' } })
      expect(response.headers.get('access-control-allow-origin'), path).to.equal('*')
      expect(response.headers.get('access-control-expose-headers')).to.include('ETag')
    }
    const plain = await api.get('/flow/block')
    expect(plain.headers.get('access-control-allow-origin')).to.equal('*')
    const refused = await api.get('/flow/block', { method: 'DELETE', headers: { Origin: 'https://example.org' } })
    expect(refused.headers.get('access-control-allow-origin')).to.equal('*')
  })

  it('answers preflights for all methods and headers in use', async () => {
    for (const path of ['/flow/block', '/nothing']) {
      const response = await api.get(path, {
        method: 'OPTIONS',
        headers: {
          Origin: 'https://example.org',
          'Access-Control-Request-Method': 'PATCH',
          'Access-Control-Request-Headers': 'x-api-key',
        },
      })
      expect(response.status).to.equal(204)
      expect(response.headers.get('access-control-allow-methods')).to.equal('GET,HEAD,POST,PUT,PATCH,DELETE,OPTIONS')
      expect(response.headers.get('access-control-allow-headers')).to.equal('Content-Type,Authorization,X-API-Key')
      expect(response.headers.get('access-control-max-age')).to.equal('86400')
    }
  })

  it('answers HEAD like GET without a body', async () => {
    const got = await api.get('/flow/block/120')
    const body = await got.arrayBuffer()
    const head = await api.get('/flow/block/120', { method: 'HEAD' })
    expect(head.status).to.equal(200)
    expect(head.headers.get('content-length')).to.equal(String(body.byteLength))
    expect(head.headers.get('etag')).to.equal(got.headers.get('etag'))
    expect((await head.arrayBuffer()).byteLength).to.equal(0)
    expect((await api.get('/flow/block/99', { method: 'HEAD' })).status).to.equal(404)
  })

  it('compresses worthwhile responses in an accepted encoding', async () => {
    const plain = await encoded('/flow/transaction?limit=100', 'identity')
    expect(plain.headers['content-encoding']).to.equal(undefined)
    const decoders = { zstd: zstdDecompressSync, br: brotliDecompressSync, gzip: gunzipSync, deflate: inflateSync }
    for (const [name, decode] of Object.entries(decoders)) {
      const { headers, body } = await encoded('/flow/transaction?limit=100', name)
      expect(headers['content-encoding']).to.equal(name)
      expect(headers.vary).to.include('Accept-Encoding')
      expect(headers.etag).to.equal(plain.headers.etag)
      expect(body.byteLength).to.be.below(plain.body.byteLength / 3)
      expect(decode(body).equals(plain.body), name).to.equal(true)
    }
    const small = await encoded('/health', 'br')
    expect(small.headers['content-encoding']).to.equal(undefined)
    expect(small.headers.vary).to.include('Accept-Encoding')
    const held = await encoded('/flow/transaction?limit=100', 'br', { 'If-None-Match': plain.headers.etag ?? '' })
    expect(held.status).to.equal(304)
    expect(held.body.byteLength).to.equal(0)
  })

  /** The raw response; `fetch` would decompress it. */
  async function encoded(
    path: string,
    acceptEncoding: string,
    headers: Record<string, string> = {},
  ): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: Buffer }> {
    const sent = request(`http://${api.host}${path}`, {
      headers: { ...headers, 'Accept-Encoding': acceptEncoding },
    }).end()
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return { status: response.statusCode, headers: response.headers, body: await buffer(response) }
  }

  it('returns 304 for a matching ETag', async () => {
    for (const path of ['/flow/block', '/flow/block/120', '/flow/transaction']) {
      const first = await api.get(path)
      const etag = first.headers.get('etag') ?? ''
      expect(etag).to.match(/^W\/"[\w-]+"$/)
      const again = await api.get(path, { headers: { 'If-None-Match': etag } })
      expect(again.status, path).to.equal(304)
      expect(again.headers.get('access-control-allow-origin')).to.equal('*')
      expect(again.headers.get('etag')).to.equal(etag)
      expect((await api.get(path, { headers: { 'If-None-Match': 'W/"other"' } })).status).to.equal(200)
    }
  })

  it('allows caching only of immutable responses', async () => {
    const cacheControl = async (path: string): Promise<string | null> => {
      return (await api.get(path)).headers.get('cache-control')
    }
    const transaction = chainBlock(140).transactions[0]?.id
    await database.pool.query(
      `insert into app.indexing_checkpoints (service_name, covered) select unnest($1::text[]), '{[0,100000)}'
       on conflict (service_name) do update set covered = excluded.covered`,
      [workers.map(({ name }) => name)],
    )
    expect(await cacheControl('/flow/block/140')).to.equal('public, max-age=3600')
    expect(await cacheControl('/flow/block/141')).to.equal('no-cache')
    expect(await cacheControl(`/flow/transaction/${transaction}`)).to.equal('public, max-age=3600')
    expect(await cacheControl('/flow/block')).to.equal('no-cache')
    expect(await cacheControl('/flow/block/99')).to.equal('no-store')
    expect(await cacheControl('/status')).to.equal('no-store')
  })

  it('rejects other methods with an Allow header', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'PROPFIND']) {
      const response = await api.get('/chain/v1/block/120', { method })
      expect(response.status, method).to.equal(405)
      expect(response.headers.get('allow')).to.equal('HEAD, GET, OPTIONS')
      expect(await response.json()).to.include({ code: 'method-not-allowed' })
    }
    const options = await api.get('/flow/block/120', { method: 'OPTIONS' })
    expect(options.status).to.equal(204)
    expect(options.headers.get('allow')).to.equal('HEAD, GET, OPTIONS')
  })

  it('returns a problem for unknown paths', async () => {
    const paths = ['/nothing', '/flow', '/flow/block/1/2/3', '/chain/v1/x', '/flow/%zz', '/%00', '//flow/block']
    for (const path of paths) {
      const response = await api.get(path)
      expect(response.status, path).to.equal(404)
      expect(response.headers.get('content-type')).to.equal('application/problem+json')
      const problem = (await response.json()) as Record<string, unknown>
      expect(problem).to.include({
        type: 'urn:flowfarm:problem:unknown-path',
        title: 'Not found',
        status: 404,
        code: 'unknown-path',
      })
      expect(problem['request_id']).to.equal(response.headers.get('x-request-id'))
    }
  })

  it('accepts a request id from the client if it is a plain word', async () => {
    const named = await api.get('/health', { headers: { 'X-Request-Id': 'abc-123' } })
    expect(named.headers.get('x-request-id')).to.equal('abc-123')
    const odd = await api.get('/health', { headers: { 'X-Request-Id': 'a b"c' } })
    expect(odd.headers.get('x-request-id')).to.match(/^[0-9a-f-]{36}$/)
  })

  for (const path of ['/', '/chain/v1/']) {
    it(`serves ${path} with a policy that allows only its own script and style`, async () => {
      const response = await api.get(path)
      expect(response.headers.get('content-type')).to.equal('text/html; charset=utf-8')
      const html = await response.text()
      expect(html).to.not.match(/https?:\/\/|style\.css|<!-- icon/)
      const policy = response.headers.get('content-security-policy') ?? ''
      expect(policy).to.include("default-src 'none'; connect-src 'self'; img-src data:;")
      for (const element of ['script', 'style']) {
        const [, content = '', more] = html.split(new RegExp(`</?${element}>`))
        expect(more).to.be.a('string')
        const hash = createHash('sha256').update(content).digest('base64')
        expect(policy).to.include(`${element}-src 'sha256-${hash}'`)
      }
    })
  }

  it('counts requests by route, and disconnected clients as 499', async () => {
    const lock = await database.pool.connect()
    await lock.query('begin; lock table app.indexing_checkpoints in access exclusive mode')
    const gone = connect(api.server.port, '127.0.0.1')
    const seen = once(api.server.server, 'request')
    gone.write('GET /flow/transaction?limit=100 HTTP/1.1\r\nHost: x\r\n\r\n')
    const [, response] = (await seen) as [unknown, NodeJS.EventEmitter]
    const closed = once(response, 'close')
    gone.destroy()
    await closed
    await lock.query('rollback')
    lock.release()
    await api.get('/flow/block/123')
    await api.get('/some/secret/path')
    const text = await (await api.get('/metrics')).text()
    expect(text).to.match(/_seconds_count\{route="\/flow\/transaction",method="GET",status="499"\} 1/)
    expect(text).to.match(/route="\/flow\/block\/\{height\}",method="GET",status="200"/)
    expect(text).to.match(/route="unmatched",method="GET",status="404"/)
    expect(text).to.not.match(/block\/123|secret/)
  })

  it('has a start page for browsers', () => {
    expect(pageAddress('0.0.0.0', 8080)).to.equal('http://localhost:8080')
    expect(pageAddress('::1', 8080)).to.equal('http://[::1]:8080')
    expect(pageAddress('explorer.internal', 80)).to.equal('http://explorer.internal:80')
  })

  it('answers health requests without a database connection', async () => {
    const before = await connectionsOf()
    const healths = await Promise.all(Array.from({ length: 300 }, () => api.json<{ status: string }>('/health')))
    expect(new Set(healths.map(({ status }) => status))).to.deep.equal(new Set(['ok']))
    expect(await connectionsOf()).to.be.at.most(before + 1)
  })

  it('formats metrics once a second for all clients', async () => {
    let formatted = 0
    const collect = (): void => void formatted++
    api.metrics.registry.registerMetric(new Gauge({ name: 'test_formatted', help: 'Counts', registers: [], collect }))
    const statuses = (await Promise.all(Array.from({ length: 50 }, () => api.get('/metrics')))).map(
      ({ status }) => status,
    )
    expect(statuses).to.deep.equal(Array(50).fill(200))
    expect(formatted).to.be.below(10)
    api.metrics.registry.removeSingleMetric('test_formatted')
  })

  it('reports an unavailable database and recovers', async () => {
    const proxy = await startHalfOpenProxy(database.url)
    const lines: string[] = []
    const log = pino({ level: 'error' }, { write: (line) => lines.push(line) })
    const behind = await runApi(proxy.url, { server: { log } })
    expect(await behind.json('/health')).to.have.property('status', 'ok')
    proxy.freeze()
    let health = await behind.get('/health')
    while (health.status === 200) {
      const { checked_at: checkedAt } = (await health.json()) as { checked_at: string }
      expect(Date.now() - Date.parse(checkedAt)).to.be.below(maxHealthAgeMs + 1000)
      await pause(20)
      health = await behind.get('/health')
    }
    expect(health.status).to.equal(503)
    expect(await health.json()).to.have.property('status', 'unavailable')
    proxy.cut()
    const list = await behind.get('/flow/block')
    expect(list.status).to.equal(503)
    expect(list.headers.get('retry-after')).to.equal('1')
    const problem = (await list.json()) as Record<string, unknown>
    expect(problem).to.include({ code: 'database-unavailable', detail: 'The database is temporarily unavailable.' })
    const reported = (): number => lines.filter((line) => line.includes('Request failed')).length
    const before = reported()
    const failed = await Promise.all(Array.from({ length: 10 }, (_, i) => behind.get(`/flow/block/${120 + i}`)))
    expect(failed.map(({ status }) => status)).to.deep.equal(Array.from(failed, () => 503))
    // Logging every such request would hide other messages.
    expect(reported() - before).to.be.at.most(1)
    proxy.thaw()
    expect((await behind.get('/flow/block')).status).to.equal(200)
    await behind.stop()
    await proxy.close()
  })
})
