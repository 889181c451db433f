import { isAuthApiError, isAuthSessionMissingError } from '@supabase/auth-js'
import { expect } from 'chai'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { runAuth, signIn } from './support/running-auth.ts'
import type { RunningAuth } from './support/running-auth.ts'

describe('the auth endpoint with the GoTrue client', () => {
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

  it('signs in by an e-mail code', async () => {
    const client = auth.client()
    expect(
      (await client.signInWithOtp({ email: 'Code@Example.com', options: { data: { name: 'Code' } } })).error,
    ).to.equal(null)
    const { code } = await auth.mailTo('code@example.com')
    const { data, error } = await client.verifyOtp({ email: 'code@example.com', token: code, type: 'email' })
    expect(error).to.equal(null)
    expect(data.user).to.include({
      email: 'code@example.com',
      aud: 'authenticated',
      role: 'authenticated',
      is_anonymous: false,
    })
    expect(data.user?.user_metadata).to.deep.equal({ name: 'Code' })
    expect(data.user?.app_metadata).to.deep.equal({ provider: 'email', providers: ['email'] })
    expect(data.user?.identities?.[0]).to.deep.include({ provider: 'email', user_id: data.user?.id })
    expect(data.session?.expires_in).to.be.within(3590, 3600)
    expect((await client.getUser()).data.user?.id).to.equal(data.user?.id)
  })

  for (const type of ['email', 'magiclink', 'signup', 'recovery'] as const) {
    it(`signs in by the token hash of a link of type ${type}`, async () => {
      const client = auth.client()
      const email = `hash-${type}@example.com`
      await client.signInWithOtp({ email })
      const { token } = await auth.mailTo(email)
      const { data, error } = await client.verifyOtp({ token_hash: token, type })
      expect(error).to.equal(null)
      expect(data.session?.user.email).to.equal(email)
    })
  }

  it('signs in by a link that redirects with a code, only on the page that requested it', async () => {
    const client = auth.client()
    await client.signInWithOtp({
      email: 'pkce@example.com',
      options: { emailRedirectTo: 'https://app.example.com/back?a=1' },
    })
    const back = new URL((await auth.press((await auth.mailTo('pkce@example.com')).link)).headers.get('location') ?? '')
    expect(back.href).to.match(/^https:\/\/app\.example\.com\/back\?a=1&code=[\w-]{43}$/)
    const { data, error } = await client.exchangeCodeForSession(back.searchParams.get('code') ?? '')
    expect(error).to.equal(null)
    expect(data.user?.email).to.equal('pkce@example.com')
  })

  it('issues tokens that verify with the public key, with claims for the user and the sign-in methods', async () => {
    const client = auth.client()
    await client.signInWithOtp({ email: 'claims@example.com' })
    const {
      data: { session },
    } = await client.verifyOtp({
      email: 'claims@example.com',
      token: (await auth.mailTo('claims@example.com')).code,
      type: 'email',
    })
    const { data, error } = await client.getClaims()
    expect(error).to.equal(null)
    expect(data?.header).to.include({ alg: 'ES256', typ: 'JWT' })
    expect(data?.claims).to.include({
      iss: `${auth.origin}/auth/v1`,
      aud: 'authenticated',
      role: 'authenticated',
      sub: session?.user.id,
      email: 'claims@example.com',
      aal: 'aal1',
      is_anonymous: false,
    })
    expect(data?.claims.amr?.[0]).to.include({ method: 'otp' })
    expect(data?.claims.session_id).to.match(/^[0-9a-f-]{36}$/)
    expect(Number(data?.claims.exp) - Number(data?.claims.iat)).to.equal(3600)
    const keys = (await auth.call('GET', '/.well-known/jwks.json')).text
    expect(keys).not.to.include('"d"')
  })

  it('refreshes a session and restores one from its tokens', async () => {
    const { accessToken, refreshToken } = await signIn(auth, 'refresh@example.com')
    const client = auth.client()
    expect((await client.setSession({ access_token: accessToken, refresh_token: refreshToken })).error).to.equal(null)
    const { data, error } = await client.refreshSession()
    expect(error).to.equal(null)
    expect(data.session?.refresh_token).to.be.a('string').and.not.equal(refreshToken)
    expect((await client.getUser()).data.user?.email).to.equal('refresh@example.com')
  })

  it('lets users set their own metadata', async () => {
    const { accessToken, refreshToken } = await signIn(auth, 'change@example.com')
    const client = auth.client()
    await client.setSession({ access_token: accessToken, refresh_token: refreshToken })
    await client.updateUser({ data: { name: 'A', team: 'B' } })
    const { data, error } = await client.updateUser({ data: { team: null, colour: 'green' } })
    expect(error).to.equal(null)
    expect(data.user?.user_metadata).to.deep.equal({ name: 'A', colour: 'green' })
    const refused = await client.updateUser({ password: 'a password' })
    expect(refused.error).to.include({ status: 422, code: 'validation_failed' })
    expect((await client.updateUser({ email: 'other@example.com' })).data.user).to.include({
      email: 'change@example.com',
      new_email: 'other@example.com',
    })
    expect((await client.resend({ type: 'email_change', email: 'change@example.com' })).error).to.equal(null)
  })

  for (const scope of ['local', 'others', 'global'] as const) {
    it(`signs out with scope ${scope}`, async () => {
      const email = `out-${scope}@example.com`
      const [here, there] = [auth.client(), auth.client()]
      for (const client of [here, there]) {
        await client.signInWithOtp({ email })
        await client.verifyOtp({ email, token: (await auth.mailTo(email)).code, type: 'email' })
      }
      const tokens = await Promise.all(
        [here, there].map(async (client) => (await client.getSession()).data.session?.access_token ?? ''),
      )
      expect((await here.signOut({ scope })).error).to.equal(null)
      const alive = await Promise.all(
        tokens.map(
          async (token) =>
            (await auth.call('GET', '/user', { headers: { Authorization: `Bearer ${token}` } })).status === 200,
        ),
      )
      expect(alive).to.deep.equal({ local: [false, true], others: [true, false], global: [false, false] }[scope])
      // The client has dropped the session and returns its own error.
      if (scope !== 'others') expect(isAuthSessionMissingError((await here.getUser()).error)).to.equal(true)
      else expect(isAuthSessionMissingError((await there.getUser()).error)).to.equal(true)
    })
  }

  it("generates links only for the operator's services", async () => {
    const { data, error } = await auth
      .admin('the-token-of-services')
      .generateLink({ type: 'magiclink', email: 'invited@example.com' })
    expect(error).to.equal(null)
    expect(data.user?.email).to.equal('invited@example.com')
    expect(data.user?.email_confirmed_at).to.equal(null)
    const { hashed_token: hash = '', email_otp: code = '', action_link: link = '' } = data.properties ?? {}
    expect(code).to.match(/^\d{6}$/)
    expect(link).to.include(hash)
    expect((await auth.client().verifyOtp({ token_hash: hash, type: 'magiclink' })).data.user?.id).to.equal(
      data.user?.id,
    )
    expect(auth.mails.some(({ to }) => to === 'invited@example.com')).to.equal(false)

    const { accessToken } = await signIn(auth, 'nosy@example.com')
    for (const token of [accessToken, 'the-token-of-servicez', 'x']) {
      const refused = await auth.admin(token).generateLink({ type: 'magiclink', email: 'invited@example.com' })
      expect(refused.error).to.include({ status: 403, code: 'not_admin' })
    }
    expect(
      (await auth.admin('the-token-of-services').generateLink({ type: 'recovery', email: 'nobody@example.com' })).error,
    ).to.include({ status: 404, code: 'user_not_found' })
  })

  it('returns errors that the client understands', async () => {
    const client = auth.client()
    const wrong = await client.verifyOtp({ email: 'nobody@example.com', token: '123456', type: 'email' })
    expect(isAuthApiError(wrong.error)).to.equal(true)
    expect(wrong.error).to.include({ status: 403, code: 'otp_expired' })
    expect((await client.verifyOtp({ token_hash: 'made up', type: 'email' })).error).to.include({
      status: 403,
      code: 'otp_expired',
    })
    expect((await client.refreshSession({ refresh_token: 'made up' })).error).to.include({
      status: 400,
      code: 'refresh_token_not_found',
    })
    expect((await client.getUser('made.up.token')).error).to.include({ status: 403, code: 'bad_jwt' })
    expect((await client.signInWithOtp({ email: 'nothing' })).error).to.include({
      status: 400,
      code: 'email_address_invalid',
    })
    expect((await client.signInWithPassword({ email: 'a@example.com', password: 'x' })).error).to.include({
      status: 400,
      code: 'validation_failed',
    })
    expect((await client.signUp({ email: 'a@example.com', password: 'x' })).error).to.include({
      status: 404,
      code: 'not_found',
    })
    expect((await client.exchangeCodeForSession('made up')).error).to.have.property(
      'name',
      'AuthPKCECodeVerifierMissingError',
    )
  })

  it('supports the response format of old clients', async () => {
    const { status, body, headers } = await auth.call('POST', '/verify', {
      body: { token_hash: 'made up', type: 'email' },
    })
    expect(status).to.equal(403)
    expect(body).to.include({ code: 403, error_code: 'otp_expired' }).and.have.property('msg').that.is.a('string')
    expect(headers.get('x-sb-error-code')).to.equal('otp_expired')
    const newer = await auth.call('POST', '/verify', {
      body: { token_hash: 'made up', type: 'email' },
      headers: { 'X-Supabase-Api-Version': '2024-01-01' },
    })
    expect(newer.body).to.have.all.keys('code', 'message').and.include({ code: 'otp_expired' })
    expect(newer.headers.get('x-supabase-api-version')).to.equal('2024-01-01')
  })

  it('preserves sessions while the database is unreachable', async () => {
    const gone = await createTestDatabase()
    const shaky = await runAuth(gone)
    const { refreshToken } = await signIn(shaky, 'shaky@example.com')
    const { pool } = gone
    const failing = Object.assign(Object.create(pool) as typeof pool, {
      query: () => Promise.reject(Object.assign(new Error('no'), { code: 'ECONNREFUSED' })),
    })
    const away = await runAuth(
      { ...gone, pool: failing },
      {
        jwtKey: (await pool.query<{ private_key: string }>('select private_key from wallet_auth.signing_keys')).rows[0]
          ?.private_key,
      },
    )
    // The client treats this response as temporary, and retries for 30 seconds.
    const { status, headers } = await away.call('POST', '/token?grant_type=refresh_token', {
      body: { refresh_token: refreshToken },
    })
    expect([status, headers.get('retry-after')]).to.deep.equal([503, '1'])
    await away.stop()
    expect((await shaky.client().refreshSession({ refresh_token: refreshToken })).error).to.equal(null)
    await shaky.stop()
    await gone.drop()
  })

  it('reports its settings and health, and rejects unknown endpoints', async () => {
    expect((await auth.call('GET', '/settings')).body).to.deep.include({
      external: { email: true, phone: false, anonymous_users: false, github: false, google: false },
      disable_signup: false,
    })
    expect((await auth.call('GET', '/health')).body).to.include({ name: 'flowfarm' })
    expect((await auth.call('DELETE', '/token')).status).to.equal(405)
    expect((await auth.call('GET', '/nothing')).body).to.include({ error_code: 'not_found' })
  })
})
