import { expect } from 'chai'
import { expectNotFoundPage } from '../../support/not-found-page.ts'
import { pino } from 'pino'
import { ApiError } from '../../../src/platform/errors.ts'
import { createHttpServer } from '../../../src/platform/http/server.ts'
import { Metrics } from '../../../src/platform/metrics.ts'
import type { AuthServer, SessionCookieOptions } from '../../../src/wallet/session-cookies.ts'
import { SessionCookies, sessionRoutes } from '../../../src/wallet/session-cookies.ts'
import { newEmail, startFakeWallet } from '../../support/fake-wallet.ts'
import type { FakeWallet } from '../../support/fake-wallet.ts'

const origin = 'https://wallet.example.com'

/** An auth server whose tokens count up. `old` tokens have expired. */
class CountingAuth implements AuthServer {
  readonly renewed: string[] = []
  readonly ended: string[] = []
  isAway = false
  isAwayForEnds = false

  async refresh(token: string): Promise<Awaited<ReturnType<AuthServer['refresh']>>> {
    this.renewed.push(token)
    if (this.isAway) throw new ApiError(503, 'auth-unavailable', 'away')
    if (token.startsWith('old')) throw new ApiError(401, 'session-ended', 'ended')
    const next = `${token}+`
    return { access_token: `access of ${next}`, refresh_token: next, expires_at: 2_000_000_000, user: { id: 'u' } }
  }

  async signOut(accessToken: string, scope: string): Promise<void> {
    if (this.isAwayForEnds) throw new ApiError(503, 'auth-unavailable', 'away')
    this.ended.push(`${scope}: ${accessToken}`)
  }
}

describe('cookie sessions', () => {
  let stop: (() => Promise<void>) | undefined
  afterEach(async () => {
    await stop?.()
    stop = undefined
  })

  const start = async (
    auth: AuthServer,
    options: Partial<SessionCookieOptions> = {},
  ): Promise<
    (
      method: string,
      init?: { cookie?: string; headers?: Record<string, string>; body?: unknown; query?: string },
    ) => Promise<Response>
  > => {
    const sessions = new SessionCookies({
      auth,
      allows: (given) => given === origin,
      isSecure: true,
      cookieDomain: undefined,
      sessionHours: 24,
      ...options,
    })
    const { port, close } = await createHttpServer(
      {
        service: 'wallet',
        metrics: new Metrics(),
        log: pino({ level: 'silent' }),
        host: '127.0.0.1',
        port: 0,
        closeGraceMs: 0,
      },
      { routes: sessionRoutes, services: { sessions }, before: [sessions.protect()] },
    )
    stop = close
    return (method, { cookie, headers = { origin, 'x-wallet-session': '1' }, body, query = '' } = {}) =>
      fetch(`http://127.0.0.1:${port}/session${query}`, {
        method,
        headers: {
          ...headers,
          ...(cookie === undefined ? {} : { cookie }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
  }

  it('store the next token, hidden from scripts, other hosts and connections without TLS', async () => {
    const auth = new CountingAuth()
    const call = await start(auth)
    const answer = await call('POST', { body: { refresh_token: 'r' } })
    expect(answer.headers.get('set-cookie')).to.equal(
      '__Host-flowfarm-session=r%2B; Path=/; Max-Age=86400; HttpOnly; SameSite=Lax; Secure',
    )
    expect(answer.headers.get('cache-control')).to.equal('no-store')
    const text = await answer.text()
    expect(JSON.parse(text)).to.deep.equal({
      session: { access_token: 'access of r+', expires_at: 2_000_000_000, user: { id: 'u' } },
    })
    expect(text, 'no refresh token goes to the page').not.to.include('refresh')
    const next = await call('GET', { cookie: '__Host-flowfarm-session=r%2B' })
    expect(next.headers.get('set-cookie')).to.include('__Host-flowfarm-session=r%2B%2B;')
  })

  it('are shared between hosts of a site only if configured', async () => {
    const call = await start(new CountingAuth(), { cookieDomain: 'example.com' })
    expect((await call('POST', { body: { refresh_token: 'r' } })).headers.get('set-cookie')).to.match(
      /^__Secure-flowfarm-session=.*; Secure; Domain=example\.com$/,
    )
  })

  it('reject all requests from pages of other sites', async () => {
    const auth = new CountingAuth()
    const call = await start(auth)
    const cookie = '__Host-flowfarm-session=r'
    const others: Record<string, string>[] = [
      { origin: 'https://evil.example', 'x-wallet-session': '1' },
      { origin: 'https://wallet.example.com.evil.example', 'x-wallet-session': '1' },
      { origin: 'null', 'x-wallet-session': '1' },
      { origin },
      {},
    ]
    for (const headers of others) {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await call(method, {
          cookie,
          headers,
          ...(method === 'POST' ? { body: { refresh_token: 'theirs' } } : {}),
        })
        expect(answer.status, `${method} ${JSON.stringify(headers)}`).to.equal(403)
        expect(answer.headers.get('set-cookie')).to.equal(null)
      }
    }
    for (const method of ['POST', 'DELETE'])
      expect((await call(method, { cookie, headers: { 'x-wallet-session': '1' } })).status, method).to.equal(403)
    const preflight = await call('OPTIONS', {
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'GET' },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).to.deep.equal([403, null])
    expect(auth.renewed).to.deep.equal([])
  })

  it('refresh a token once for concurrent requests of many tabs', async () => {
    const auth = new CountingAuth()
    const call = await start(auth)
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => call('GET', { cookie: '__Host-flowfarm-session=r' })),
    )
    expect(new Set(answers.map(({ headers }) => headers.get('set-cookie'))).size).to.equal(1)
    expect(auth.renewed).to.deep.equal(['r'])
  })

  it('survive an unreachable auth server, but not an expired token', async () => {
    const auth = new CountingAuth()
    const call = await start(auth)
    auth.isAway = true
    const away = await call('GET', { cookie: '__Host-flowfarm-session=r' })
    expect([away.status, away.headers.get('set-cookie')]).to.deep.equal([503, null])
    auth.isAway = false
    expect((await call('GET', { cookie: '__Host-flowfarm-session=r' })).status).to.equal(200)
    const ended = await call('GET', { cookie: '__Host-flowfarm-session=old' })
    expect(await ended.json()).to.deep.equal({ session: null })
    expect(ended.headers.get('set-cookie')).to.include('Max-Age=0')
  })

  it('end on the auth server at sign-out, and when another sign-in replaces them', async () => {
    const auth = new CountingAuth()
    const call = await start(auth)
    const out = await call('DELETE', { cookie: '__Host-flowfarm-session=r', query: '?scope=global' })
    expect([out.status, auth.ended]).to.deep.equal([204, ['global: access of r+']])
    expect(out.headers.get('set-cookie')).to.include('Max-Age=0')
    await call('POST', { cookie: '__Host-flowfarm-session=before', body: { refresh_token: 'new' } })
    expect(auth.ended[1]).to.equal('local: access of before+')
    expect((await call('DELETE', { query: '?scope=everything' })).status).to.equal(400)
  })

  it('end in this browser even if the auth server is unreachable, and survive a failure to end the others', async () => {
    const auth = new CountingAuth()
    const call = await start(auth)
    auth.isAway = true
    const out = await call('DELETE', { cookie: '__Host-flowfarm-session=r' })
    expect([out.status, out.headers.get('set-cookie')?.includes('Max-Age=0')]).to.deep.equal([503, true])
    auth.isAway = false
    auth.isAwayForEnds = true
    // The token was refreshed meanwhile, so the old one would count as reused.
    const others = await call('DELETE', { cookie: '__Host-flowfarm-session=o', query: '?scope=others' })
    expect(others.status).to.equal(503)
    expect(others.headers.get('set-cookie')).to.match(/^__Host-flowfarm-session=o(\+|%2B);/)
  })

  it('ignore foreign cookies, and reject malformed tokens', async () => {
    const auth = new CountingAuth()
    const call = await start(auth)
    for (const cookie of [
      'flowfarm-session=r',
      '__Host-flowfarm-session=',
      '__Host-flowfarm-session=%E0%A4%A',
      `__Host-flowfarm-session=${'a'.repeat(3000)}`,
    ]) {
      expect(await (await call('GET', { cookie })).json(), cookie.slice(0, 40)).to.deep.equal({ session: null })
    }
    for (const body of [{}, { refresh_token: 7 }, { refresh_token: '' }, { refresh_token: 'a'.repeat(3000) }, null, []])
      expect((await call('POST', { body })).status, JSON.stringify(body).slice(0, 40)).to.equal(400)
    expect(auth.renewed).to.deep.equal([])
  })
})

describe('the wallet over HTTP', () => {
  let wallet: FakeWallet
  before(async () => {
    wallet = await startFakeWallet((_, next) => next())
  })
  after(() => wallet.stop())

  it('returns public settings before sign-in, without secrets', async () => {
    const settings = (await (await fetch(`${wallet.url}/wallet/settings`)).json()) as Record<string, unknown>
    expect(settings).to.include({
      rp_id: 'localhost',
      gotrue_url: '/auth/v1',
      passkey_auth_url: '/functions/v1/passkey-auth',
      url: wallet.url,
    })
  })

  it('preserves a sign-in whose token is sent twice', async () => {
    const email = newEmail()
    const post = (path: string, body: unknown, headers = {}): Promise<Response> =>
      fetch(`${wallet.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    await post('/auth/v1/otp', { email })
    const session = (await (
      await post('/auth/v1/verify', { type: 'email', email, token: await wallet.codeFor(email) })
    ).json()) as { refresh_token: string }
    const own = { origin: wallet.url, 'x-wallet-session': '1' }
    const cookieOf = (response: Response): string => response.headers.get('set-cookie')?.split(';')[0] ?? ''
    const keep = (cookie?: string): Promise<Response> =>
      post(
        '/session',
        { refresh_token: session.refresh_token },
        { ...own, ...(cookie === undefined ? {} : { cookie }) },
      )
    const renew = (cookie: string): Promise<Response> => fetch(`${wallet.url}/session`, { headers: { ...own, cookie } })

    const first = await keep()
    const renewed = await renew(cookieOf(first))
    const second = await keep(cookieOf(renewed))
    expect([first.status, renewed.status, second.status]).to.deep.equal([200, 200, 200])
    const { session: kept } = (await second.json()) as { session: { access_token: string } }
    const user = await fetch(`${wallet.url}/auth/v1/user`, {
      headers: { authorization: `Bearer ${kept.access_token}` },
    })
    expect(user.status).to.equal(200)
    const { session: after } = (await (await renew(cookieOf(second))).json()) as { session: unknown }
    expect(after).to.not.equal(null)
  })

  it('returns the chain data for a transaction, and rejects invalid transactions', async () => {
    const head = (await (await fetch(`${wallet.url}/chain/testnet`)).json()) as { chain: string; block: { id: string } }
    expect([head.chain, head.block.id.length]).to.deep.equal(['emulator', 64])
    const statuses = await Promise.all(
      [
        '/chain/mainnet',
        '/chain/testnet/accounts/zz',
        '/chain/testnet/accounts/0x1',
        '/chain/testnet/transactions/12',
        '/chain/nonet',
      ].map(async (path) => (await fetch(`${wallet.url}${path}`)).status),
    )
    expect(statuses).to.deep.equal([404, 400, 404, 400, 404])
    const whole = {
      script: '',
      arguments: [],
      reference_block_id: 'ab'.repeat(32),
      compute_limit: 1,
      proposal_key: { address: '0x1', key_index: 0, sequence_number: '0' },
      payer: '0x1',
      authorizers: [],
      payload_signatures: [],
      envelope_signatures: [],
    }
    const send = (body: unknown): Promise<Response> =>
      fetch(`${wallet.url}/chain/testnet/transactions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const refused = await send(whole)
    expect([refused.status, ((await refused.json()) as { detail: string }).detail]).to.deep.equal([422, 'no signature'])
    for (const name of Object.keys(whole)) expect((await send({ ...whole, [name]: 7.5 })).status, name).to.equal(400)
    for (const more of [
      { payer: 'zz' },
      { reference_block_id: 'xyz' },
      { proposal_key: { ...whole.proposal_key, sequence_number: '-1' } },
      { envelope_signatures: [{ address: '0x1', key_index: 0, signature: 'q' }] },
    ]) {
      expect((await send({ ...whole, ...more })).status, JSON.stringify(more)).to.equal(400)
    }
  })

  it('proxies only explorer reads, without cookies and tokens', async () => {
    const ask = (path: string, init: RequestInit = {}): Promise<Response> => fetch(`${wallet.url}${path}`, init)
    const found = await ask('/explorer/flow/account/0x017dad06b3bee0b1/nft?limit=5', {
      headers: { cookie: 'flowfarm-session=secret', authorization: 'Bearer secret' },
    })
    expect(found.status, 'the explorer in this test refuses both').to.equal(200)
    for (const path of [
      '/explorer/admin/errors',
      '/explorer/flow/../admin/errors',
      '/explorer/flow/%2e%2e/admin/errors',
      '/explorer//evil.example/flow/x',
      '/explorer/flow/@evil.example',
    ])
      expect((await ask(path)).status, path).to.equal(404)
    expect((await ask('/explorer/flow/account/0x017dad06b3bee0b1', { method: 'POST' })).status).to.equal(405)
    await expectNotFoundPage(wallet.url)
  })

  it('logs no code, token or key', async () => {
    const email = newEmail()
    const post = (path: string, body: unknown, headers = {}): Promise<Response> =>
      fetch(`${wallet.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    await post('/auth/v1/otp', { email })
    const code = await wallet.codeFor(email)
    const session = (await (await post('/auth/v1/verify', { type: 'email', email, token: code })).json()) as {
      access_token: string
      refresh_token: string
    }
    const kept = await post(
      '/session',
      { refresh_token: session.refresh_token },
      { origin: wallet.url, 'x-wallet-session': '1' },
    )
    expect(kept.status).to.equal(200)
    const [, cookie = ''] = /=([^;]+)/.exec(kept.headers.get('set-cookie') ?? '') ?? []
    const log = wallet.logged.join('\n')
    expect(log.length).to.be.greaterThan(0)
    for (const secret of [session.access_token, session.refresh_token, decodeURIComponent(cookie), `"${code}"`])
      expect(log.includes(secret)).to.equal(false)
  })
})
