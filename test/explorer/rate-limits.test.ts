import type { IncomingMessage } from 'node:http'
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { addressList } from '../../src/platform/limits/clients.ts'
import type { Client } from '../../src/platform/limits/clients.ts'
import type { RateLimitOptions } from '../../src/platform/limits/rate-limiter.ts'
import { DeveloperKeys } from '../../src/platform/auth/developer-keys.ts'
import { createPool } from '../../src/platform/db/pool.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'

/** Lets a test set the client address. */
const clientOf = (request: IncomingMessage): Client => {
  const address = String(request.headers['x-test-address'] ?? '127.0.0.1')
  return { address, isLocal: address === '127.0.0.1' }
}

/** So slow that nothing is refilled during a test. */
const limits: RateLimitOptions = {
  rps: 0.01,
  burst: 3,
  ttlMinutes: 15,
  trustedRps: 0.5,
  trustedAddresses: addressList(['192.0.2.0/24']),
}

describe('the rate limit', () => {
  let database: TestDatabase
  let keys: DeveloperKeys
  let api: RunningApi

  before(async () => {
    database = await createTestDatabase()
  })

  after(async () => {
    await database.drop()
  })

  beforeEach(async () => {
    keys = new DeveloperKeys(database.pool)
    api = await runApi(database.url, { server: { clientOf, rateLimit: limits, keys } })
  })

  afterEach(async () => {
    await api.stop()
  })

  const ask = (path: string, address: string, headers: Record<string, string> = {}): Promise<Response> =>
    api.get(path, { headers: { 'X-Test-Address': address, ...headers } })

  async function statuses(
    count: number,
    path: string,
    address: string,
    headers: Record<string, string> = {},
  ): Promise<number[]> {
    const found: number[] = []
    for (let i = 0; i < count; i++) found.push((await ask(path, address, headers)).status)
    return found
  }

  it('allows a burst, reports the remaining requests, and then the retry time', async () => {
    const first = await ask('/flow/block', '203.0.113.1')
    expect(first.status).to.equal(200)
    expect(first.headers.get('ratelimit-policy')).to.equal('"address";q=3;w=300')
    expect(first.headers.get('ratelimit')).to.equal('"address";r=2;t=100')
    expect(await statuses(3, '/flow/block', '203.0.113.1')).to.deep.equal([200, 200, 429])
    const refused = await ask('/flow/block', '203.0.113.1')
    expect(refused.headers.get('ratelimit')).to.match(/^"address";r=0;t=\d+$/)
    expect(Number(refused.headers.get('retry-after'))).to.be.within(90, 100)
    expect(refused.headers.get('cache-control')).to.equal('no-store')
    expect(refused.headers.get('content-type')).to.equal('application/problem+json')
    expect(await refused.json()).to.include({ status: 429, code: 'rate-limited', title: 'Too many requests' })
    expect(refused.headers.get('access-control-expose-headers')).to.include('RateLimit')
    expect((await ask('/flow/block', '203.0.113.2')).status).to.equal(200)
  })

  it('counts unknown paths and every form of a path', async () => {
    const paths = ['/nothing', '/chain/v1/block', '/flow/block/99']
    for (const path of paths) await ask(path, '203.0.113.1')
    expect((await ask('/flow/transaction', '203.0.113.1')).status).to.equal(429)
  })

  it('does not count health, documents and preflights', async () => {
    const paths = ['/health', '/openapi.json', '/chain/v1/health', '/api/v1/chain/v1/openapi.yaml', '/']
    for (const path of [...paths, ...paths]) {
      const response = await ask(path, '203.0.113.1')
      expect(response.status, path).to.equal(200)
      expect(response.headers.get('ratelimit')).to.equal(null)
    }
    const preflight = await api.get('/flow/block', {
      method: 'OPTIONS',
      headers: {
        'X-Test-Address': '203.0.113.1',
        Origin: 'https://example.org',
        'Access-Control-Request-Method': 'GET',
      },
    })
    expect(preflight.status).to.equal(204)
    expect((await ask('/flow/block', '203.0.113.1')).headers.get('ratelimit')).to.include('r=2')
  })

  it('counts an IPv6 network as one client', async () => {
    for (const address of ['2001:470:1:2::1', '2001:470:1:2:ffff::9', '2001:0470:0001:0002:1:2:3:4']) {
      expect((await ask('/flow/block', address)).status).to.equal(200)
    }
    expect((await ask('/flow/block', '2001:470:1:2:abcd::')).status).to.equal(429)
    expect((await ask('/flow/block', '2001:470:1:3::1')).status).to.equal(200)
  })

  it('is higher for trusted addresses, regardless of the origin', async () => {
    expect((await ask('/flow/block', '192.0.2.7')).headers.get('ratelimit-policy')).to.equal('"trusted";q=5;w=10')
    const origin = { Origin: 'https://explorer.example.org', Referer: 'https://explorer.example.org/' }
    expect(await statuses(4, '/flow/block', '203.0.113.1', origin)).to.deep.equal([200, 200, 200, 429])
  })

  it('does not apply to loopback', async () => {
    expect(new Set(await statuses(20, '/flow/block', '127.0.0.1'))).to.deep.equal(new Set([200]))
  })

  it('counts WebSocket upgrades', async () => {
    const refused = async (): Promise<number | undefined> => {
      const socket = new WebSocket(`ws://${api.host}/ws`, { headers: { 'x-test-address': '203.0.113.1' } })
      const { promise, resolve } = Promise.withResolvers<number | undefined>()
      socket.once('open', () => {
        socket.once('close', () => resolve(undefined))
        socket.close()
      })
      socket.once('unexpected-response', (_request, response) => {
        expect(Number(response.headers['retry-after'])).to.be.above(0)
        resolve(response.statusCode)
      })
      socket.once('error', () => undefined)
      return promise
    }
    expect([await refused(), await refused(), await refused(), await refused()]).to.deep.equal([
      undefined,
      undefined,
      undefined,
      429,
    ])
  })

  describe('with a developer key', () => {
    it('is that of its tier for any address', async () => {
      const { text } = await keys.create({ name: 'a', tier: 'pro' })
      await statuses(4, '/flow/block', '203.0.113.1')
      const response = await ask('/flow/block', '203.0.113.9', { 'X-API-Key': text })
      expect(response.headers.get('ratelimit-policy')).to.equal('"key";q=500;w=10')
      expect((await ask('/flow/block', '203.0.113.1', { 'X-API-Key': text })).status).to.equal(200)
      const unlimited = await keys.create({ name: 'b', tier: 'unlimited' })
      expect(
        (await ask('/flow/block', '203.0.113.10', { 'X-API-Key': unlimited.text })).headers.get('ratelimit'),
      ).to.equal(null)
    })

    it('rejects unknown and revoked keys after counting them by address', async () => {
      for (const wrong of [`fs_live_${'0'.repeat(64)}`, 'x', "' or 1=1 --"]) {
        const response = await ask('/flow/block', '203.0.113.1', { 'X-API-Key': wrong })
        expect(response.status).to.equal(401)
        expect(await response.json()).to.include({ code: 'unknown-api-key' })
      }
      expect((await ask('/flow/block', '203.0.113.1', { 'X-API-Key': `fs_live_${'1'.repeat(64)}` })).status).to.equal(
        429,
      )
      const { text, key } = await keys.create({ name: 'a', tier: 'free' })
      expect((await ask('/flow/block', '203.0.113.2', { 'X-API-Key': text })).status).to.equal(200)
      await keys.revoke(key.id)
      expect((await ask('/flow/block', '203.0.113.2', { 'X-API-Key': text })).status).to.equal(401)
    })

    it('stores only the digest of a key', async () => {
      const { text, key } = await keys.create({ name: 'a', tier: 'free' })
      expect(text).to.match(/^fs_live_[0-9a-f]{64}$/)
      const {
        rows: [row],
      } = await database.pool.query<Record<string, unknown>>('select * from app.developer_keys where id = $1', [key.id])
      expect(row?.['key_hash']).to.deep.equal(createHash('sha256').update(text).digest())
      expect(JSON.stringify(row)).to.not.include(text.slice(12, 40))
    })

    it('records the last use once per minute', async () => {
      const { text, key } = await keys.create({ name: 'a', tier: 'free' })
      const usedAt = async (): Promise<Date | null | undefined> =>
        (await keys.list()).find(({ id }) => id === key.id)?.lastUsedAt
      await new DeveloperKeys(database.pool).find(text)
      const first = await usedAt()
      expect(first).to.be.instanceOf(Date)
      await new DeveloperKeys(database.pool).find(text)
      expect(await usedAt()).to.deep.equal(first)
      await database.pool.query("update app.developer_keys set last_used_at = now() - interval '61 s' where id = $1", [
        key.id,
      ])
      await new DeveloperKeys(database.pool).find(text)
      expect((await usedAt())?.getTime()).to.be.at.least(first?.getTime() ?? Infinity)
    })

    it('caches key lookups', async () => {
      let now = 0
      const slow = new DeveloperKeys(database.pool, { cacheMs: 1000, clock: () => now })
      const { text, key } = await slow.create({ name: 'a', tier: 'free' })
      expect((await slow.find(text))?.id).to.equal(key.id)
      await database.pool.query('update app.developer_keys set revoked_at = now() where id = $1', [key.id])
      expect((await slow.find(text))?.id).to.equal(key.id)
      now = 1001
      expect(await slow.find(text)).to.equal(undefined)
    })
  })

  describe('POST /auth/verify-key', () => {
    const verify = async (headers: Record<string, string>): Promise<{ status: number; body: unknown }> => {
      const response = await api.get('/auth/verify-key', { method: 'POST', headers })
      return { status: response.status, body: await response.json() }
    }

    it('verifies a key', async () => {
      const { text, key } = await keys.create({ name: 'a', tier: 'free' })
      expect(await verify({ 'X-API-Key': text })).to.deep.equal({ status: 200, body: { valid: true } })
      for (const headers of [{}, { 'X-API-Key': 'x' }, { 'X-API-Key': `fs_live_${'0'.repeat(64)}` }]) {
        const { status, body } = await verify(headers)
        expect(status).to.equal(401)
        expect(body).to.have.property('valid', false)
        expect(body).to.have.property('error').that.is.a('string')
      }
      await keys.revoke(key.id)
      expect((await verify({ 'X-API-Key': text })).status).to.equal(401)
    })

    it('returns 503 if keys are not available', async () => {
      const without = await runApi(database.url)
      const response = await without.get('/auth/verify-key', { method: 'POST', headers: { 'X-API-Key': 'x' } })
      expect(response.status).to.equal(503)
      expect(await response.json()).to.have.property('valid', false)
      await without.stop()
      const lock = await database.pool.connect()
      await lock.query('begin; lock table app.developer_keys in access exclusive mode')
      const pool = createPool(database.url, { max: 1, statementTimeoutMs: 50 })
      const busy = await runApi(database.url, { server: { keys: new DeveloperKeys(pool) } })
      const late = await busy.get('/auth/verify-key', {
        method: 'POST',
        headers: { 'X-API-Key': `fs_live_${'2'.repeat(64)}` },
      })
      expect(late.status).to.equal(503)
      await lock.query('rollback')
      lock.release()
      await busy.stop()
      await pool.end()
    })

    it('accepts no other method', async () => {
      const response = await api.get('/auth/verify-key')
      expect(response.status).to.equal(405)
      expect(response.headers.get('allow')).to.equal('POST, OPTIONS')
    })
  })
})
