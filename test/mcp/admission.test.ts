import { once } from 'node:events'
import { createServer, request as httpRequest } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { originRules } from '../../src/services/mcp.ts'
import { SlidingWindow } from '../../src/mcp/access/sliding-window.ts'
import { KeyCheck } from '../../src/mcp/access/key-check.ts'
import { listTools, messageHeaders, runMcp, throughProxy } from './support/running-mcp.ts'
import type { RunMcpOptions, RunningMcp } from './support/running-mcp.ts'
import { scriptedQueries } from './support/scripted-queries.ts'

const goodKey = 'fs_live_good'

describe('who may call the MCP server', () => {
  const stops: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop()
  })

  const run = async (options: Partial<RunMcpOptions> = {}): Promise<RunningMcp> => {
    const running = await runMcp({ queries: scriptedQueries(), ...options })
    stops.push(running.stop)
    return running
  }

  /** An indexer backend that knows one key and counts what it is asked. */
  const backend = async (answer?: (request: IncomingMessage, response: ServerResponse) => void): Promise<{ url: string; asked: string[] }> => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      const key = String(request.headers['x-api-key'])
      asked.push(`${request.method} ${request.url} ${key}`)
      if (answer !== undefined) answer(request, response)
      else response.writeHead(key === goodKey ? 200 : 401).end(JSON.stringify({ valid: key === goodKey }))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    stops.push(async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    })
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
  }

  it('needs no key of a program on this machine', async () => {
    const mcp = await run()
    expect((await mcp.post(listTools)).status).to.equal(200)
  })

  it('asks for a key where any header of a proxy is sent, and says how', async () => {
    const mcp = await run()
    for (const header of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'Via']) {
      const response = await mcp.post(listTools, { [header]: 'x' })
      expect(response.status, header).to.equal(401)
      expect(response.headers.get('WWW-Authenticate')).to.equal('Bearer realm="flowfarm"')
      const { error } = await response.json() as { error: { message: string; data: { code: string } } }
      expect(error.data.code).to.equal('key-required')
      expect(error.message).to.include('X-API-Key')
    }
  })

  it('asks for a key where the name in Host is not of this machine, as after DNS rebinding', async () => {
    const mcp = await run()
    expect(await statusWith(mcp, { Host: `evil.example:${mcp.port}` })).to.equal(401)
    expect(await statusWith(mcp, { Host: `localhost:${mcp.port}` })).to.equal(200)
    expect(await statusWith(mcp, { Host: '[::1]' })).to.equal(200)
  })

  it('refuses pages of other sites, with a key or without', async () => {
    const mcp = await run({ admission: { adminKey: 'secret' }, origins: { allowedOrigins: ['https://tools.example'] } })
    for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example']) {
      expect((await mcp.post(listTools, { Origin: origin, Authorization: 'Bearer secret' })).status, origin).to.equal(403)
    }
    expect((await mcp.post(listTools, { Origin: 'http://localhost:6274' })).status).to.equal(200)
    const allowed = await mcp.post(listTools, { Origin: 'https://tools.example', Authorization: 'Bearer secret' })
    expect(allowed.status).to.equal(200)
    expect(allowed.headers.get('Access-Control-Allow-Origin')).to.equal('https://tools.example')
    expect((await mcp.post(listTools, { Origin: 'https://tools.example' })).status, 'an allowed page is not local').to.equal(401)
  })

  it('answers what browsers ask before a call', async () => {
    const mcp = await run()
    const ask = (origin: string): Promise<Response> => fetch(mcp.url, {
      method: 'OPTIONS', headers: { Origin: origin, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'authorization, mcp-protocol-version' },
    })
    const response = await ask('http://localhost:6274')
    expect(response.status).to.equal(204)
    expect(response.headers.get('Access-Control-Allow-Headers')).to.equal('authorization, mcp-protocol-version')
    expect((await ask('https://evil.example')).status).to.equal(403)
  })

  it('knows only the hosts that it was told of, where it was told of any, or listens on one address', async () => {
    const named = await run({ admission: { isKeyRequired: false }, origins: { allowedHosts: ['mcp.example'] } })
    expect(await statusWith(named, { Host: 'mcp.example', ...throughProxy })).to.equal(200)
    expect(await statusWith(named, { Host: 'other.example', ...throughProxy })).to.equal(403)
    const loopback = await run({ admission: { isKeyRequired: false }, origins: originRules({ HOST: '127.0.0.1', MCP_ALLOWED_HOSTS: [], MCP_ALLOWED_ORIGINS: [] }) })
    expect(await statusWith(loopback, { Host: 'evil.example' })).to.equal(403)
  })

  it('takes the admin key in both headers, without a limit', async () => {
    const mcp = await run({ admission: { adminKey: 'secret', window: new SlidingWindow({ most: 1 }) } })
    for (let i = 0; i < 3; i++) {
      expect((await mcp.post(listTools, { ...throughProxy, Authorization: 'Bearer secret' })).status).to.equal(200)
      expect((await mcp.post(listTools, { ...throughProxy, 'X-API-Key': 'secret' })).status).to.equal(200)
    }
  })

  it('asks nobody for a key where keys are off', async () => {
    const mcp = await run({ admission: { isKeyRequired: false } })
    expect((await mcp.post(listTools, throughProxy)).status).to.equal(200)
  })

  it('has the backend check a developer key once, and remembers both answers', async () => {
    const { url, asked } = await backend()
    const mcp = await run({ backendUrl: url })
    const call = async (key: string): Promise<number> => (await mcp.post(listTools, { ...throughProxy, Authorization: `Bearer ${key}` })).status
    expect(await Promise.all([call(goodKey), call(goodKey), call(goodKey)])).to.deep.equal([200, 200, 200])
    const refused = await mcp.post(listTools, { ...throughProxy, 'X-API-Key': 'fs_live_bad' })
    expect(refused.status).to.equal(401)
    expect(refused.headers.get('WWW-Authenticate')).to.equal('Bearer realm="flowfarm", error="invalid_token"')
    expect(await call('fs_live_bad')).to.equal(401)
    expect(asked).to.deep.equal([`POST /auth/verify-key ${goodKey}`, 'POST /auth/verify-key fs_live_bad'])
  })

  it('holds off who tries many keys, and not who has a good one', async () => {
    const { url, asked } = await backend()
    const mcp = await run({ backendUrl: url })
    const call = (key: string): Promise<Response> => mcp.post(listTools, { ...throughProxy, Authorization: `Bearer ${key}` })
    expect((await call(goodKey)).status).to.equal(200)
    for (let i = 0; i < 10; i++) expect((await call(`guess-${i}`)).status).to.equal(401)
    const held = await call('guess-10')
    expect(held.status).to.equal(429)
    expect(Number(held.headers.get('Retry-After'))).to.be.greaterThan(0)
    expect(asked).to.have.length(11)
    expect((await call(goodKey)).status).to.equal(200)
  })

  it('says 503 where keys cannot be checked, and lets in for a while who was good', async () => {
    let isDown = false
    const { url } = await backend((_request, response) => {
      if (isDown) response.writeHead(500).end('no')
      else response.writeHead(200).end('{"valid":true}')
    })
    let now = 0
    const keys = new KeyCheck({ backendUrl: () => url, clock: () => now })
    const mcp = await run({ admission: { keys } })
    const call = (key: string): Promise<Response> => mcp.post(listTools, { ...throughProxy, Authorization: `Bearer ${key}` })
    expect((await call(goodKey)).status).to.equal(200)
    isDown = true
    now = 120_000
    expect((await call(goodKey)).status).to.equal(200)
    const other = await call('another')
    expect(other.status).to.equal(503)
    expect(other.headers.get('Retry-After')).to.equal('1')
    now = 300_001
    expect((await call(goodKey)).status).to.equal(503)
  })

  it('counts the requests of a key within a minute, all of a batch, and nothing that asks nothing', async () => {
    const { url } = await backend()
    let now = 0
    const mcp = await run({ backendUrl: url, admission: { window: new SlidingWindow({ most: 3, clock: () => now }) } })
    const post = (message: unknown): Promise<Response> => mcp.post(message, { ...throughProxy, 'X-API-Key': goodKey })
    expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).to.equal(202)
    expect((await post(listTools)).status).to.equal(200)
    now = 20_000
    expect((await post([listTools, { ...listTools, id: 2 }, { ...listTools, id: 3 }])).status, 'three do not fit').to.equal(429)
    expect((await post([listTools, { ...listTools, id: 2 }])).status).to.equal(200)
    now = 30_500
    const refused = await post(listTools)
    expect(refused.status).to.equal(429)
    expect(refused.headers.get('Retry-After')).to.equal('30')
    now = 60_001
    expect((await post(listTools)).status).to.equal(200)
    expect((await post(listTools)).status).to.equal(429)
  })

  it('answers what is no message of the protocol with a status that says so', async () => {
    const mcp = await run()
    const statusOf = async (init: RequestInit, url = mcp.url): Promise<number> => (await fetch(url, init)).status
    expect(await statusOf({})).to.equal(405)
    expect(await statusOf({ method: 'DELETE' })).to.equal(405)
    expect(await statusOf({ method: 'POST', headers: messageHeaders, body: '{' })).to.equal(400)
    expect(await statusOf({ method: 'POST', body: 'x' })).to.equal(415)
    expect(await statusOf({ method: 'POST', headers: messageHeaders, body: `"${'x'.repeat(1024 * 1024)}"` })).to.equal(413)
    expect(await statusOf({}, mcp.url.replace('/mcp', '/other'))).to.equal(404)
    expect(await statusOf({}, mcp.url.replace('/mcp', '/health'))).to.equal(200)
  })
})

/** `fetch` sets Host itself. */
async function statusWith({ port }: RunningMcp, headers: Record<string, string>): Promise<number> {
  const request = httpRequest({ host: '127.0.0.1', port, path: '/mcp', method: 'POST', headers: { ...messageHeaders, ...headers } })
  request.end(JSON.stringify(listTools))
  const [response] = await once(request, 'response') as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return response.statusCode ?? 0
}
