import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { KeyCheck } from '../../../src/assistant/mcp/key-check.ts'
import { SlidingWindow } from '../../../src/platform/limits/sliding-window.ts'
import { originRules } from '../../../src/assistant/mcp/service.ts'
import { goodKey, startKeyBackend } from './support/key-backend.ts'
import type { KeyBackend } from './support/key-backend.ts'
import { listTools, messageHeaders, runMcp, throughProxy } from './support/running-mcp.ts'
import type { RunMcpOptions, RunningMcp } from './support/running-mcp.ts'
import { scriptedQueries } from './support/scripted-queries.ts'

describe('MCP server access', () => {
  const stops: (() => Promise<void>)[] = []
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop()
  })

  const run = async (options: Partial<RunMcpOptions> = {}): Promise<RunningMcp> => {
    const running = await runMcp({ queries: scriptedQueries(), ...options })
    stops.push(running.stop)
    return running
  }

  const backend = async (...answer: Parameters<typeof startKeyBackend>): Promise<KeyBackend> => {
    const started = await startKeyBackend(...answer)
    stops.push(started.stop)
    return started
  }

  it('needs no key for local programs', async () => {
    const mcp = await run()
    expect((await mcp.post(listTools)).status).to.equal(200)
  })

  it('requires a key for requests with a proxy header and says how to send it', async () => {
    const mcp = await run()
    for (const header of [
      'X-Forwarded-For',
      'Forwarded',
      'X-Real-IP',
      'Via',
      'X-Forwarded-Proto',
      'CF-Connecting-IP',
    ]) {
      const response = await mcp.post(listTools, { [header]: 'x' })
      expect(response.status, header).to.equal(401)
      expect(response.headers.get('WWW-Authenticate')).to.equal('Bearer realm="flowfarm"')
      const { error } = (await response.json()) as { error: { message: string; data: { code: string } } }
      expect(error.data.code).to.equal('key-required')
      expect(error.message).to.include('X-API-Key')
    }
  })

  it('requires a key when Host is not a local name, as after DNS rebinding', async () => {
    const mcp = await run()
    expect(await statusWith(mcp, { Host: `evil.example:${mcp.port}` })).to.equal(401)
    expect(await statusWith(mcp, { Host: `localhost:${mcp.port}` })).to.equal(200)
    expect(await statusWith(mcp, { Host: '[::1]' })).to.equal(200)
    for (const host of [
      'localhost@evil.example',
      'localhost.evil.example',
      'localhost.',
      '0.0.0.0',
      '[::]',
      'evil.example#localhost',
    ]) {
      expect(await statusWith(mcp, { Host: host }), host).to.be.oneOf([400, 401])
    }
  })

  it('rejects pages of other sites, with or without a key', async () => {
    const mcp = await run({ admission: { adminKey: 'secret' }, origins: { allowedOrigins: ['https://tools.example'] } })
    for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example']) {
      expect((await mcp.post(listTools, { Origin: origin, Authorization: 'Bearer secret' })).status, origin).to.equal(
        403,
      )
    }
    expect((await mcp.post(listTools, { Origin: 'http://localhost:6274' })).status).to.equal(200)
    const allowed = await mcp.post(listTools, { Origin: 'https://tools.example', Authorization: 'Bearer secret' })
    expect(allowed.status).to.equal(200)
    expect(allowed.headers.get('Access-Control-Allow-Origin')).to.equal('https://tools.example')
    expect(
      (await mcp.post(listTools, { Origin: 'https://tools.example' })).status,
      'an allowed page is not local',
    ).to.equal(401)
  })

  it('answers CORS preflight requests', async () => {
    const mcp = await run()
    const ask = (origin: string): Promise<Response> =>
      fetch(mcp.url, {
        method: 'OPTIONS',
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'POST',
          'Access-Control-Request-Headers': 'authorization, mcp-protocol-version',
        },
      })
    const response = await ask('http://localhost:6274')
    expect(response.status).to.equal(204)
    expect(response.headers.get('Access-Control-Allow-Headers')).to.equal('authorization, mcp-protocol-version')
    expect((await ask('https://evil.example')).status).to.equal(403)
  })

  it('accepts only configured host names, or the address that it listens on', async () => {
    const named = await run({ admission: { isKeyRequired: false }, origins: { allowedHosts: ['mcp.example'] } })
    expect(await statusWith(named, { Host: 'mcp.example', ...throughProxy })).to.equal(200)
    expect(await statusWith(named, { Host: 'other.example', ...throughProxy })).to.equal(403)
    const extension = 'chrome-extension://abcdefghijklmnop'
    const rules = originRules({
      HOST: '0.0.0.0',
      MCP_ALLOWED_HOSTS: [],
      MCP_ALLOWED_ORIGINS: [extension, 'https://Tools.example:443/'],
    })
    expect(rules.allowedOrigins, 'and not null, which any page in a sandbox sends').to.deep.equal([
      extension,
      'https://tools.example',
    ])
    const loopback = await run({
      admission: { isKeyRequired: false },
      origins: originRules({ HOST: '127.0.0.1', MCP_ALLOWED_HOSTS: [], MCP_ALLOWED_ORIGINS: [] }),
    })
    expect(await statusWith(loopback, { Host: 'evil.example' })).to.equal(403)
  })

  it('accepts the admin key in both headers, without a rate limit', async () => {
    const mcp = await run({ admission: { adminKey: 'secret', window: new SlidingWindow({ max: 1 }) } })
    for (let i = 0; i < 3; i++) {
      expect((await mcp.post(listTools, { ...throughProxy, Authorization: 'Bearer secret' })).status).to.equal(200)
      expect((await mcp.post(listTools, { ...throughProxy, 'X-API-Key': 'secret' })).status).to.equal(200)
    }
  })

  it('requires no key when API keys are disabled', async () => {
    const mcp = await run({ admission: { isKeyRequired: false } })
    expect((await mcp.post(listTools, throughProxy)).status).to.equal(200)
  })

  it('verifies a developer key with the backend once and caches both results', async () => {
    const { url, requested } = await backend()
    const mcp = await run({ backendUrl: url })
    const call = async (key: string): Promise<number> =>
      (await mcp.post(listTools, { ...throughProxy, Authorization: `Bearer ${key}` })).status
    expect(await Promise.all([call(goodKey), call(goodKey), call(goodKey)])).to.deep.equal([200, 200, 200])
    const refused = await mcp.post(listTools, { ...throughProxy, 'X-API-Key': 'fs_live_bad' })
    expect(refused.status).to.equal(401)
    expect(refused.headers.get('WWW-Authenticate')).to.equal('Bearer realm="flowfarm", error="invalid_token"')
    expect(await call('fs_live_bad')).to.equal(401)
    expect(requested).to.deep.equal([`POST /auth/verify-key ${goodKey}`, 'POST /auth/verify-key fs_live_bad'])
  })

  it('blocks a client that tries many keys, but not one with a valid key', async () => {
    const { url, requested } = await backend()
    const mcp = await run({ backendUrl: url })
    const call = (key: string): Promise<Response> =>
      mcp.post(listTools, { ...throughProxy, Authorization: `Bearer ${key}` })
    expect((await call(goodKey)).status).to.equal(200)
    for (let i = 0; i < 10; i++) expect((await call(`guess-${i}`)).status).to.equal(401)
    const held = await call('guess-10')
    expect(held.status).to.equal(429)
    expect(Number(held.headers.get('Retry-After'))).to.be.greaterThan(0)
    expect(requested).to.have.length(11)
    expect((await call(goodKey)).status).to.equal(200)
  })

  it('returns 503 when the backend is unavailable and accepts cached valid keys for a while', async () => {
    let isDown = false
    const { url } = await backend((_request, response) => {
      if (isDown) response.writeHead(500).end('no')
      else response.writeHead(200).end('{"valid":true}')
    })
    let now = 0
    const keys = new KeyCheck({ backendUrl: () => url, clock: () => now })
    const mcp = await run({ admission: { keys } })
    const call = (key: string): Promise<Response> =>
      mcp.post(listTools, { ...throughProxy, Authorization: `Bearer ${key}` })
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

  it('retries an unresponsive backend for a valid key only at intervals', async () => {
    let isDown = false
    const { url, requested } = await backend((_request, response) => {
      if (isDown) response.destroy()
      else response.end('{"valid":true}')
    })
    let now = 0
    const keys = new KeyCheck({ backendUrl: () => url, clock: () => now })
    await keys.lookUp('digest', goodKey)
    isDown = true
    now = 60_000
    expect(keys.cached('digest')).to.equal(undefined)
    expect(await Promise.all([keys.lookUp('digest', goodKey), keys.lookUp('digest', goodKey)])).to.deep.equal([
      true,
      true,
    ])
    expect(keys.cached('digest')).to.equal(true)
    expect(requested).to.have.length(2)
    now = 65_000
    expect(keys.cached('digest')).to.equal(undefined)
    now = 299_000
    expect(await keys.lookUp('digest', goodKey)).to.equal(true)
    now = 300_000
    expect(keys.cached('digest')).to.equal(undefined)
    const failures = await Promise.all(
      [1, 2].map(() => keys.lookUp('digest', goodKey).catch((error: unknown) => error)),
    )
    for (const error of failures) expect(error).to.include({ code: 'keys-unavailable' })
  })

  it('retains valid keys in the cache despite many guessed keys', async () => {
    const { url } = await backend()
    const keys = new KeyCheck({ backendUrl: () => url, maxCached: 3 })
    await keys.lookUp('good', goodKey)
    for (let i = 0; i < 4; i++) await keys.lookUp(`bad ${i}`, 'x')
    expect(keys.cached('good')).to.equal(true)
    expect(keys.cached('bad 0'), 'the first guess').to.equal(undefined)
    expect(keys.cached('bad 3')).to.equal(false)
  })

  it('blocks concurrent guesses', async () => {
    const { url, requested } = await backend()
    const mcp = await run({ backendUrl: url })
    const statuses = await Promise.all(
      Array.from(
        { length: 100 },
        async (_, i) => (await mcp.post(listTools, { ...throughProxy, 'X-API-Key': `guess-${i}` })).status,
      ),
    )
    expect(requested.length).to.be.at.most(20)
    expect(new Set(statuses)).to.deep.equal(new Set([401, 429]))
  })

  it('recognises loopback addresses on a dual-stack socket', async function (this: Mocha.Context) {
    const mcp = await run({ host: '::' }).catch((error: unknown) => {
      if (
        (error as { code?: unknown }).code === 'EAFNOSUPPORT' ||
        (error as { code?: unknown }).code === 'EADDRNOTAVAIL'
      )
        return undefined
      throw error
    })
    if (mcp === undefined) return this.skip()
    expect((await mcp.post(listTools)).status, 'from ::ffff:127.0.0.1').to.equal(200)
    expect((await mcp.post(listTools, throughProxy)).status).to.equal(401)
  })

  it('limits requests per key and minute, counts each request of a batch, and ignores notifications', async () => {
    const { url } = await backend()
    let now = 0
    const mcp = await run({ backendUrl: url, admission: { window: new SlidingWindow({ max: 3, clock: () => now }) } })
    const post = (message: unknown): Promise<Response> => mcp.post(message, { ...throughProxy, 'X-API-Key': goodKey })
    expect((await post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status).to.equal(202)
    expect((await post(listTools)).status).to.equal(200)
    now = 20_000
    expect(
      (await post([listTools, { ...listTools, id: 2 }, { ...listTools, id: 3 }])).status,
      'three do not fit',
    ).to.equal(429)
    const never = await post(Array.from({ length: 4 }, (_, id) => ({ ...listTools, id })))
    expect([never.status, never.headers.get('Retry-After')], 'four never do').to.deep.equal([400, null])
    expect((await post([listTools, { ...listTools, id: 2 }])).status).to.equal(200)
    now = 30_500
    const refused = await post(listTools)
    expect(refused.status).to.equal(429)
    expect(refused.headers.get('Retry-After')).to.equal('30')
    now = 60_001
    expect((await post(listTools)).status).to.equal(200)
    expect((await post(listTools)).status).to.equal(429)
  })

  it('rejects invalid protocol messages with a matching status', async () => {
    const mcp = await run()
    const statusOf = async (init: RequestInit, url = mcp.url): Promise<number> => (await fetch(url, init)).status
    expect(await statusOf({})).to.equal(405)
    expect(await statusOf({ method: 'DELETE' })).to.equal(405)
    expect(await statusOf({ method: 'POST', headers: messageHeaders, body: '{' })).to.equal(400)
    expect(await statusOf({ method: 'POST', body: 'x' })).to.equal(415)
    expect(await statusOf({ method: 'POST', headers: messageHeaders, body: `"${'x'.repeat(1024 * 1024)}"` })).to.equal(
      413,
    )
    for (const deep of [
      '['.repeat(5000) + ']'.repeat(5000),
      `{"jsonrpc":"2.0","id":${'{"a":'.repeat(300)}1${'}'.repeat(300)},"method":"tools/list"}`,
    ]) {
      expect(await statusOf({ method: 'POST', headers: messageHeaders, body: deep })).to.equal(400)
    }
    expect(await statusOf({}, mcp.url.replace('/mcp', '/other'))).to.equal(404)
    expect(await statusOf({}, mcp.url.replace('/mcp', '/health'))).to.equal(200)
  })
})

describe('an incomplete request', () => {
  for (const [what, head] of [
    ['the head', 'POST /mcp HTTP/1.1\r\nHost: localhost\r\n'],
    [
      'the body',
      'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{',
    ],
  ] as const) {
    it(`times out: ${what}`, async () => {
      const mcp = await runMcp({
        queries: scriptedQueries(),
        timeouts: { headMs: 50, requestMs: 100, stalledMs: 5000 },
      })
      const socket = connect(mcp.port, '127.0.0.1', () => socket.write(head))
      expect(await text(socket)).to.match(/^HTTP\/1\.1 408 /)
      await mcp.stop()
    })
  }
})

/** `fetch` sets Host itself. */
async function statusWith({ port }: RunningMcp, headers: Record<string, string>): Promise<number> {
  const request = httpRequest({
    host: '127.0.0.1',
    port,
    path: '/mcp',
    method: 'POST',
    headers: { ...messageHeaders, ...headers },
  })
  request.end(JSON.stringify(listTools))
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return response.statusCode ?? 0
}
