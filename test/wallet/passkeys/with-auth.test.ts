import { expect } from 'chai'
import { deletePasskeys } from '../../../src/wallet/passkeys/passkey-store.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { untilLockWait } from '../../support/lock-wait.ts'
import { noLimits, runAuth } from '../auth/support/running-auth.ts'
import type { RunningAuth } from '../auth/support/running-auth.ts'
import { dataOf, origin, PasskeyWorld } from '../support/passkey-world.ts'
import { SoftAuthenticator } from '../support/soft-authenticator.ts'

describe('passkeys with the auth endpoint', () => {
  let database: TestDatabase
  let auth: RunningAuth
  let world: PasskeyWorld
  before(async () => {
    database = await createTestDatabase({ max: 20 })
    auth = await runAuth(database, { limits: noLimits })
    world = await PasskeyWorld.create({ database, sessions: auth.sessions })
  })
  after(async () => {
    await world.stop()
    await auth.stop()
    await database.drop()
  })

  /** Signs in by an e-mail code and creates a passkey. */
  const signUp = async (email: string) => {
    const client = auth.client()
    await client.signInWithOtp({ email })
    const { code } = await auth.mailTo(email)
    const {
      data: { session },
      error,
    } = await client.verifyOtp({ email, token: code, type: 'email' })
    if (session === null) throw error ?? new Error('no session')
    const authenticator = new SoftAuthenticator(origin)
    dataOf(await world.register({ token: session.access_token, authenticator }))
    return { session, authenticator, client }
  }

  it('are created after an e-mail code, and then sign in with a one-time token instead', async () => {
    const { session, authenticator } = await signUp('ann@example.com')
    const { tokenHash, email } = dataOf(await world.signIn({ authenticator }))
    expect(email).to.equal('ann@example.com')
    const fresh = auth.client()
    const { data, error } = await fresh.verifyOtp({ token_hash: String(tokenHash), type: 'magiclink' })
    expect(error).to.equal(null)
    expect(data.user?.id).to.equal(session.user.id)
    const token = data.session?.access_token ?? ''
    expect(await world.listed({ token })).to.have.length(1)
    const again = await auth.client().verifyOtp({ token_hash: String(tokenHash), type: 'magiclink' })
    expect(again.error?.code).to.equal('otp_expired')
    // A new session is not enough to add another passkey.
    expect((await world.call('/register/start', {}, { token })).error.code).to.equal('REAUTHENTICATION_REQUIRED')
    expect((await world.register({ token, authenticator })).status).to.equal(200)
    await fresh.signOut()
    expect((await world.call('/passkeys/list', {}, { token })).status).to.equal(401)
    const { rows } = await database.pool.query<{ kept: string }>(
      'select t::text as kept from wallet_auth.one_time_tokens t union all select a::text from wallet.audit_log a',
    )
    expect(JSON.stringify(rows)).to.not.include(String(tokenHash))
  })

  it('do not invalidate an e-mail code that was sent meanwhile', async () => {
    const { authenticator } = await signUp('bob@example.com')
    const client = auth.client()
    await database.pool.query('delete from wallet_auth.rate_limits')
    await client.signInWithOtp({ email: 'bob@example.com' })
    const { code } = await auth.mailTo('bob@example.com')
    expect((await world.signIn({ authenticator })).status).to.equal(200)
    const { data } = await client.verifyOtp({ email: 'bob@example.com', token: code, type: 'email' })
    expect(data.user?.email).to.equal('bob@example.com')
  })

  it('cannot be created by a user who is deleted concurrently', async () => {
    const { session, authenticator } = await signUp('eve@example.com')
    const {
      user: { id: userId },
      access_token: token,
    } = session
    const going = await database.pool.connect()
    try {
      await going.query('begin')
      await going.query('select from wallet_auth.users where id = $1 for update', [userId])
      const adding = world.register({ token, authenticator })
      await untilLockWait(database)
      await deletePasskeys(going, userId)
      await going.query('delete from wallet_auth.users where id = $1', [userId])
      await going.query('commit')
      const { status, error } = await adding
      expect([status, error.code]).to.deep.equal([401, 'UNAUTHORIZED'])
    } finally {
      going.release()
    }
    const { rows } = await database.pool.query(
      'select removed_at is null as is_good, name from wallet.passkeys where user_id = $1',
      [userId],
    )
    expect(rows).to.deep.equal([{ is_good: false, name: '' }])
  })

  it('sign in users without an e-mail address', async () => {
    const {
      rows: [user],
    } = await database.pool.query<{ id: string }>('insert into wallet_auth.users default values returning id')
    const first = await auth
      .client()
      .verifyOtp({ token_hash: await auth.tokenHashOf(user?.id ?? ''), type: 'magiclink' })
    const authenticator = new SoftAuthenticator(origin)
    const token = first.data.session?.access_token ?? ''
    const { options, challengeId } = await world.startRegistration({ token })
    expect(
      (await world.call('/register/finish', { challengeId, response: authenticator.create(options) }, { token }))
        .status,
    ).to.equal(200)
    const { tokenHash, email } = dataOf(await world.signIn({ authenticator }))
    expect(email).to.equal(null)
    const { data } = await auth.client().verifyOtp({ token_hash: String(tokenHash), type: 'magiclink' })
    expect(data.user?.id).to.equal(user?.id)
  })

  it('require a new sign-in if the session is old, however fresh its token', async () => {
    const { session, client } = await signUp('carol@example.com')
    await database.pool.query('delete from wallet.passkeys where user_id = $1', [session.user.id])
    await database.pool.query(
      "update wallet_auth.sessions set authenticated_at = authenticated_at - interval '20 minutes' where user_id = $1",
      [session.user.id],
    )
    const { data } = await client.refreshSession()
    const token = data.session?.access_token ?? ''
    expect((await world.call('/register/start', {}, { token })).error.code).to.equal('REAUTHENTICATION_REQUIRED')
    const fresh = await auth
      .client()
      .verifyOtp({ token_hash: await auth.tokenHashOf(session.user.id), type: 'magiclink' })
    expect((await world.call('/register/start', {}, { token: fresh.data.session?.access_token })).status).to.equal(200)
  })

  it('do not sign in banned users', async () => {
    const { session, authenticator } = await signUp('dave@example.com')
    await database.pool.query("update wallet_auth.users set banned_until = now() + interval '1 day' where id = $1", [
      session.user.id,
    ])
    const answer = await world.signIn({ authenticator })
    const traded = answer.success
      ? await auth.client().verifyOtp({ token_hash: String(answer.data['tokenHash']), type: 'magiclink' })
      : undefined
    expect(traded?.data.session ?? null).to.equal(null)
    expect((await world.call('/passkeys/list', {}, { token: session.access_token })).status).to.equal(401)
  })
})
