import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { ApiError } from '../../../src/platform/errors.ts'
import { RateLimits } from '../../../src/wallet/auth/stores/rate-limits.ts'
import { passkeyLimits } from '../../../src/wallet/passkeys/endpoint.ts'
import type { EndpointLimits, PasskeyLimits } from '../../../src/wallet/passkeys/endpoint.ts'
import { PasskeyWorld } from '../support/passkey-world.ts'
import type { Envelope } from '../support/passkey-world.ts'

const limitsOf = (client: number, account: number): PasskeyLimits => {
  const limit: EndpointLimits = {
    client: { max: client, periodMs: 300_000 },
    account: { max: account, periodMs: 300_000 },
  }
  return { begin: limit, ceremony: limit, manage: limit }
}

const every = [
  '/register/start',
  '/register/finish',
  '/login/start',
  '/login/finish',
  '/passkeys/list',
  '/passkeys/activity',
  '/passkeys/confirm',
  '/passkeys/remove',
  '/passkeys/update',
]

describe('rate limits of the passkey function', () => {
  const worlds: PasskeyWorld[] = []
  const create = async (options: Parameters<typeof PasskeyWorld.create>[0]): Promise<PasskeyWorld> => {
    const world = await PasskeyWorld.create(options)
    worlds.push(world)
    return world
  }
  afterEach(async () => {
    for (const world of worlds.splice(0)) await world.stop()
  })

  it('apply to each endpoint and address, including rejected and concurrent requests', async () => {
    const world = await create({ limits: limitsOf(3, 100), trustedProxies: ['127.0.0.1'] })
    for (const endpoint of every) {
      const from = (address: string): Promise<Envelope> =>
        world.call(endpoint, {}, { token: 'none', headers: { 'X-Forwarded-For': address } })
      const answers = await Promise.all(Array.from({ length: 7 }, () => from('203.0.113.7')))
      const limited = answers.filter(({ status }) => status === 429)
      expect(limited, endpoint).to.have.length(4)
      for (const { error, headers } of limited) {
        expect(error.code).to.equal('RATE_LIMITED')
        expect(Number(headers.get('Retry-After'))).to.be.within(1, 100)
      }
      expect((await from('203.0.113.8')).status, endpoint).to.not.equal(429)
    }
    expect(
      (await world.audited("event = 'rate_limit_exceeded'")).map(({ reason, ip }) => [reason, ip]),
    ).to.have.deep.members(every.map((name) => [name, '203.0.113.7']))
  })

  it('treat an IPv6 network as one client, and ignore addresses that the client set itself', async () => {
    const world = await create({ limits: limitsOf(2, 100), trustedProxies: ['127.0.0.1'] })
    const from = async (address: string): Promise<number> =>
      (await world.call('/login/start', {}, { headers: { 'X-Forwarded-For': address } })).status
    expect(await Promise.all(['2001:db8::1', '2001:db8::2', '2001:db8:0:0:ffff::3'].map(from))).to.have.members([
      200, 200, 429,
    ])
    expect(await from('2001:db8:0:1::1')).to.equal(200)
    const lying = await create({ limits: limitsOf(2, 100) })
    const lied = async (address: string): Promise<number> =>
      (await lying.call('/login/start', {}, { headers: { 'X-Forwarded-For': address } })).status
    expect(await Promise.all(['203.0.113.1', '203.0.113.2', '203.0.113.3'].map(lied))).to.have.members([200, 200, 429])
    expect((await lying.audited("event = 'authentication_started'")).map(({ ip }) => ip)).to.deep.equal([
      '127.0.0.1',
      '127.0.0.1',
    ])
    const behind = await create({ limits: limitsOf(2, 100), trustedProxies: ['127.0.0.1'] })
    const prefixed = async (first: string): Promise<number> =>
      (await behind.call('/login/start', {}, { headers: { 'X-Forwarded-For': `${first}, 203.0.113.9` } })).status
    expect(await Promise.all(['198.51.100.1', '198.51.100.2', '198.51.100.3'].map(prefixed))).to.have.members([
      200, 200, 429,
    ])
  })

  it('apply to an account across all clients', async () => {
    const world = await create({ limits: limitsOf(1000, 3), trustedProxies: ['127.0.0.1'] })
    const testUser = await world.withPasskey()
    let last = 0
    const elsewhere = (): Record<string, string> => ({ 'X-Forwarded-For': `203.0.113.${++last}` })
    const listed = await Promise.all(
      Array.from({ length: 5 }, () =>
        world.call('/passkeys/list', {}, { token: testUser.token, headers: elsewhere() }),
      ),
    )
    expect(listed.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([200, 200, 200, 429, 429])
    const started = await Promise.all(
      Array.from({ length: 5 }, () =>
        world.call('/login/start', { email: 'heidi@example.com' }, { headers: elsewhere() }),
      ),
    )
    // A limit per address would let anyone lock out its owner.
    expect(started.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200, 200])
    for (let time = 0; time < 9; time++)
      expect(
        (await world.signIn(testUser, { key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey })).status,
      ).to.equal(401)
    const signedIn: number[] = []
    for (let time = 0; time < 5; time++) signedIn.push((await world.signIn(testUser)).status)
    expect(signedIn).to.deep.equal([200, 200, 200, 429, 429])
    expect((await world.signIn(await world.withPasskey())).status).to.equal(200)
  })

  it('refill evenly over their period, across processes', async () => {
    const world = await create({})
    const [one, other] = [new RateLimits(world.database.pool), new RateLimits(world.database.pool)]
    const limit = { max: 4, periodMs: 400_000 }
    /** Remaining wait in seconds if the limit is reached. */
    const take = async (rates: RateLimits): Promise<unknown> => {
      try {
        await rates.take('test', 'somebody', limit)
        return 'taken'
      } catch (error) {
        return error instanceof ApiError ? error.details['retryAfterSeconds'] : error
      }
    }
    expect(await Promise.all([one, other, one, other].map(take))).to.deep.equal(['taken', 'taken', 'taken', 'taken'])
    expect(await take(one)).to.be.within(95, 100)
    const pass = (seconds: number): Promise<unknown> =>
      world.database.pool.query("update wallet_auth.rate_limits set full_at = full_at - $1 * interval '1 s'", [seconds])
    await pass(101)
    expect(await take(other)).to.equal('taken')
    expect(await take(other)).to.be.within(95, 100)
    await one.prune()
    expect((await world.database.pool.query('select 1 from wallet_auth.rate_limits')).rowCount).to.equal(1)
    await pass(400)
    await one.prune()
    expect((await world.database.pool.query('select 1 from wallet_auth.rate_limits')).rowCount).to.equal(0)
  })

  it('do not exceed those of other auth servers where credentials could be guessed', () => {
    const { ceremony } = passkeyLimits
    expect(ceremony).to.deep.equal({
      client: { max: 30, periodMs: 300_000 },
      account: { max: 30, periodMs: 300_000 },
    })
  })
})
