import { expect } from 'chai'
import { deletePasskeys } from '../../../src/wallet/passkeys/passkey-store.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { untilLockWait } from '../../support/lock-wait.ts'
import { noLimits, runAuth, signIn } from './support/running-auth.ts'
import type { Answered, RunningAuth } from './support/running-auth.ts'

describe('user account changes at the auth endpoint', () => {
  let db: TestDatabase
  let auth: RunningAuth
  let userCount = 0
  before(async () => {
    db = await createTestDatabase()
    auth = await runAuth(db, { deleteUserData: deletePasskeys })
  })
  after(async () => {
    await auth.stop()
    await db.drop()
  })

  const newEmail = (): string => `person-${++userCount}@example.com`
  const as = (token: string): { headers: Record<string, string> } => ({ headers: { Authorization: `Bearer ${token}` } })
  const put = (token: string, body: unknown, query = ''): Promise<Answered> =>
    auth.call('PUT', `/user${query}`, { body, ...as(token) })
  const verify = (token: string | undefined, body: object): Promise<Answered> =>
    auth.call('POST', '/verify', { body: { type: 'email_change', ...body }, ...(token === undefined ? {} : as(token)) })
  const age = (userId: string): Promise<unknown> =>
    db.pool.query(
      "update wallet_auth.sessions set authenticated_at = authenticated_at - interval '16 minutes' where user_id = $1",
      [userId],
    )
  const createUser = async (): Promise<{
    readonly email: string
    readonly accessToken: string
    readonly userId: string
  }> => {
    const email = newEmail()
    return { email, ...(await signIn(auth, email)) }
  }
  const mailsTo = async (email: string): Promise<readonly string[]> => {
    await auth.mailsSent()
    return auth.mails.filter(({ to }) => to === email).map(({ subject }) => subject)
  }

  describe('changing the e-mail address', () => {
    it('requires the code for the new address in the same session, and notifies the old address', async () => {
      const { email, accessToken, userId } = await createUser()
      const wanted = newEmail()
      const requests = await put(accessToken, { email: wanted.toUpperCase(), data: { name: 'N' } })
      expect([
        requests.status,
        requests.body['email'],
        requests.body['new_email'],
        requests.body['user_metadata'],
      ]).to.deep.equal([200, email, wanted, { name: 'N' }])
      expect((await auth.call('GET', '/user', as(accessToken))).body).to.include({ email, new_email: wanted })
      const { code } = await auth.mailTo(wanted)
      const done = await verify(accessToken, { email: wanted, token: code })
      expect([done.status, done.body['id'], done.body['email'], done.body['new_email']]).to.deep.equal([
        200,
        userId,
        wanted,
        undefined,
      ])
      expect(done.body).to.not.have.property('access_token')
      expect((await mailsTo(email)).at(-1)).to.equal('E-mail address changed at Test wallet')
      expect(auth.mails.at(-1)?.text).to.not.include(wanted)
      expect((await signIn(auth, wanted)).userId).to.equal(userId)
      expect((await signIn(auth, email)).userId, 'the old one is unknown').to.not.equal(userId)
    })

    it('accepts the link too, which has no effect when only opened', async () => {
      const { accessToken } = await createUser()
      const wanted = newEmail()
      await put(accessToken, { email: wanted }, `?redirect_to=${encodeURIComponent('https://app.example.com/me')}`)
      const link = new URL((await auth.mailTo(wanted)).link)
      expect(link.origin + link.pathname).to.equal('https://app.example.com/me')
      const token = link.searchParams.get('email_change') ?? ''
      expect((await verify(accessToken, { token_hash: token })).body['email']).to.equal(wanted)
      expect((await verify(accessToken, { token_hash: token })).status, 'once').to.equal(403)
    })

    it('requires a session of the same user', async () => {
      const [ann, ben] = [await createUser(), await createUser()]
      const wanted = newEmail()
      await put(ann.accessToken, { email: wanted })
      const { code, link } = await auth.mailTo(wanted)
      const token = new URL(link).searchParams.get('email_change') ?? ''
      expect((await verify(undefined, { email: wanted, token: code })).status).to.equal(401)
      for (const proof of [{ email: wanted, token: code }, { token_hash: token }])
        expect((await verify(ben.accessToken, proof)).body).to.include({ error_code: 'otp_expired' })
      // The token signs in with no other type either.
      for (const type of ['email', 'magiclink', 'recovery'])
        expect((await verify(undefined, { type, token_hash: token })).status, type).to.equal(403)
      expect((await verify(undefined, { type: 'email', email: wanted, token: code })).status).to.equal(403)
      expect((await verify(ann.accessToken, { email: wanted, token: code })).status).to.equal(200)
    })

    it('requires a sign-in within 15 minutes, an allowed page and a valid address', async () => {
      const { accessToken, userId } = await createUser()
      expect((await put(accessToken, { email: 'no address' })).body).to.include({ error_code: 'email_address_invalid' })
      expect((await put(accessToken, { email: newEmail() }, '?redirect_to=https://evil.example')).body).to.include({
        error_code: 'validation_failed',
      })
      await age(userId)
      const late = await put(accessToken, { email: newEmail() })
      expect([late.status, late.body['error_code']]).to.deep.equal([403, 'reauthentication_needed'])
      expect((await put(accessToken, { data: { name: 'M' } })).status).to.equal(200)
    })

    it('invalidates the code after five wrong attempts, but not the link', async () => {
      const { accessToken } = await createUser()
      const wanted = newEmail()
      await put(accessToken, { email: wanted })
      const { code, link } = await auth.mailTo(wanted)
      for (let time = 0; time < 5; time++)
        expect(
          (await verify(accessToken, { email: wanted, token: code === '000000' ? '000001' : '000000' })).status,
        ).to.equal(403)
      expect((await verify(accessToken, { email: wanted, token: code })).status).to.equal(403)
      expect(
        (await verify(accessToken, { token_hash: new URL(link).searchParams.get('email_change') })).status,
      ).to.equal(200)
    })

    it('rejects the address of another user, and notifies only that user', async () => {
      const [ann, ben] = [await createUser(), await createUser()]
      const requests = await put(ann.accessToken, { email: ben.email })
      expect([requests.status, requests.body['new_email']]).to.deep.equal([200, ben.email])
      await auth.mailsSent()
      const mail = auth.mails.findLast(({ to }) => to === ben.email)
      expect(mail?.text).to.include('already has an account').and.not.match(/\d{6}/)
    })

    it('rejects an address that got a user meanwhile', async () => {
      const { accessToken } = await createUser()
      const wanted = newEmail()
      await put(accessToken, { email: wanted })
      const { code } = await auth.mailTo(wanted)
      await signIn(auth, wanted)
      expect((await verify(accessToken, { email: wanted, token: code })).body).to.include({
        error_code: 'email_exists',
      })
    })

    it('rejects an address that gets a user concurrently, with the same error', async () => {
      const { email, accessToken } = await createUser()
      const wanted = newEmail()
      await put(accessToken, { email: wanted })
      const { code } = await auth.mailTo(wanted)
      const other = await db.pool.connect()
      await other.query('begin')
      await other.query('insert into wallet_auth.users (email) values ($1)', [wanted])
      const verified = verify(accessToken, { email: wanted, token: code })
      await untilLockWait(db)
      await other.query('commit')
      other.release()
      const { status, body } = await verified
      expect([status, body['error_code']]).to.deep.equal([422, 'email_exists'])
      expect((await auth.call('GET', '/user', as(accessToken))).body['email']).to.equal(email)
    })
  })

  describe('resent e-mails', () => {
    it('lead to the same page with a new code', async () => {
      const email = newEmail()
      await auth.call('POST', `/otp?redirect_to=${encodeURIComponent('https://app.example.com/in')}`, {
        body: { email },
      })
      const first = await auth.mailTo(email)
      expect((await auth.call('POST', '/resend', { body: { type: 'signup', email } })).body).to.deep.equal({})
      const second = await auth.mailTo(email)
      expect(second.token).to.not.equal(first.token)
      expect((await auth.press(second.link)).headers.get('location')).to.match(/^https:\/\/app\.example\.com\/in\?/)
      const { accessToken } = await signIn(auth, email)
      const wanted = newEmail()
      await put(accessToken, { email: wanted })
      await auth.call('POST', '/resend', { body: { type: 'email_change', email } })
      expect(await mailsTo(wanted)).to.have.length(2)
      expect((await verify(accessToken, { email: wanted, token: (await auth.mailTo(wanted)).code })).status).to.equal(
        200,
      )
    })

    it('are sent only if one was requested before, with the same response', async () => {
      for (const type of ['signup', 'email_change']) {
        const email = newEmail()
        const answer = await auth.call('POST', '/resend', { body: { type, email } })
        expect([answer.status, answer.body]).to.deep.equal([200, {}])
        expect(await mailsTo(email)).to.deep.equal([])
      }
      expect((await auth.call('POST', '/resend', { body: { type: 'sms', email: newEmail() } })).status).to.equal(400)
    })

    it('do not reveal a pending address change, even at the rate limit', async () => {
      const limited = await runAuth(db, { limits: { ...noLimits, mailAgain: { max: 1, periodMs: 3_600_000 } } })
      try {
        const [email, wanted] = [newEmail(), newEmail()]
        const { accessToken } = await signIn(limited, email)
        expect((await limited.call('PUT', '/user', { body: { email: wanted }, ...as(accessToken) })).status).to.equal(
          200,
        )
        const again = (address: string): Promise<Answered> =>
          limited.call('POST', '/resend', { body: { type: 'email_change', email: address } })
        for (const address of [email, newEmail()]) {
          const answers = [await again(address), await again(address)].map(({ status, body }) => [
            status,
            body['error_code'],
          ])
          expect(answers, address).to.deep.equal([
            [200, undefined],
            [429, 'over_email_send_rate_limit'],
          ])
        }
        await limited.mailsSent()
        expect(limited.mails.filter(({ to }) => to === wanted)).to.have.length(1)
      } finally {
        await limited.stop()
      }
    })
  })

  describe('deleting the user', () => {
    it("deletes all of the user's data, and clears IP addresses and user agents in the audit logs", async () => {
      const { email, accessToken, userId } = await createUser()
      await signIn(auth, email)
      await put(accessToken, { email: newEmail() })
      await db.pool.query('insert into wallet.user_handles (user_id, handle) values ($1, $2)', [
        userId,
        Buffer.alloc(32, 9),
      ])
      await db.pool.query(
        `insert into wallet.passkeys (credential_id, user_id, rp_id, public_key, public_key_sec1, counter, device_type, is_backed_up, aaguid, name)
        values ('${'a'.repeat(22)}', $1, 'localhost', '', $2, 0, 'singleDevice', false, gen_random_uuid(), 'My phone')`,
        [userId, Buffer.alloc(65, 4)],
      )
      await db.pool.query(
        `insert into wallet.audit_log (event, is_done, user_id, ip, user_agent) values ('passkey_updated', true, $1, '192.0.2.1', 'Some browser')`,
        [userId],
      )
      expect((await auth.call('DELETE', '/user', as(accessToken))).status).to.equal(204)
      expect((await auth.call('GET', '/user', as(accessToken))).status).to.equal(403)
      for (const table of [
        'users where id',
        'sessions where user_id',
        'identities where user_id',
        'email_changes where user_id',
        'one_time_tokens where user_id',
      ]) {
        expect((await db.pool.query(`select from wallet_auth.${table} = $1`, [userId])).rowCount, table).to.equal(0)
      }
      const { rows } = await db.pool.query<{ ip: string | null }>(
        'select ip, user_agent from wallet_auth.audit_log where user_id = $1 union all select ip, user_agent from wallet.audit_log where user_id = $1',
        [userId],
      )
      expect(rows.length).to.be.greaterThan(2)
      expect(new Set(rows.map((row) => JSON.stringify(row)))).to.deep.equal(new Set(['{"ip":null,"user_agent":null}']))
      const {
        rows: [passkey],
      } = await db.pool.query<{ name: string; removed: boolean }>(
        'select name, removed_at is not null as removed from wallet.passkeys where user_id = $1',
        [userId],
      )
      expect(passkey).to.deep.equal({ name: '', removed: true })
      expect((await mailsTo(email)).at(-1)).to.equal('Account deleted at Test wallet')
      expect((await signIn(auth, email)).userId).to.not.equal(userId)
    })

    it('requires a sign-in within the last 15 minutes', async () => {
      const { accessToken, userId } = await createUser()
      await age(userId)
      expect((await auth.call('DELETE', '/user', as(accessToken))).body).to.include({
        error_code: 'reauthentication_needed',
      })
      expect((await auth.call('GET', '/user', as(accessToken))).status).to.equal(200)
      expect((await auth.call('DELETE', '/user')).status).to.equal(401)
    })

    it('rolls back if a part of the deletion fails', async () => {
      const broken = await runAuth(db, { deleteUserData: () => Promise.reject(new Error('not now')) })
      try {
        const { accessToken } = await signIn(broken, newEmail())
        expect((await broken.call('DELETE', '/user', as(accessToken))).status).to.be.at.least(500)
        expect((await broken.call('GET', '/user', as(accessToken))).status).to.equal(200)
      } finally {
        await broken.stop()
      }
    })
  })
})
