import { expect } from 'chai'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { untilLockWait } from '../../support/lock-wait.ts'
import { runAuth, signIn } from './support/running-auth.ts'
import type { Answered, RunningAuth } from './support/running-auth.ts'

describe('e-mail sign-in', () => {
  let db: TestDatabase
  let auth: RunningAuth
  before(async () => {
    db = await createTestDatabase()
    auth = await runAuth(db)
  })
  after(async () => {
    await auth.stop()
    await db.drop()
  })

  const ask = (email: string, more: object = {}, query = ''): Promise<Answered> =>
    auth.call('POST', `/otp${query}`, { body: { email, ...more } })
  const byCode = (email: string, token: string): Promise<Answered> =>
    auth.call('POST', '/verify', { body: { email, token, type: 'email' } })
  const byHash = (hash: string): Promise<Answered> =>
    auth.call('POST', '/verify', { body: { token_hash: hash, type: 'magiclink' } })
  const countOf = async (table: string): Promise<number> =>
    Number((await db.pool.query<{ n: string }>(`select count(*) as n from wallet_auth.${table}`)).rows[0]?.n)

  it('survives link scanners that open the link without pressing the button', async () => {
    await ask('scanned@example.com')
    const { link, token, code } = await auth.mailTo('scanned@example.com')
    for (const headers of [{}, { 'User-Agent': 'SafeLinks' }, { Purpose: 'prefetch' }]) {
      const page = await auth.call('GET', link, { headers })
      expect(page.status).to.equal(200)
      expect(page.text).to.include('scanned@example.com').and.include('<form method="post"').and.not.include('<script')
    }
    expect((await auth.call('HEAD', link)).status).to.equal(200)
    expect((await auth.call('OPTIONS', link)).status).to.equal(204)
    // Scanners that submit forms send no origin or Sec-Fetch-Site header.
    expect((await auth.press(link, {})).status).to.equal(403)
    expect(
      (await auth.press(link, { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' })).status,
    ).to.equal(403)
    expect((await auth.press(link, { Origin: 'https://evil.example' })).status).to.equal(403)
    expect((await byHash(token)).status).to.equal(200)
    expect((await byCode('scanned@example.com', code)).status).to.equal(403)
  })

  it('has a page that cannot be framed and reports an invalid link', async () => {
    await ask('page@example.com', {}, `?redirect_to=${encodeURIComponent('https://app.example.com/x')}`)
    const { link } = await auth.mailTo('page@example.com')
    const page = await auth.call('GET', link)
    expect(page.headers.get('content-security-policy')).to.match(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' https:\/\/app\.example\.com; base-uri 'none'; frame-ancestors 'none'$/,
    )
    expect(page.headers.get('cache-control')).to.equal('no-store')
    expect(page.headers.get('referrer-policy')).to.equal('same-origin')
    expect((await auth.press(link, { 'Sec-Fetch-Site': 'same-origin' })).status).to.equal(303)
    for (const answer of [
      await auth.press(link),
      await auth.call('GET', link),
      await auth.call('GET', '/verify?token=made-up'),
    ]) {
      expect(answer.status).to.equal(403)
      expect(answer.headers.get('content-type')).to.match(/^text\/html/)
      expect(answer.text).to.include('Request a new e-mail')
    }
  })

  it('escapes untrusted text in its page', async () => {
    const page = await auth.call('GET', `/verify?token=${encodeURIComponent('"><script>alert(1)</script>')}`)
    expect(page.text).not.to.include('<script')
  })

  it('puts no session into the URL: a link without a waiting page redirects with a one-time token', async () => {
    await ask('plain@example.com', {}, '?redirect_to=https://app.example.com/back%23old')
    const back = new URL(
      (await auth.press((await auth.mailTo('plain@example.com')).link)).headers.get('location') ?? '',
    )
    expect(back.hash).to.equal('')
    expect(back.origin + back.pathname).to.equal('https://app.example.com/back')
    expect([...back.searchParams.keys()]).to.deep.equal(['token_hash', 'type'])
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => byHash(back.searchParams.get('token_hash') ?? '')),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([200, 403, 403, 403, 403])
  })

  it('redirects to the wallet if no page is given', async () => {
    await ask('home@example.com')
    expect((await auth.press((await auth.mailTo('home@example.com')).link)).headers.get('location')).to.match(
      new RegExp(`^${auth.origin}/\\?token_hash=`),
    )
  })

  for (const redirect of [
    'https://evil.example/',
    'https://app.example.com.evil.example/',
    'https://app.example.com@evil.example/',
    'http://app.example.com/',
    '//evil.example',
    'javascript:alert(1)',
    'https://app.example.com:8443/',
    'https://u:p@app.example.com/',
    'data:text/html,x',
    '/relative',
  ]) {
    it(`never redirects to a page that is not allowed: ${redirect}`, async () => {
      for (const answer of [
        await ask('strange@example.com', {}, `?redirect_to=${encodeURIComponent(redirect)}`),
        await ask('strange@example.com', { redirect_to: redirect }),
      ])
        expect([answer.status, answer.body['error_code']]).to.deep.equal([400, 'validation_failed'])
    })
  }

  it('signs in only one of several concurrent requests with the same code, link or token', async () => {
    for (const way of ['code', 'hash', 'both'] as const) {
      const email = `race-${way}@example.com`
      await ask(email)
      const { code, token } = await auth.mailTo(email)
      const before = await countOf('sessions')
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, i) =>
          way === 'code' || (way === 'both' && i % 2 === 0) ? byCode(email, code) : byHash(token),
        ),
      )
      expect(
        answers.filter(({ status }) => status === 200),
        way,
      ).to.have.length(1)
      expect(
        answers.filter(({ status }) => status === 403),
        way,
      ).to.have.length(11)
      expect(await countOf('sessions')).to.equal(before + 1)
    }
  })

  it('creates one user for concurrent requests with the same address', async () => {
    await ask('twin@example.com')
    const { token } = await auth.mailTo('twin@example.com')
    const admin = auth.admin('the-token-of-services')
    const [first, ...made] = await Promise.all([
      byHash(token),
      admin.generateLink({ type: 'invite', email: 'TWIN@example.com' }),
      admin.generateLink({ type: 'magiclink', email: 'twin@example.com' }),
    ])
    // A newer link replaces the previous one.
    expect(first.status).to.be.oneOf([200, 403])
    expect(made.map(({ error }) => error)).to.deep.equal([null, null])
    expect((await db.pool.query("select 1 from wallet_auth.users where email = 'twin@example.com'")).rowCount).to.equal(
      1,
    )
  })

  it('invalidates a code after five wrong attempts, also concurrent ones; the link stays valid', async () => {
    const email = 'guessed@example.com'
    await ask(email)
    const { code, token } = await auth.mailTo(email)
    const wrong = Array.from({ length: 5 }, (_, i) => String((Number(code) + i + 1) % 1_000_000).padStart(6, '0'))
    const refused = await Promise.all(wrong.map((one) => byCode(email, one)))
    expect(refused.map(({ status }) => status)).to.deep.equal([403, 403, 403, 403, 403])
    expect((await byCode(email, code)).status).to.equal(403)
    expect((await byHash(token)).status).to.equal(200)
    const { rows } = await db.pool.query("select 1 from wallet_auth.audit_log where event = 'code_failed'")
    expect(rows).to.have.length.at.least(6)
  })

  it('checks codes one at a time, so that concurrent requests get no extra attempts', async () => {
    const email = 'crowd@example.com'
    await ask(email)
    const { code } = await auth.mailTo(email)
    const before = await db.pool.connect()
    await before.query('begin')
    await before.query('update wallet_auth.one_time_tokens set code_attempts = 5 where email = $1', [email])
    const right = byCode(email, code)
    await untilLockWait(db)
    await before.query('commit')
    before.release()
    expect((await right).status).to.equal(403)
  })

  it('accepts a code after four wrong attempts, and only for its address', async () => {
    await ask('four@example.com')
    const { code } = await auth.mailTo('four@example.com')
    await signIn(auth, 'other@example.com')
    expect((await byCode('other@example.com', code)).status).to.equal(403)
    for (let i = 1; i <= 4; i++)
      await byCode('four@example.com', String((Number(code) + i) % 1_000_000).padStart(6, '0'))
    expect((await byCode(' Four@Example.COM ', code)).status).to.equal(200)
  })

  it('invalidates the previous e-mail when it sends another one', async () => {
    await ask('again@example.com')
    const first = await auth.mailTo('again@example.com')
    await ask('again@example.com')
    const second = await auth.mailTo('again@example.com')
    expect((await byHash(first.token)).status).to.equal(403)
    if (first.code !== second.code) expect((await byCode('again@example.com', first.code)).status).to.equal(403)
    expect((await byCode('again@example.com', second.code)).status).to.equal(200)
  })

  it('rejects expired codes, tokens and links', async () => {
    await ask('old@example.com')
    const { token, code, link } = await auth.mailTo('old@example.com')
    await db.pool.query("update wallet_auth.one_time_tokens set expires_at = now() where email = 'old@example.com'")
    expect([
      (await byHash(token)).status,
      (await byCode('old@example.com', code)).status,
      (await auth.press(link)).status,
    ]).to.deep.equal([403, 403, 403])
  })

  it('does not reveal whether an address has an account', async () => {
    await signIn(auth, 'known@example.com')
    const sent = auth.mails.length
    const bare = ({ status, text, headers }: Answered): unknown => ({
      status,
      text,
      headers: [...headers].filter(([name]) => !['date', 'x-request-id'].includes(name)),
    })
    const [known, unknown] = [
      await ask('known@example.com', { create_user: false }),
      await ask('unknown@example.com', { create_user: false }),
    ]
    expect(bare(known)).to.deep.equal(bare(unknown))
    await auth.mailsSent()
    expect(auth.mails.slice(sent).map(({ to }) => to)).to.deep.equal(['known@example.com'])
    expect(bare(await byCode('known@example.com', 'nonsense'))).to.deep.equal(
      bare(await byCode('unknown@example.com', 'nonsense')),
    )
    // An address without an e-mail has no code to guess.
    const {
      rows: [row],
    } = await db.pool.query<{ code_attempts: number }>(
      "select code_attempts from wallet_auth.one_time_tokens where email = 'unknown@example.com'",
    )
    expect(row).to.deep.equal({ code_attempts: 5 })
    expect(
      (await db.pool.query("select 1 from wallet_auth.users where email = 'unknown@example.com'")).rowCount,
    ).to.equal(0)
  })

  it('creates no user before the address is verified, so that an attacker cannot preset user data', async () => {
    await ask('victim@example.com', { data: { name: 'of the attacker' } })
    expect(
      (await db.pool.query("select 1 from wallet_auth.users where email = 'victim@example.com'")).rowCount,
    ).to.equal(0)
    await ask('victim@example.com')
    const { body } = await byHash((await auth.mailTo('victim@example.com')).token)
    expect((body['user'] as { user_metadata: unknown }).user_metadata).to.deep.equal({})
  })

  it('grants no roles from user-supplied claims', async () => {
    const claims = { role: 'service_role', roles: ['admin'], app_metadata: { role: 'admin' }, email_verified: true }
    await ask('boss@example.com', { data: claims, app_metadata: { role: 'admin' }, role: 'service_role' })
    const { body } = await byHash((await auth.mailTo('boss@example.com')).token)
    expect(body['user']).to.deep.include({
      role: 'authenticated',
      app_metadata: { provider: 'email', providers: ['email'] },
      user_metadata: claims,
    })
    const headers = { Authorization: `Bearer ${String(body['access_token'])}` }
    const refused = await auth.call('PUT', '/user', { body: { app_metadata: { role: 'admin' } }, headers })
    expect([refused.status, refused.body['error_code']]).to.deep.equal([403, 'not_admin'])
    expect((await auth.sessions.authenticate(String(body['access_token']))).user.appMetadata).to.deep.equal({
      provider: 'email',
      providers: ['email'],
    })
  })

  it('rejects invalid requests with a reason', async () => {
    const code = async (answer: Promise<Answered>): Promise<unknown[]> => [
      (await answer).status,
      (await answer).body['error_code'],
    ]
    expect(await code(auth.call('POST', '/otp', { body: { email: 3 } }))).to.deep.equal([400, 'validation_failed'])
    expect(await code(auth.call('POST', '/otp', { body: 'x'.repeat(70_000) }))).to.deep.equal([
      413,
      'validation_failed',
    ])
    expect(
      await code(auth.call('POST', '/otp', { body: {}, headers: { 'Content-Type': 'text/plain' } })),
    ).to.deep.equal([415, 'validation_failed'])
    expect(await code(ask('big@example.com', { data: { text: 'x'.repeat(5000) } }))).to.deep.equal([
      422,
      'validation_failed',
    ])
    expect(await code(ask('nul@example.com', { data: { text: '\0' } }))).to.deep.equal([422, 'validation_failed'])
    expect(await code(ask('half@example.com', { data: { text: '\ud800' } }))).to.deep.equal([422, 'validation_failed'])
    expect(await code(ask('a\r\nBcc: b@example.com'))).to.deep.equal([400, 'email_address_invalid'])
    expect(
      await code(ask('pkce2@example.com', { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' })),
    ).to.deep.equal([400, 'validation_failed'])
    expect(await code(auth.call('POST', '/verify', { body: { type: 'email', email: 'a@example.com' } }))).to.deep.equal(
      [400, 'validation_failed'],
    )
    expect(
      await code(
        auth.call('POST', '/verify', { body: { type: 'email', token: '1', token_hash: 'x', email: 'a@example.com' } }),
      ),
    ).to.deep.equal([400, 'validation_failed'])
    expect(
      await code(auth.call('POST', '/verify', { body: { type: 'email', token_hash: 'x', email: 'a@example.com' } })),
    ).to.deep.equal([400, 'validation_failed'])
    expect(await code(auth.call('POST', '/verify', { body: { type: 'sms', token: '1', phone: '1' } }))).to.deep.equal([
      400,
      'validation_failed',
    ])
    expect(await code(auth.call('POST', '/verify'))).to.deep.equal([415, 'validation_failed'])
    expect(await code(auth.call('GET', '/user'))).to.deep.equal([401, 'no_authorization'])
  })

  it('allows cross-origin requests only from allowed origins', async () => {
    const preflight = (origin: string): Promise<Answered> =>
      auth.call('OPTIONS', '/otp', { headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' } })
    const allowed = await preflight('https://app.example.com')
    expect(allowed.headers.get('access-control-allow-origin')).to.equal('https://app.example.com')
    expect(allowed.headers.get('access-control-allow-headers')).to.include('X-Supabase-Api-Version')
    expect(allowed.headers.get('access-control-allow-credentials')).to.equal(null)
    for (const origin of ['https://evil.example', 'null', 'https://app.example.com.evil.example']) {
      expect((await preflight(origin)).headers.get('access-control-allow-origin'), origin).to.equal(null)
    }
  })
})
