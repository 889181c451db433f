import { expect } from 'chai'
import { pruneAuth } from '../../../src/wallet/auth/create-auth.ts'
import { maxNewClients } from '../../../src/wallet/auth/stores/sessions.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { runAuth } from './support/running-auth.ts'
import type { RunningAuth } from './support/running-auth.ts'

const chrome = (version: string): string =>
  `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version} Safari/537.36`
const firefox = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0'

describe('an e-mail about a sign-in from a new network or browser', () => {
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

  const noticesTo = async (email: string): Promise<readonly string[]> => {
    await auth.mailsSent()
    return auth.mails
      .filter(({ to, subject }) => to === email && subject === 'New sign-in to Test wallet')
      .map(({ text }) => text)
  }
  /** Number of the user's notices after the sign-in. */
  const noticesAfter = async (
    email: string,
    address: string,
    userAgent: string,
    by: 'code' | 'link' | 'passkey' = 'code',
  ): Promise<number> => {
    const headers = { 'X-Forwarded-For': address, 'User-Agent': userAgent }
    await auth.call('POST', '/otp', { body: { email }, headers })
    const { code, token } = await auth.mailTo(email)
    const proof =
      by === 'code'
        ? { type: 'email', email, token: code }
        : { type: 'magiclink', token_hash: by === 'link' ? token : await auth.tokenHashOf(await idOf(email)) }
    const { status, text } = await auth.call('POST', '/verify', { body: proof, headers })
    expect(status, text).to.equal(200)
    return (await noticesTo(email)).length
  }
  const idOf = async (email: string): Promise<string> => {
    const { rows } = await db.pool.query<{ id: string }>('select id from wallet_auth.users where email = $1', [email])
    return rows[0]?.id ?? ''
  }

  it('is sent for each new one, except the first', async () => {
    const email = 'moves@example.com'
    expect(await noticesAfter(email, '203.0.113.7', chrome('140.0.0.0'))).to.equal(0)
    // The same /24, and a new version.
    expect(await noticesAfter(email, '203.0.113.200', chrome('141.0.1.2'))).to.equal(0)
    expect(await noticesAfter(email, '203.0.114.7', chrome('140.0.0.0'))).to.equal(1)
    expect(await noticesAfter(email, '203.0.114.9', chrome('140.0.0.0'))).to.equal(1)
    expect(await noticesAfter(email, '203.0.113.7', firefox)).to.equal(2)
    expect(await noticesAfter(email, '2001:db8:1:1::1', firefox)).to.equal(3)
    expect(await noticesAfter(email, '2001:db8:1:1:ffff::1', firefox)).to.equal(3)
    expect(await noticesAfter(email, '2001:db8:1:2::1', firefox)).to.equal(4)
    expect((await noticesTo(email))[0]).to.equal(
      'Your user at Test wallet was signed in from a new network or browser: 203.0.114.7, Chrome on Linux. If you did ' +
        'not do this, secure this mailbox, then sign in with your passkey and sign out everywhere.\n',
    )
    expect((await noticesTo(email))[1]).to.include('203.0.113.7, Firefox on Windows.')
  })

  for (const by of ['code', 'link', 'passkey'] as const) {
    it(`is sent for a sign-in by ${by}`, async () => {
      const email = `${by}@example.com`
      expect(await noticesAfter(email, '203.0.113.7', firefox)).to.equal(0)
      expect(await noticesAfter(email, '198.51.100.7', firefox, by)).to.equal(1)
      expect(await noticesAfter(email, '198.51.100.8', firefox, by)).to.equal(1)
    })
  }

  it('is sent for a sign-in by a code of a page', async () => {
    const client = auth.client()
    const email = 'page@example.com'
    await noticesAfter(email, '203.0.113.7', firefox)
    await client.signInWithOtp({ email, options: { emailRedirectTo: 'https://app.example.com/' } })
    const back = new URL((await auth.press((await auth.mailTo(email)).link)).headers.get('location') ?? '')
    expect((await client.exchangeCodeForSession(back.searchParams.get('code') ?? '')).error).to.equal(null)
    expect((await noticesTo(email))[0]).to.include('127.0.0.1, an unknown program on an unknown system.')
  })

  it('contains no text of the client', async () => {
    const email = 'text@example.com'
    await noticesAfter(email, '203.0.113.7', firefox)
    await noticesAfter(email, '203.0.113.7', 'Your account is locked: open https://evil.example <b>now</b>')
    const [notice] = await noticesTo(email)
    expect(notice).to.include('an unknown program on an unknown system').and.not.include('evil')
  })

  it('is sent for at most ten new networks and browsers a day', async () => {
    const email = 'often@example.com'
    for (let network = 0; network < maxNewClients; network++) await noticesAfter(email, `10.0.${network}.1`, firefox)
    // The first sign-in counts as two, and is not mailed.
    expect((await noticesTo(email)).length).to.equal(maxNewClients - 2)
    expect(await noticesAfter(email, '10.1.0.1', firefox)).to.equal(maxNewClients - 2)
    await db.pool.query("update wallet_auth.known_clients set first_seen_at = first_seen_at - interval '1 day'")
    expect(await noticesAfter(email, '10.2.0.1', firefox)).to.equal(maxNewClients - 1)
  })

  it('needs at most 500 rows of a user, which are deleted after 180 days', async () => {
    const email = 'many@example.com'
    await noticesAfter(email, '203.0.113.7', firefox)
    const userId = await idOf(email)
    const count = async (): Promise<number> =>
      (await db.pool.query('select from wallet_auth.known_clients where user_id = $1', [userId])).rowCount ?? 0
    await db.pool.query(
      `insert into wallet_auth.known_clients (user_id, kind, value, first_seen_at, last_seen_at)
       select $1, 'network', 'made ' || n, now() - interval '179 days', now() - interval '179 days'
       from generate_series(1, 497) as n`,
      [userId],
    )
    expect([await noticesAfter(email, '10.0.0.1', firefox), await count()]).to.deep.equal([1, 500])
    expect([await noticesAfter(email, '10.0.1.1', firefox), await count()]).to.deep.equal([1, 500])
    await pruneAuth(db.pool)
    expect(await count()).to.equal(500)
    await db.pool.query(
      "update wallet_auth.known_clients set last_seen_at = last_seen_at - interval '2 days' where value like 'made %'",
    )
    await pruneAuth(db.pool)
    expect(await count()).to.equal(3)
  })
})
