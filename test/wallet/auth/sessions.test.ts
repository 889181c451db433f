import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { decodeJwt, SignJWT } from 'jose'
import { ApiError } from '../../../src/platform/errors.ts'
import { pruneAuth } from '../../../src/wallet/auth/create-auth.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { runAuth, signIn } from './support/running-auth.ts'
import type { Answered, RunningAuth } from './support/running-auth.ts'

describe('wallet sessions', () => {
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

  const refresh = (token: string): Promise<Answered> =>
    auth.call('POST', '/token?grant_type=refresh_token', { body: { refresh_token: token } })
  const refreshed = async (token: string): Promise<string> => String((await refresh(token)).body['refresh_token'])
  const who = (accessToken: string): Promise<Answered> =>
    auth.call('GET', '/user', { headers: { Authorization: `Bearer ${accessToken}` } })
  /** Ages the used refresh tokens of a user. */
  const age = (userId: string, seconds: number): Promise<unknown> =>
    db.pool.query(
      'update wallet_auth.refresh_tokens set used_at = used_at - make_interval(secs => $2) where session_id in (select id from wallet_auth.sessions where user_id = $1)',
      [userId, seconds],
    )
  const sessionsOf = async (userId: string): Promise<number> =>
    (await db.pool.query('select 1 from wallet_auth.sessions where user_id = $1', [userId])).rowCount ?? 0

  it('return the same next token to tabs that refresh concurrently, and stay valid', async () => {
    const { refreshToken, userId } = await signIn(auth, 'tabs@example.com')
    const answers = await Promise.all(Array.from({ length: 15 }, () => refresh(refreshToken)))
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: 15 }, () => 200))
    const next = new Set(answers.map(({ body }) => body['refresh_token']))
    expect([next.size, next.has(refreshToken)]).to.deep.equal([1, false])
    expect(
      (
        await db.pool.query(
          'select 1 from wallet_auth.refresh_tokens where used_at is null and session_id in (select id from wallet_auth.sessions where user_id = $1)',
          [userId],
        )
      ).rowCount,
    ).to.equal(1)
    // The token that all tabs share stays valid.
    await age(userId, 3600)
    expect((await refresh(String([...next][0]))).status).to.equal(200)
  })

  it('return the current token to a tab that refreshes several tokens late', async () => {
    const { refreshToken, userId } = await signIn(auth, 'late@example.com')
    const third = await refreshed(await refreshed(refreshToken))
    // Moves the use within the grace period, however slow this test is.
    await age(userId, -60)
    expect(await refreshed(refreshToken)).to.equal(third)
    expect((await refresh(third)).status).to.equal(200)
  })

  it('end with all their tokens when a refresh token is reused', async () => {
    const { refreshToken, userId, accessToken } = await signIn(auth, 'stolen@example.com')
    const second = await refreshed(refreshToken)
    await age(userId, 11)
    const other = await signIn(auth, 'stolen@example.com')
    const reused = await refresh(refreshToken)
    expect([reused.status, reused.body['error_code']]).to.deep.equal([400, 'refresh_token_already_used'])
    expect((await refresh(second)).body['error_code']).to.equal('refresh_token_not_found')
    expect((await who(accessToken)).body['error_code']).to.equal('session_not_found')
    // The user's other sessions are unaffected.
    expect((await refresh(other.refreshToken)).status).to.equal(200)
    const { rows } = await db.pool.query(
      "select 1 from wallet_auth.audit_log where event = 'token_reused' and user_id = $1",
      [userId],
    )
    expect(rows).to.have.length(1)
  })

  it('end also for a thief who refreshed first, when the owner refreshes', async () => {
    const { refreshToken, userId } = await signIn(auth, 'robbed@example.com')
    const ofThief = await refreshed(await refreshed(refreshToken))
    await age(userId, 60)
    expect((await refresh(refreshToken)).status).to.equal(400)
    expect((await refresh(ofThief)).status).to.equal(400)
    expect(await sessionsOf(userId)).to.equal(0)
  })

  it('can be refreshed until their maximum age', async () => {
    const { refreshToken, accessToken, userId } = await signIn(auth, 'long@example.com')
    await db.pool.query("update wallet_auth.sessions set not_after = now() + interval '60 s' where user_id = $1", [
      userId,
    ])
    const { body } = await refresh(refreshToken)
    expect(Number(body['expires_in'])).to.be.within(55, 60)
    await db.pool.query('update wallet_auth.sessions set not_after = now() where user_id = $1', [userId])
    expect((await refresh(String(body['refresh_token']))).body['error_code']).to.equal('session_expired')
    expect((await who(accessToken)).body['error_code']).to.equal('session_not_found')
    await pruneAuth(db.pool)
    expect(await sessionsOf(userId)).to.equal(0)
  })

  it('are rejected while the user is banned, as are new sign-ins', async () => {
    const { refreshToken, accessToken, userId } = await signIn(auth, 'closed@example.com')
    await db.pool.query("update wallet_auth.users set banned_until = now() + interval '1 h' where id = $1", [userId])
    expect((await who(accessToken)).body['error_code']).to.equal('user_banned')
    expect((await refresh(refreshToken)).body['error_code']).to.equal('user_banned')
    await auth.call('POST', '/otp', { body: { email: 'closed@example.com' } })
    const { token } = await auth.mailTo('closed@example.com')
    expect(
      (await auth.call('POST', '/verify', { body: { token_hash: token, type: 'email' } })).body['error_code'],
    ).to.equal('user_banned')
    await db.pool.query('update wallet_auth.users set banned_until = null where id = $1', [userId])
    // Failed attempts used up no token.
    expect((await refresh(refreshToken)).status).to.equal(200)
    expect((await auth.call('POST', '/verify', { body: { token_hash: token, type: 'email' } })).status).to.equal(200)
  })

  it('end permanently during concurrent refreshes', async () => {
    const { refreshToken, accessToken, userId } = await signIn(auth, 'busy@example.com')
    const headers = { Authorization: `Bearer ${accessToken}` }
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, () => refresh(refreshToken)),
      auth.call('POST', '/logout', { headers }),
      ...Array.from({ length: 6 }, () => refresh(refreshToken)),
    ])
    expect(answers.filter(({ status }) => ![200, 204, 400].includes(status)).map(({ text }) => text)).to.deep.equal([])
    expect(await sessionsOf(userId)).to.equal(0)
    expect((await auth.call('POST', '/logout', { headers })).body['error_code']).to.equal('session_not_found')
  })

  it('are valid in the other parts of the wallet, which return their own error codes', async () => {
    const { accessToken, userId } = await signIn(auth, 'parts@example.com')
    const { user, sessionId, authenticatedAt } = await auth.sessions.authenticate(accessToken)
    expect(user).to.deep.include({ id: userId, email: 'parts@example.com', isEmailConfirmed: true })
    expect(sessionId).to.equal(decodeJwt(accessToken)['session_id'])
    expect(Date.now() - authenticatedAt.getTime()).to.be.within(-5000, 60_000)
    expect(await auth.sessions.findUser(userId)).to.deep.equal(user)
    for (const nobody of ['00000000-0000-4000-8000-000000000000', 'x'])
      expect(await auth.sessions.findUser(nobody)).to.equal(undefined)
    for (const nobody of ['00000000-0000-4000-8000-000000000000', 'x'])
      expect(await auth.sessions.createSessionToken(nobody)).to.equal(undefined)
    await auth.call('POST', '/logout', { headers: { Authorization: `Bearer ${accessToken}` } })
    for (const token of [accessToken, '', 'x', 'a.b.c']) {
      const refused = await auth.sessions.authenticate(token).catch((error: unknown) => error)
      expect(refused).to.be.instanceOf(ApiError).and.include({ status: 401, code: 'UNAUTHORIZED' })
    }
  })

  it('do not count as recent after a refresh', async () => {
    const { refreshToken, userId } = await signIn(auth, 'stale@example.com')
    await db.pool.query(
      "update wallet_auth.sessions set authenticated_at = now() - interval '2 h' where user_id = $1",
      [userId],
    )
    const { authenticatedAt } = await auth.sessions.authenticate(
      String((await refresh(refreshToken)).body['access_token']),
    )
    expect(Date.now() - authenticatedAt.getTime()).to.be.greaterThan(7_100_000)
  })

  it('that ended for all or all other devices cannot be reopened by earlier one-time tokens', async () => {
    for (const [scope, status] of [
      ['global', 403],
      ['others', 403],
      ['local', 200],
    ] as const) {
      const { userId, accessToken } = await signIn(auth, `${scope}-before@example.com`)
      const [hash, otherUser] = [
        await auth.tokenHashOf(userId),
        (await signIn(auth, `${scope}-stranger@example.com`)).userId,
      ]
      const other = await auth.tokenHashOf(otherUser)
      expect(
        (await auth.call('POST', `/logout?scope=${scope}`, { headers: { Authorization: `Bearer ${accessToken}` } }))
          .status,
      ).to.equal(204)
      const trade = async (token: string): Promise<number> =>
        (await auth.call('POST', '/verify', { body: { type: 'magiclink', token_hash: token } })).status
      expect([await trade(hash), await trade(other)], scope).to.deep.equal([status, 200])
    }
  })

  it('are opened once by the token for a passkey, which does not invalidate links and requires no e-mail address', async () => {
    const { userId } = await signIn(auth, 'passkey@example.com')
    await auth.call('POST', '/otp', { body: { email: 'passkey@example.com' } })
    const { token } = await auth.mailTo('passkey@example.com')
    const [first, second] = [await auth.tokenHashOf(userId), await auth.tokenHashOf(userId)]
    const client = auth.client()
    const { data, error } = await client.verifyOtp({ type: 'magiclink', token_hash: first })
    expect(error).to.equal(null)
    expect(decodeJwt(data.session?.access_token ?? '')['amr']).to.deep.include.members([
      { method: 'webauthn', timestamp: decodeJwt(data.session?.access_token ?? '').iat },
    ])
    expect((await client.verifyOtp({ type: 'magiclink', token_hash: first })).error).to.include({ code: 'otp_expired' })
    expect((await client.verifyOtp({ type: 'magiclink', token_hash: second })).error).to.equal(null)
    expect((await client.verifyOtp({ type: 'magiclink', token_hash: token })).error).to.equal(null)

    const {
      rows: [nameless],
    } = await db.pool.query<{ id: string }>('insert into wallet_auth.users default values returning id')
    const hash = await auth.tokenHashOf(nameless?.id ?? '')
    // Link pages do not accept the token.
    expect((await auth.call('GET', `/verify?token=${hash}`)).status).to.equal(403)
    expect((await auth.press(`${auth.url}/verify?token=${hash}`)).status).to.equal(403)
    const session = await client.verifyOtp({ type: 'magiclink', token_hash: hash })
    expect(session.data.user).to.include({ id: nameless?.id, email: '' })
    const late = await auth.tokenHashOf(nameless?.id ?? '')
    const {
      rows: [life],
    } = await db.pool.query<{ short: boolean }>(
      "select round(extract(epoch from max(expires_at) - now())) <= 300 as short from wallet_auth.one_time_tokens where kind = 'session'",
    )
    expect(life).to.deep.equal({ short: true })
    await db.pool.query("update wallet_auth.one_time_tokens set expires_at = now() where kind = 'session'")
    expect((await client.verifyOtp({ type: 'magiclink', token_hash: late })).error).to.include({ code: 'otp_expired' })
  })

  it('reject tokens with another signature or unexpected claims', async () => {
    const { accessToken } = await signIn(auth, 'forged@example.com')
    const claims = decodeJwt(accessToken)
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const sign = (payload: Record<string, unknown>): Promise<string> =>
      new SignJWT(payload).setProtectedHeader({ alg: 'ES256', typ: 'JWT' }).sign(privateKey)
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const [header = '', , signature = ''] = accessToken.split('.')
    const {
      keys: [key],
    } = (await auth.call('GET', '/.well-known/jwks.json')).body as { keys: [Record<string, string>] }
    const hmac = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .sign(new TextEncoder().encode(JSON.stringify(key)))
    for (const forged of [
      await sign(claims),
      hmac,
      `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.`,
      `${header}.${part({ ...claims, sub: 'x' })}.${signature}`,
      `${part({ alg: 'ES256', typ: 'JWT', jwk: key })}.${part(claims)}.${signature}`,
      `${accessToken}x`,
    ])
      expect((await who(forged)).body['error_code']).to.equal('bad_jwt')

    const {
      rows: [kept],
    } = await db.pool.query<{ private_key: string }>('select private_key from wallet_auth.signing_keys')
    const own = createPrivateKey(kept?.private_key ?? '')
    const signed = (payload: Record<string, unknown>, typ = 'JWT'): Promise<string> =>
      new SignJWT(payload).setProtectedHeader({ alg: 'ES256', typ }).sign(own)
    expect((await who(await signed(claims))).status).to.equal(200)
    for (const other of [
      { iss: 'https://other.example/auth/v1' },
      { aud: 'others' },
      { exp: 1 },
      { exp: undefined },
      { sub: undefined },
      { session_id: undefined },
      { session_id: 'x' },
    ]) {
      expect((await who(await signed({ ...claims, ...other }))).body['error_code'], JSON.stringify(other)).to.equal(
        'bad_jwt',
      )
    }
    expect((await who(await signed(claims, 'other+jwt'))).body['error_code']).to.equal('bad_jwt')
    // A session of another user is invalid.
    expect(
      (await who(await signed({ ...claims, sub: '00000000-0000-4000-8000-000000000000' }))).body['error_code'],
    ).to.equal('session_not_found')
  })

  it('survive a restart, with a signing key that all processes share', async () => {
    const { accessToken, refreshToken } = await signIn(auth, 'restart@example.com')
    const others = await Promise.all([runAuth(db, { walletUrl: auth.origin }), runAuth(db, { walletUrl: auth.origin })])
    for (const other of others)
      expect((await other.sessions.authenticate(accessToken)).user.email).to.equal('restart@example.com')
    // Two processes receive the same token concurrently.
    const answers = await Promise.all(
      [auth, ...others].map((one) =>
        one.call('POST', '/token?grant_type=refresh_token', { body: { refresh_token: refreshToken } }),
      ),
    )
    expect(new Set(answers.map(({ body }) => body['refresh_token'])).size).to.equal(1)
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200])
    await Promise.all(others.map((other) => other.stop()))
  })
})
