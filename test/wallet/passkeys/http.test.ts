import { expect } from 'chai'
import { ApiError } from '../../../src/platform/errors.ts'
import type { SessionEndpoint } from '../../../src/wallet/passkeys/endpoint.ts'
import { createTestDatabase } from '../../support/database.ts'
import { dataOf, origin, PasskeyWorld } from '../support/passkey-world.ts'

const requested: unknown[] = []
const waiting = Promise.withResolvers<AbortSignal>()
const endpoints: Readonly<Record<string, SessionEndpoint>> = {
  '/wallet/accounts': async (signedIn, data) => {
    requested.push(data)
    return { of: signedIn.user.id }
  },
  '/wallet/provision': async () => {
    throw new ApiError(500, 'PROVISION_FAILED', 'The account could not be made.')
  },
  '/wallet/slow': async (_, __, { signal }) => {
    waiting.resolve(signal)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    return {}
  },
  '/wallet/away': async () => {
    throw new ApiError(503, 'PROVISION_FAILED', 'There is no node.')
  },
  '/wallet/broken': async () => {
    throw new Error('the password of the database is hunter2')
  },
}

describe('the passkey function', () => {
  let world: PasskeyWorld
  before(async () => {
    world = await PasskeyWorld.create({ endpoints })
  })
  after(() => world.stop())

  const post = (body: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    world.fetch({ method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } })

  it('runs endpoints of other parts, for signed-in users only', async () => {
    const testUser = world.testUser()
    expect(dataOf(await world.call('/wallet/accounts', { a: 1 }, { token: testUser.token }))).to.deep.equal({
      of: testUser.user.id,
    })
    expect(requested).to.deep.equal([{ a: 1 }])
    const failed = await world.call('/wallet/provision', {}, { token: testUser.token })
    expect([failed.status, failed.error]).to.deep.equal([
      500,
      { code: 'PROVISION_FAILED', message: 'The account could not be made.' },
    ])
    const open = await world.call('/wallet/accounts')
    expect([open.status, open.error.code]).to.deep.equal([401, 'UNAUTHORIZED'])
  })

  it('aborts endpoints of other parts when the client disconnects', async () => {
    const disconnect = new AbortController()
    const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${world.testUser().token}` }
    const answer = world
      .fetch({ method: 'POST', headers, body: '{"endpoint":"/wallet/slow"}', signal: disconnect.signal })
      .catch((error: unknown) => (error as Error).name)
    const signal = await waiting.promise
    expect(signal.aborted).to.equal(false)
    const gone = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    disconnect.abort()
    await gone
    expect(await answer).to.equal('AbortError')
  })

  it('reports internal errors only in the log', async () => {
    const { status, error } = await world.call('/wallet/broken', {}, { token: world.testUser().token })
    expect([status, error.code]).to.deep.equal([500, 'INTERNAL'])
    expect(error.message).to.not.include('hunter2')
    expect(world.logged.join('')).to.include('hunter2')
    // Signed-in users can trigger 503 responses at will, so these are logged as warnings.
    const { token } = world.testUser()
    for (const endpoint of ['/wallet/broken', '/wallet/away']) await world.call(endpoint, {}, { token })
    const levels = world.logged
      .map((line) => JSON.parse(line) as { readonly msg: string; readonly level: number })
      .filter(({ msg }) => msg === 'Request failed')
      .map(({ level }) => level)
    expect(levels.slice(-2)).to.deep.equal([50, 40])
  })

  it('requires a session to create and manage passkeys', async () => {
    const of = [
      '/register/start',
      '/register/finish',
      '/passkeys/list',
      '/passkeys/activity',
      '/passkeys/confirm',
      '/passkeys/remove',
      '/passkeys/update',
    ]
    for (const endpoint of of) {
      for (const token of [undefined, 'none', 'x'.repeat(5000)]) {
        const { status, error, headers } = await world.call(endpoint, {}, { token })
        expect([endpoint, status, error.code]).to.deep.equal([endpoint, 401, 'UNAUTHORIZED'])
        expect(headers.get('WWW-Authenticate')).to.include('Bearer')
      }
    }
  })

  it('rejects endpoints named after object properties', async () => {
    for (const endpoint of ['/nothing', 'constructor', '__proto__', 'toString', '', '/login/start/']) {
      const { status, error } = await world.call(endpoint, {}, { token: world.testUser().token })
      expect([endpoint, status, error.code]).to.deep.equal([endpoint, 404, 'NOT_FOUND'])
    }
  })

  it('rejects another relying party', async () => {
    const testUser = await world.withPasskey()
    const response = testUser.authenticator.get((await world.startSignIn()).options)
    const challengeId = '00000000-0000-4000-8000-000000000000'
    const calls: readonly (readonly [string, object])[] = [
      ['/register/start', {}],
      ['/login/start', {}],
      ['/passkeys/confirm', { change: { action: 'add-passkey' } }],
      ['/login/finish', { challengeId, response }],
      [
        '/register/finish',
        { challengeId, response: testUser.authenticator.create((await world.startRegistration(testUser)).options) },
      ],
    ]
    for (const [endpoint, data] of calls) {
      for (const rpId of ['evil.example', 'wallet.example.com', 'EXAMPLE.COM', '']) {
        const { status, error } = await world.call(endpoint, { ...data, rpId }, { token: testUser.token })
        expect([endpoint, rpId, status, error.code]).to.deep.equal([endpoint, rpId, 400, 'INVALID_INPUT'])
        expect(error.message).to.include('"rpId"')
      }
    }
  })

  it('names the invalid field of a request', async () => {
    const testUser = await world.withPasskey()
    const { options, challengeId } = await world.startSignIn()
    const response = testUser.authenticator.get(options)
    const wrong: readonly (readonly [string, unknown, string])[] = [
      ['/login/finish', {}, 'challengeId'],
      ['/login/finish', { challengeId: 'x', response }, 'challengeId'],
      ['/login/finish', { challengeId }, 'response'],
      ['/login/finish', { challengeId, response: { ...response, id: 'a b' } }, 'response.id'],
      ['/login/finish', { challengeId, response: { ...response, id: 'A'.repeat(1365) } }, 'response.id'],
      ['/login/finish', { challengeId, response: { ...response, type: 'password' } }, 'response.type'],
      [
        '/login/finish',
        { challengeId, response: { ...response, response: { ...response.response, signature: 'A'.repeat(2000) } } },
        'response.response.signature',
      ],
      [
        '/login/finish',
        { challengeId, response: { ...response, response: { ...response.response, userHandle: 7 } } },
        'response.response.userHandle',
      ],
      ['/login/start', { email: 'x'.repeat(400) }, 'email'],
      ['/login/start', { email: { like: '%' } }, 'email'],
      ['/register/start', { walletName: '' }, 'walletName'],
      ['/passkeys/remove', {}, 'credentialId'],
      ['/passkeys/remove', { credentialId: "'; drop schema wallet cascade; --" }, 'credentialId'],
    ]
    for (const [endpoint, data, field] of wrong) {
      const { status, error } = await world.call(endpoint, data, { token: testUser.token })
      expect([endpoint, status, error.code]).to.deep.equal([endpoint, 400, 'INVALID_INPUT'])
      expect(error.message).to.include(`"${field}"`)
    }
    for (const data of [[], 'text', 7, true])
      expect((await world.call('/login/start', data)).status, JSON.stringify(data)).to.equal(400)
    // A malformed request does not use up the challenge.
    expect((await world.call('/login/finish', { challengeId, response })).status).to.equal(200)
  })

  it('accepts only JSON POST requests of limited size', async () => {
    const large = await post(JSON.stringify({ endpoint: '/login/start', data: { x: 'x'.repeat(70_000) } }))
    expect(large.status).to.equal(413)
    expect(await large.json()).to.deep.nested.include({ success: false, 'error.code': 'INVALID_INPUT' })
    const text = '{"endpoint":"/login/start"}'
    for (const [body, headers, status] of [
      ['{', {}, 400],
      ['', {}, 400],
      ['null', {}, 400],
      ['[]', {}, 400],
      ['{"endpoint":7}', {}, 400],
      ['\ud800', {}, 400],
      ['['.repeat(30_000), {}, 400],
      [text, { 'Content-Type': 'text/plain' }, 415],
      [text, { 'Content-Type': 'application/x-www-form-urlencoded' }, 415],
      [text, { 'Content-Encoding': 'gzip' }, 415],
      [text, {}, 200],
    ] as const) {
      const answer = await post(body, headers)
      expect([body.slice(0, 40), answer.status]).to.deep.equal([body.slice(0, 40), status])
      expect(await answer.json()).to.have.property('success', status === 200)
    }
    const got = await world.fetch({ method: 'GET' })
    expect([got.status, got.headers.get('Allow')]).to.deep.equal([405, 'POST, OPTIONS'])
  })

  it('allows requests from its origins only, including lookalikes', async () => {
    const preflight = (from: string): Promise<Response> =>
      world.fetch({ method: 'OPTIONS', headers: { Origin: from, 'Access-Control-Request-Method': 'POST' } })
    for (const from of [origin, 'https://swap.apps.example.com']) {
      const before = await preflight(from)
      expect([
        before.status,
        before.headers.get('Access-Control-Allow-Origin'),
        before.headers.get('Vary'),
      ]).to.deep.equal([204, from, 'Accept-Encoding, Origin'])
      expect(before.headers.get('Access-Control-Allow-Headers'))
        .to.include('authorization')
        .and.to.include('content-type')
      expect(before.headers.get('Access-Control-Allow-Credentials')).to.equal(null)
      const answer = await world.call('/login/start', {}, { headers: { Origin: from } })
      expect([
        answer.status,
        answer.headers.get('Access-Control-Allow-Origin'),
        answer.headers.get('Cache-Control'),
      ]).to.deep.equal([200, from, 'no-store'])
      const refused = await world.call('/passkeys/list', {}, { headers: { Origin: from } })
      expect([refused.status, refused.headers.get('Access-Control-Allow-Origin')]).to.deep.equal([401, from])
    }
    for (const from of [
      'https://evil.example',
      'https://wallet.example.com.evil.example',
      'http://wallet.example.com',
      'https://example.com',
      'null',
    ]) {
      const before = await preflight(from)
      expect([from, before.status, before.headers.get('Access-Control-Allow-Origin')]).to.deep.equal([from, 403, null])
      const { status, error, headers } = await world.call('/login/start', {}, { headers: { Origin: from } })
      expect([from, status, error.code, headers.get('Access-Control-Allow-Origin')]).to.deep.equal([
        from,
        403,
        'ORIGIN_NOT_ALLOWED',
        null,
      ])
    }
  })

  it('stores no secret or challenge in the log or the database', async () => {
    const testUser = await world.withPasskey({ email: 'grace@example.com' })
    const { options, challengeId } = await world.startSignIn({ email: 'grace@example.com' })
    const response = testUser.authenticator.get(options)
    await world.call('/login/finish', {
      challengeId,
      response: { ...response, response: { ...response.response, signature: 'AAAA' } },
    })
    const answer = dataOf(await world.signIn(testUser))
    const { rows } = await world.database.pool.query<{ name: string }>(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('wallet', 'wallet_auth')",
    )
    expect(rows.map(({ name }) => name)).to.include.members([
      'wallet.audit_log',
      'wallet.passkeys',
      'wallet.challenges',
      'wallet_auth.rate_limits',
    ])
    const lines: string[] = [...world.logged]
    for (const { name } of rows) {
      const { rows: all } = await world.database.pool.query<{ line: string }>(`select t::text as line from ${name} t`)
      lines.push(...all.map(({ line }) => line))
    }
    const kept = lines.join('\n')
    expect(kept).to.include(testUser.credentialId)
    for (const secret of [
      options.challenge,
      testUser.token,
      String(answer['tokenHash']),
      response.response.signature,
      response.response.clientDataJSON,
      'grace@example.com',
    ]) {
      expect(kept).to.not.include(secret)
      expect(kept).to.not.include(Buffer.from(secret).toString('hex'))
    }
  })

  it('returns an error while the database is unreachable', async () => {
    const database = await createTestDatabase()
    const away = await PasskeyWorld.create({ database })
    try {
      const testUser = away.testUser()
      await database.drop()
      for (const [endpoint, token] of [
        ['/login/start', undefined],
        ['/register/start', testUser.token],
      ] as const) {
        const { status, error } = await away.call(endpoint, {}, { token })
        expect([endpoint, status >= 500, error.code]).to.deep.equal([endpoint, true, 'INTERNAL'])
      }
    } finally {
      await away.stop()
    }
  })
})
