import { once } from 'node:events'
import { request as sendRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { json } from 'node:stream/consumers'
import { expect } from 'chai'
import { readConfig } from '../../../src/config.ts'
import { addressList, clientReader } from '../../../src/platform/limits/clients.ts'
import { upstreamsOf } from '../../../src/assistant/proxy/service.ts'
import { Shared } from '../../../src/platform/service.ts'
import { runAsk } from '../query/support/running-ask.ts'
import type { RunningAsk } from '../query/support/running-ask.ts'
import { clients } from '../mcp/support/mcp-clients.ts'
import { listTools, messageHeaders, runMcp } from '../mcp/support/running-mcp.ts'
import type { RunMcpOptions } from '../mcp/support/running-mcp.ts'
import { scriptedQueries } from '../mcp/support/scripted-queries.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { runProxy } from './support/running-proxy.ts'
import type { RunningProxy, RunProxyOptions } from './support/running-proxy.ts'

describe('services behind the proxy', () => {
  const stops: (() => Promise<void>)[] = []

  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop()
  })

  async function proxyBefore(options: RunProxyOptions): Promise<RunningProxy> {
    const proxy = await runProxy(options)
    stops.push(proxy.close)
    return proxy
  }

  async function mcpProxy(
    mcpOptions: Partial<RunMcpOptions> = {},
    options: RunProxyOptions = {},
  ): Promise<RunningProxy> {
    const mcp = await runMcp({ queries: scriptedQueries(), ...mcpOptions })
    stops.push(mcp.stop)
    return proxyBefore({ urls: { mcp: new URL(mcp.url) }, ...options })
  }

  const list = (proxy: RunningProxy, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${proxy.url}/mcp`, {
      method: 'POST',
      headers: { ...messageHeaders, ...headers },
      body: JSON.stringify(listTools),
    })

  it('require an MCP key from proxied clients for any forged header', async () => {
    const proxy = await mcpProxy({ admission: { adminKey: 'secret' } })
    const forged: readonly Record<string, string>[] = [
      {},
      { 'X-Forwarded-For': '127.0.0.1' },
      { 'X-Real-IP': '127.0.0.1' },
      { Connection: 'X-Forwarded-For, X-Real-IP, Via, X-Forwarded-Proto' },
    ]
    for (const headers of forged) expect(await statusOf(proxy, headers), JSON.stringify(headers)).to.equal(401)
    const refused = await list(proxy)
    expect([refused.status, refused.headers.get('www-authenticate')]).to.deep.equal([401, 'Bearer realm="flowfarm"'])
    expect((await list(proxy, { Authorization: 'Bearer wrong' })).status).to.equal(503)
    expect((await list(proxy, { Authorization: 'Bearer secret' })).status).to.equal(200)
  })

  it('require an MCP key from proxied clients when the proxy is trusted', async () => {
    const proxy = await mcpProxy(
      { admission: { clientOf: clientReader(addressList(['127.0.0.1'])) } },
      { trustedProxies: addressList(['127.0.0.1']) },
    )
    for (const headers of [{}, { 'X-Forwarded-For': '127.0.0.1' }, { 'X-Forwarded-For': '203.0.113.7' }]) {
      expect(await statusOf(proxy, headers), JSON.stringify(headers)).to.equal(401)
    }
  })

  it('serve MCP clients through the proxy as they do directly', async () => {
    const proxy = await mcpProxy({ admission: { isKeyRequired: false } })
    for (const { name, protocolVersion, connect } of clients) {
      const client = await connect(`${proxy.url}/mcp`)
      expect(client.protocolVersion, name).to.equal(protocolVersion)
      expect(
        (await client.tools()).map((tool) => tool.name),
        name,
      ).to.include('run_indexer_sql')
      expect((await client.call('run_indexer_sql', { sql: 'SELECT 1' })).content[0]?.text, name).to.include(
        '9007199254740993',
      )
      await client.close()
    }
    const pages = await fetch(`${proxy.url}/mcp`, {
      method: 'OPTIONS',
      headers: { Origin: 'http://localhost:6274', 'Access-Control-Request-Method': 'POST' },
    })
    expect([pages.status, pages.headers.get('access-control-allow-origin')]).to.deep.equal([
      204,
      'http://localhost:6274',
    ])
    expect((await list(proxy, { Origin: 'https://evil.example' })).status).to.equal(403)
  })

  describe('query service', () => {
    let db: TestDatabase
    before(async () => {
      db = await createTestDatabase()
    })
    after(() => db.drop())

    async function askProxy(variables: Record<string, string> = {}): Promise<{ ask: RunningAsk; proxy: RunningProxy }> {
      const ask = await runAsk(db, variables)
      stops.push(ask.stop)
      return {
        ask,
        proxy: await proxyBefore({ urls: { ask: new URL(ask.origin) }, needsToken: 'API_TOKEN' in variables }),
      }
    }

    it('works through the proxy in every form that its documentation page uses', async () => {
      const { proxy } = await askProxy()
      for (const path of ['/health', '/openapi.json', '/openapi.yaml'])
        expect((await fetch(`${proxy.url}${path}`)).status, path).to.equal(200)
      expect(await runSql(proxy, 'SELECT 6 * 7 AS answer')).to.deep.include({ status: 200, results: [{ answer: 42 }] })
      expect(await runSql(proxy, 'DROP TABLE raw.blocks')).to.include({ status: 400 })
    })

    it('rejects a page of another site after DNS rebinding to the proxy unless a token is required', async () => {
      const rebound = { Host: 'rebound.example:8000', Origin: 'http://rebound.example:8000' }
      const { ask, proxy } = await askProxy()
      expect(await runSql(proxy, 'SELECT 1', rebound)).to.include({ status: 403, code: 'host-not-allowed' })
      // Such a page can send any proxy header.
      expect(await runSql(proxy, 'SELECT 1', { ...rebound, 'X-Forwarded-For': '203.0.113.7' })).to.include({
        status: 403,
      })
      const trusted = await proxyBefore({
        urls: { ask: new URL(ask.origin) },
        trustedProxies: addressList(['127.0.0.1']),
      })
      expect(
        await runSql(trusted, 'SELECT 1', { ...rebound, 'X-Forwarded-For': '203.0.113.7' }),
        'a trusted proxy before this one',
      ).to.include({ status: 200 })
      for (const Host of ['localhost:8000', `127.0.0.1:${proxy.port}`, 'flow.localhost'])
        expect(await runSql(proxy, 'SELECT 1', { Host }), Host).to.include({ status: 200 })
      for (const path of ['/api/chat', '/API/chat', '/Api/v1/run_sql', '/api/chat/settings']) {
        expect(await statusOf(proxy, rebound, path), path).to.equal(403)
      }
      const guarded = await askProxy({ API_TOKEN: 'secret' })
      expect(await runSql(guarded.proxy, 'SELECT 1', rebound)).to.include({ status: 401 })
      expect(await runSql(guarded.proxy, 'SELECT 1', { ...rebound, Authorization: 'Bearer secret' })).to.include({
        status: 200,
      })
    })
  })

  it('default to this process or this machine unless they are set', () => {
    const found = (variables: Record<string, string>, shared: Partial<Shared> = {}): string[] => {
      const upstreamOf = upstreamsOf(readConfig(variables, {}), Object.assign(new Shared(), shared))
      return (['chat', 'ask', 'mcp'] as const).map((name) => upstreamOf(name).url.origin)
    }
    expect(found({})).to.deep.equal(['http://127.0.0.1:3001', 'http://127.0.0.1:8084', 'http://127.0.0.1:8085'])
    expect(found({ ASK_PORT: '9000', HOST: '10.0.0.5' }, { chatPort: 4711 })).to.deep.equal([
      'http://10.0.0.5:4711',
      'http://10.0.0.5:9000',
      'http://10.0.0.5:8085',
    ])
    expect(found({ HOST: '::1', PROXY_MCP_URL: 'http://mcp.internal' })).to.deep.equal([
      'http://[::1]:3001',
      'http://[::1]:8084',
      'http://mcp.internal',
    ])
    expect(() => found({ PROXY_ASK_URL: 'http://ask.internal/base' })).to.throw(
      'PROXY_ASK_URL must be a URL without a path',
    )
    expect(() => found({ PROXY_ASK_URL: 'http://u:p@ask.internal' })).to.throw('PROXY_ASK_URL')
  })
})

/** `fetch` cannot set `Host` and `Connection`. */
async function send(
  proxy: RunningProxy,
  path: string,
  headers: Record<string, string>,
  body: unknown,
): Promise<IncomingMessage> {
  const sent = sendRequest(`${proxy.url}${path}`, { method: 'POST', headers: { ...messageHeaders, ...headers } })
  sent.end(JSON.stringify(body))
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  return answer
}

async function statusOf(
  proxy: RunningProxy,
  headers: Record<string, string>,
  path = '/mcp',
): Promise<number | undefined> {
  const answer = await send(proxy, path, headers, listTools)
  answer.resume()
  return answer.statusCode
}

async function runSql(
  proxy: RunningProxy,
  sql: string,
  headers: Record<string, string> = {},
): Promise<Record<string, unknown>> {
  const answer = await send(proxy, '/api/v1/run_sql', headers, { sql })
  return { ...((await json(answer)) as Record<string, unknown>), status: answer.statusCode }
}
