import { expect } from 'chai'
import { githubProvider, googleProvider } from '../../../src/wallet/auth/providers.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { startMockProviders } from './support/mock-providers.ts'
import type { MockProviders, ProviderWorld } from './support/mock-providers.ts'
import { runAuth, signIn } from './support/running-auth.ts'
import type { RunningAuth } from './support/running-auth.ts'

const clientSecret = 'the-secret-of-the-application'
const github = (id: number, emails: unknown): ProviderWorld => ({
  github: {
    user: { id, login: 'octo', name: 'Octo', email: 'public@example.com', avatar_url: 'https://a.example/1.png' },
    emails,
  },
})
const verified = (email: string): object => ({ email, primary: true, verified: true })

describe('sign-in with GitHub and Google', () => {
  let db: TestDatabase
  let auth: RunningAuth
  let mock: MockProviders
  before(async () => {
    db = await createTestDatabase()
    mock = await startMockProviders()
    auth = await runAuth(db, {
      providers: () => [
        githubProvider({ clientId: 'github-app', clientSecret }, mock.github),
        googleProvider({ clientId: 'google-app', clientSecret }, mock.google),
      ],
    })
  })
  after(async () => {
    await auth.stop()
    await mock.close()
    await db.drop()
  })

  /** Travels to a provider and back, as a browser with one tab does. */
  async function travel(
    provider: 'github' | 'google',
    world: ProviderWorld,
    redirectTo = 'https://app.example.com/developer/callback',
  ) {
    mock.world = world
    const client = auth.client()
    const {
      data: { url },
    } = await client.signInWithOAuth({ provider, options: { redirectTo, skipBrowserRedirect: true } })
    const there = await auth.call('GET', url ?? '')
    expect(there.status).to.equal(302)
    const cookie = (there.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const to = there.headers.get('location') ?? ''
    const backUrl = mock.agree(to)
    return {
      client,
      to,
      setCookie: there.headers.get('set-cookie') ?? '',
      cookie,
      backUrl,
      finish: () => auth.call('GET', backUrl, { headers: { Cookie: cookie } }),
    }
  }

  /** Completes the sign-in, up to the session or the error that the page receives. */
  async function signInWith(provider: 'github' | 'google', world: ProviderWorld) {
    const { client, finish } = await travel(provider, world)
    const back = new URL((await finish()).headers.get('location') ?? '')
    const code = back.searchParams.get('code')
    if (code === null) return { error: back.searchParams.get('error_code'), user: null }
    const { data, error } = await client.exchangeCodeForSession(code)
    expect(error).to.equal(null)
    return { error: null, user: data.user }
  }

  it('redirects users to the provider with PKCE and no secrets', async () => {
    for (const provider of ['github', 'google'] as const) {
      const { to, setCookie } = await travel(provider, {})
      const sent = new URL(to).searchParams
      expect(sent.get('redirect_uri')).to.equal(`${auth.origin}/auth/v1/callback`)
      expect(sent.get('code_challenge_method')).to.equal('S256')
      expect(sent.get('code_challenge')).to.match(/^[\w-]{43}$/)
      expect(sent.get('state')).to.match(/^[\w-]{43}$/)
      expect(to).not.to.include(clientSecret)
      expect(setCookie).to.match(
        /^flowfarm-sign-in-[0-9a-f]{16}=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
      )
    }
  })

  it('restricts its cookie to the host when served over HTTPS', async () => {
    const secure = await runAuth(db, {
      walletUrl: 'https://wallet.example.com/',
      providers: () => [githubProvider({ clientId: 'github-app', clientSecret }, mock.github)],
    })
    const answer = await secure.call(
      'GET',
      `/authorize?provider=github&code_challenge=${'x'.repeat(43)}&code_challenge_method=s256`,
    )
    expect(answer.headers.get('set-cookie')).to.match(
      /^__Host-flowfarm-sign-in-[^;]+; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
    )
    await secure.stop()
  })

  it('signs in with GitHub by the verified primary address', async () => {
    const { user } = await signInWith(
      'github',
      github(1, [{ email: 'other@example.com', verified: true }, verified('Octo@Example.com')]),
    )
    expect(user).to.include({ email: 'octo@example.com' })
    expect(user?.app_metadata).to.deep.equal({ provider: 'github', providers: ['github'] })
    expect(user?.user_metadata).to.include({ name: 'Octo', user_name: 'octo' })
    expect(mock.trades.at(-1)?.get('code_verifier')).to.match(/^[\w-]{43}$/)
  })

  it('signs in with Google, and recognizes the account after its address changed', async () => {
    const first = await signInWith('google', { google: { sub: '77', email: 'first@example.com' } })
    expect(first.user?.email).to.equal('first@example.com')
    const again = await signInWith('google', { google: { sub: '77', email: 'second@example.com' } })
    expect(again.user?.id).to.equal(first.user?.id)
    expect(again.user?.email).to.equal('first@example.com')
  })

  it('links to the user with the same verified address, and notifies them', async () => {
    const { userId } = await signIn(auth, 'joined@example.com')
    const sent = auth.mails.length
    expect((await signInWith('github', github(2, [verified('joined@example.com')]))).user?.id).to.equal(userId)
    const { user } = await signInWith('google', { google: { sub: '88', email: 'joined@example.com' } })
    expect(user?.id).to.equal(userId)
    expect(user?.app_metadata['providers']).to.deep.equal(['email', 'github', 'google'])
    await auth.mailsSent()
    expect(auth.mails.slice(sent).map(({ to, subject }) => `${to}: ${subject}`)).to.deep.equal(
      Array.from({ length: 2 }, () => 'joined@example.com: New way to sign in to Test wallet'),
    )
  })

  it('does not link to a user by an unverified address', async () => {
    const { userId } = await signIn(auth, 'rich@example.com')
    const bad: readonly ['github' | 'google', ProviderWorld][] = [
      ['github', github(3, [{ email: 'rich@example.com', primary: true, verified: false }])],
      ['github', github(3, [{ email: 'rich@example.com', primary: true, verified: 'true' }])],
      ['github', github(3, [{ email: 'rich@example.com', verified: true, primary: false }])],
      ['github', github(3, [])],
      ['google', { google: { sub: '99', email: 'rich@example.com', email_verified: false } }],
      ['google', { google: { sub: '99', email: 'rich@example.com', email_verified: 'true' } }],
      ['google', { google: { sub: '99', email: 'r\u0131ch@example.com' } }],
      ['google', { google: { sub: '99', email: undefined } }],
    ]
    for (const [provider, world] of bad)
      expect(await signInWith(provider, world)).to.deep.equal({
        error: 'provider_email_needs_verification',
        user: null,
      })
    expect(
      (await db.pool.query('select provider from wallet_auth.identities where user_id = $1', [userId])).rows,
    ).to.deep.equal([{ provider: 'email' }])
  })

  it('rejects ID tokens that are forged, or from another sign-in or application', async () => {
    for (const world of [
      { isForged: true },
      { google: { nonce: 'of another' } },
      { google: { nonce: undefined } },
      { google: { aud: 'another-app' } },
      { google: { iss: 'https://evil.example' } },
      { google: { exp: 1 } },
    ]) {
      const { error } = await signInWith('google', {
        ...world,
        google: { sub: '5', email: 'forged@example.com', ...world.google },
      })
      expect(error).to.equal('bad_oauth_callback')
    }
    expect(
      (await db.pool.query("select 1 from wallet_auth.users where email = 'forged@example.com'")).rowCount,
    ).to.equal(0)
  })

  it('finishes only in the browser that started it, only once, and before it expires', async () => {
    const world = github(4, [verified('four@example.com')])
    for (const headers of [
      {},
      { Cookie: 'flowfarm-sign-in-0=x' },
      { Cookie: (await travel('github', world)).cookie },
    ]) {
      const { backUrl } = await travel('github', world)
      const refused = await auth.call('GET', backUrl, { headers })
      expect([refused.status, refused.headers.get('location')]).to.deep.equal([400, null])
      expect(refused.text).to.include('not started in this browser')
    }
    const { finish } = await travel('github', world)
    const answers = await Promise.all([finish(), finish(), finish()])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).to.deep.equal([302, 400, 400])
    const late = await travel('github', world)
    await db.pool.query('update wallet_auth.flow_states set expires_at = now()')
    expect((await late.finish()).status).to.equal(400)
  })

  it('returns a code that is valid once and only with its verifier', async () => {
    const world = github(5, [verified('five@example.com')])
    const codeOf = async (): Promise<{ code: string; client: Awaited<ReturnType<typeof travel>>['client'] }> => {
      const { client, finish } = await travel('github', world)
      return { client, code: new URL((await finish()).headers.get('location') ?? '').searchParams.get('code') ?? '' }
    }
    const mine = await codeOf()
    const other = await codeOf()
    // Another page, with its own verifier.
    expect((await other.client.exchangeCodeForSession(mine.code)).error).to.include({ code: 'bad_code_verifier' })
    expect((await mine.client.exchangeCodeForSession(mine.code)).error).to.include({ code: 'flow_state_not_found' })
    // The code is also invalid as a token of a link or passkey.
    const third = await codeOf()
    expect((await third.client.verifyOtp({ token_hash: third.code, type: 'magiclink' })).error).to.include({
      code: 'otp_expired',
    })
    expect((await third.client.exchangeCodeForSession(third.code)).error).to.equal(null)
  })

  it("reports errors to the page without the provider's text", async () => {
    const denied = await travel('github', {})
    const answer = await auth.call(
      'GET',
      `${auth.url}/callback?error=access_denied&error_description=%3Cb%3Ecall+0900%3C/b%3E&state=${new URL(denied.to).searchParams.get('state')}`,
      { headers: { Cookie: denied.cookie } },
    )
    const reported = new URL(answer.headers.get('location') ?? '')
    expect(reported.origin).to.equal('https://app.example.com')
    expect([reported.searchParams.get('error'), reported.searchParams.get('error_code')]).to.deep.equal([
      'access_denied',
      'bad_oauth_callback',
    ])
    expect(reported.href).not.to.include('0900')
    for (const tokenStatus of [500, 403]) {
      expect((await signInWith('github', { tokenStatus })).error).to.equal('unexpected_failure')
    }
    expect((await signInWith('github', { github: { user: { login: 'no id' }, emails: [] } })).error).to.equal(
      'unexpected_failure',
    )
    expect(
      (await signInWith('github', { github: { user: { id: 1 }, emails: { message: 'rate limited' } } })).error,
    ).to.equal('unexpected_failure')
    const wrong = await runAuth(db, {
      providers: () => [githubProvider({ clientId: 'github-app', clientSecret: 'wrong-secret' }, mock.github)],
    })
    const there = await wrong.call(
      'GET',
      `/authorize?provider=github&code_challenge=${'x'.repeat(43)}&code_challenge_method=s256`,
    )
    const back = await wrong.call('GET', mock.agree(there.headers.get('location') ?? ''), {
      headers: { Cookie: there.headers.get('set-cookie')?.split(';')[0] ?? '' },
    })
    expect(back.headers.get('location'))
      .to.include('error_code=bad_oauth_callback')
      .and.not.include('bad_verification_code')
    await wrong.stop()
    // The log has the reason.
    expect(wrong.logged.join('')).to.include('bad_verification_code').and.not.include('wrong-secret')
    expect(auth.logged.join('')).to.include('status 500').and.not.include(clientSecret)
  })

  it('creates one user for concurrent first sign-ins', async () => {
    const world = github(6, [verified('six@example.com')])
    const ways = [await travel('github', world), await travel('github', world), await travel('github', world)]
    const answers = await Promise.all(ways.map(({ finish }) => finish()))
    expect(answers.map(({ headers }) => new URL(headers.get('location') ?? '').searchParams.has('code'))).to.deep.equal(
      [true, true, true],
    )
    expect(
      (await db.pool.query("select 1 from wallet_auth.identities where provider = 'github' and provider_id = '6'"))
        .rowCount,
    ).to.equal(1)
    expect((await db.pool.query("select 1 from wallet_auth.users where email = 'six@example.com'")).rowCount).to.equal(
      1,
    )
  })

  it('requires PKCE, a known provider and an allowed page', async () => {
    const authorize = async (query: string): Promise<unknown[]> => {
      const { status, body, headers } = await auth.call('GET', `/authorize?${query}`)
      expect(headers.get('location')).to.equal(null)
      return [status, body['error_code']]
    }
    const pkce = `code_challenge=${'x'.repeat(43)}&code_challenge_method=s256`
    expect(await authorize('provider=github')).to.deep.equal([400, 'validation_failed'])
    expect(
      await authorize(`provider=github&code_challenge=${'x'.repeat(43)}&code_challenge_method=plain`),
    ).to.deep.equal([400, 'validation_failed'])
    for (const name of ['facebook', '', '__proto__', 'constructor'])
      expect(await authorize(`provider=${name}&${pkce}`)).to.deep.equal([400, 'oauth_provider_not_supported'])
    for (const page of ['https://evil.example/', 'https://app.example.com.evil.example', 'javascript:alert(1)']) {
      expect(await authorize(`provider=github&${pkce}&redirect_to=${encodeURIComponent(page)}`)).to.deep.equal([
        400,
        'validation_failed',
      ])
    }
    expect((await auth.call('GET', '/settings')).body['external']).to.include({ github: true, google: true })
  })
})
