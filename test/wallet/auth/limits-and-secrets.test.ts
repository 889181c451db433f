import { expect } from 'chai'
import { authLimits } from '../../../src/wallet/auth/stores/attempt-limits.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { noLimits, runAuth, signIn } from './support/running-auth.ts'
import type { Answered, RunningAuth } from './support/running-auth.ts'

const from = (address: string): Record<string, string> => ({ 'X-Forwarded-For': address })

describe('limits and secrets of the auth endpoint', () => {
  let db: TestDatabase
  let auth: RunningAuth | undefined
  beforeEach(async () => {
    db = await createTestDatabase()
  })
  afterEach(async () => {
    await auth?.stop()
    await db.drop()
  })

  const call = async (
    path: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<Answered | undefined> => auth?.call('POST', path, { body, headers })
  const otp = (email: string, headers: Record<string, string> = {}): Promise<Answered | undefined> =>
    call('/otp', { email }, headers)

  it('limits each step per client IP address, and per IPv6 network', async () => {
    // Slow refill, so that no limit recovers during the test.
    const slowly = Object.fromEntries(
      Object.entries(authLimits).map(([name, { max, periodMs }]) => [name, { max, periodMs: periodMs * 100 }]),
    )
    auth = await runAuth(db, { limits: slowly })
    const steps: readonly [string, string, unknown, number][] = [
      ['POST', '/otp', { email: 'no address' }, 30],
      ['POST', '/verify', { token_hash: 'x', type: 'email' }, 30],
      ['POST', '/token?grant_type=refresh_token', { refresh_token: 'x' }, 150],
      ['GET', '/authorize', undefined, 30],
    ]
    for (const [method, path, body, max] of steps) {
      const tries: number[] = []
      for (let i = 0; i <= max; i++)
        tries.push(
          (
            await auth.call(method, path, {
              ...(body === undefined ? {} : { body }),
              headers: from(`2001:db8:1:2::${i.toString(16)}`),
            })
          ).status,
        )
      expect(tries.slice(0, max), path).not.to.include(429)
      expect(tries.at(-1), path).to.equal(429)
      expect(
        (await auth.call(method, path, { ...(body === undefined ? {} : { body }), headers: from('2001:db8:1:3::1') }))
          .status,
        path,
      ).not.to.equal(429)
    }
    const refused = await auth.call('POST', '/verify', {
      body: { token_hash: 'x', type: 'email' },
      headers: from('2001:db8:1:2::1'),
    })
    expect(refused.body['error_code']).to.equal('over_request_rate_limit')
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 1000)
  })

  it('ignores client addresses that the client set itself', async () => {
    auth = await runAuth(db, { limits: { ...noLimits, verify: { max: 3, periodMs: 60_000 } } })
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) {
      statuses.push(
        (
          await auth.call('POST', '/verify', {
            body: { token_hash: 'x', type: 'email' },
            headers: from(`203.0.113.${i}, 198.51.100.7`),
          })
        ).status,
      )
    }
    expect(statuses).to.deep.equal([403, 403, 403, 429])
  })

  it('sends one e-mail a minute and ten an hour to an address, from any client, known or unknown', async () => {
    auth = await runAuth(db, { limits: { ...noLimits, mailAgain: authLimits.mailAgain } })
    await signIn(auth, 'known@example.com')
    await db.pool.query('delete from wallet_auth.rate_limits')
    for (const email of ['known@example.com', 'unknown@example.com']) {
      const answers = [await otp(email, from('198.51.100.1')), await otp(email.toUpperCase(), from('198.51.100.2'))]
      expect(answers.map((answer) => answer?.status)).to.deep.equal([200, 429])
      expect(answers[1]?.body['error_code']).to.equal('over_email_send_rate_limit')
      expect(Number(answers[1]?.headers.get('retry-after'))).to.be.within(1, 60)
    }
    await auth.stop()
    auth = await runAuth(db, { limits: { ...noLimits, mailTo: authLimits.mailTo } })
    const hour: (number | undefined)[] = []
    for (let i = 0; i < 11; i++) hour.push((await otp('much@example.com', from(`198.51.100.${i}`)))?.status)
    expect(hour).to.deep.equal([...Array.from({ length: 10 }, () => 200), 429])
  })

  it('sends 30 e-mails an hour per client IP address', async () => {
    auth = await runAuth(db, { limits: { ...noLimits, mail: authLimits.mail } })
    const statuses = await Promise.all(Array.from({ length: 35 }, (_, i) => otp(`person${i}@example.com`)))
    expect(statuses.filter((answer) => answer?.status === 200)).to.have.length(30)
    await auth.mailsSent()
    expect(auth.mails).to.have.length(30)
  })

  it('counts the e-mails of an IPv6 network as those of one client', async () => {
    auth = await runAuth(db, { limits: { ...noLimits, mail: { max: 3, periodMs: 3_600_000 } } })
    const statuses: (number | undefined)[] = []
    for (let i = 0; i < 5; i++)
      statuses.push((await otp(`reader${i}@example.com`, from(`2001:db8:1:2::${i + 1}`)))?.status)
    expect(statuses).to.deep.equal([200, 200, 200, 429, 429])
    expect((await otp('reader9@example.com', from('2001:db8:1:3::1')))?.status).to.equal(200)
  })

  it('counts all subaddresses of a mailbox together, and reserves half of the limit for other clients', async () => {
    auth = await runAuth(db, { limits: { ...noLimits, mailTo: authLimits.mailTo, mailToBy: authLimits.mailToBy } })
    const tries = async (address: string): Promise<number> => {
      let sent = 0
      for (let i = 0; i < 8; i++) if ((await otp(`much+${i}@example.com`, from(address)))?.status === 200) sent++
      return sent
    }
    expect([await tries('198.51.100.1'), await tries('198.51.100.2'), await tries('198.51.100.3')]).to.deep.equal([
      5, 5, 0,
    ])
  })

  const guess = (email: string, token: string, address: string): Promise<Answered | undefined> =>
    call('/verify', { email, token, type: 'email' }, from(address))
  /** Wrong codes. */
  const wrongCodes = (code: string, count: number): string[] =>
    Array.from({ length: count }, (_, i) => String((Number(code) + i + 1) % 1_000_000).padStart(6, '0'))

  it('counts no attempts for an address without a live code, so that its owner can sign in afterwards', async () => {
    auth = await runAuth(db, {
      limits: { ...noLimits, codeBy: authLimits.codeBy, codeOf: { max: 30, periodMs: 86_400_000 } },
    })
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => guess('owner@example.com', '000000', `198.51.100.${i}`)),
    )
    expect(new Set(answers.map((answer) => answer?.status))).to.deep.equal(new Set([403]))
    expect((await signIn(auth, 'owner@example.com')).userId).to.be.a('string')
    // A used code does not count as live.
    for (let i = 0; i < 40; i++) await guess('owner@example.com', '000000', '198.51.100.1')
    expect((await signIn(auth, 'owner@example.com')).userId).to.be.a('string')
  })

  it('reserves two attempts at a code for the network that requested it, and allows five in total', async () => {
    auth = await runAuth(db)
    await otp('owner@example.com', from('198.51.100.1'))
    const { code } = await auth.mailTo('owner@example.com')
    const wrong = wrongCodes(code, 20)
    await Promise.all(wrong.map((one, i) => guess('owner@example.com', one, `203.0.113.${i}`)))
    const attempts = async (): Promise<unknown> =>
      (await db.pool.query('select code_attempts, attempts_elsewhere from wallet_auth.one_time_tokens')).rows[0]
    expect(await attempts()).to.deep.equal({ code_attempts: 3, attempts_elsewhere: 3 })
    expect((await guess('owner@example.com', code, '203.0.113.99'))?.status).to.equal(403)
    expect((await guess('owner@example.com', wrong[0] ?? '', '198.51.100.1'))?.status).to.equal(403)
    expect((await guess('owner@example.com', code, '198.51.100.1'))?.status).to.equal(200)
    await otp('owner@example.com', from('198.51.100.1'))
    const second = wrongCodes((await auth.mailTo('owner@example.com')).code, 9)
    for (const [i, one] of second.entries())
      await guess('owner@example.com', one, i % 2 === 0 ? '198.51.100.1' : '203.0.113.1')
    expect(await attempts()).to.deep.include({ code_attempts: 5 })
  })

  it('limits the attempts of a client for an address per day, without limiting the owner', async () => {
    auth = await runAuth(db, { limits: { ...noLimits, codeBy: { max: 6, periodMs: 86_400_000 } } })
    for (let mail = 0; mail < 3; mail++) {
      await otp('owner@example.com', from('203.0.113.1'))
      const { code } = await auth.mailTo('owner@example.com')
      for (const one of wrongCodes(code, 4)) await guess('owner@example.com', one, '203.0.113.1')
    }
    await otp('owner@example.com', from('203.0.113.1'))
    const { code } = await auth.mailTo('owner@example.com')
    // The same error as for a wrong code, to hide that the code is live.
    expect((await guess('owner@example.com', code, '203.0.113.1'))?.body['error_code']).to.equal('otp_expired')
    expect((await guess('owner@example.com', code, '198.51.100.1'))?.status).to.equal(200)
  })

  it('writes no secrets into the log or the database', async () => {
    auth = await runAuth(db)
    const secrets: string[] = []
    const { accessToken, refreshToken, userId } = await signIn(auth, 'quiet@example.com')
    const used = await auth.mailTo('quiet@example.com')
    secrets.push(accessToken, refreshToken, used.token)
    const next = (await auth.call('POST', '/token?grant_type=refresh_token', { body: { refresh_token: refreshToken } }))
      .body
    secrets.push(String(next['refresh_token']), String(next['access_token']))
    await auth.call('POST', '/otp', { body: { email: 'quiet@example.com' } })
    const waiting = await auth.mailTo('quiet@example.com')
    secrets.push(waiting.token, waiting.code, await auth.tokenHashOf(userId))
    await auth.call('GET', waiting.link)
    await auth.call('POST', '/verify', { body: { email: 'quiet@example.com', token: '000000', type: 'email' } })
    await auth.call('POST', '/token?grant_type=refresh_token', { body: { refresh_token: `${refreshToken}x` } })
    await auth.call('GET', '/user', { headers: { Authorization: `Bearer ${accessToken}` } })
    const {
      data: { properties },
    } = await auth.admin('the-token-of-services').generateLink({ type: 'magiclink', email: 'linked@example.com' })
    secrets.push(properties?.hashed_token ?? '', properties?.email_otp ?? '', 'the-token-of-services')
    const back = new URL(
      (await auth.press((await auth.mailTo('quiet@example.com')).link)).headers.get('location') ?? '',
    )
    secrets.push(back.searchParams.get('token_hash') ?? '')
    // Simulates a database failure during a request.
    await db.pool.query('alter table wallet_auth.one_time_tokens rename to gone')
    const failed = await auth.call('POST', '/verify', { body: { token_hash: waiting.token, type: 'email' } })
    expect([failed.status, failed.body['error_code']]).to.deep.equal([500, 'unexpected_failure'])
    await db.pool.query('alter table wallet_auth.gone rename to one_time_tokens')

    const { rows: tables } = await db.pool.query<{ name: string }>(
      "select oid::regclass::text as name from pg_class where relnamespace = 'wallet_auth'::regnamespace and relkind = 'r' and relname <> 'signing_keys'",
    )
    expect(tables).to.have.length.at.least(8)
    const kept: string[] = []
    for (const { name } of tables) {
      const { rows } = await db.pool.query<{ row: string }>(`select row_to_json(t)::text as row from ${name} as t`)
      kept.push(...rows.map(({ row }) => row))
    }
    const forms = secrets.flatMap((secret) => [
      secret,
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret).toString('base64'),
    ])
    const words = /^\d{6}$/
    const log = auth.logged.join('')
    expect(log).to.include('/auth/v1/verify').and.include('Request failed')
    for (const secret of [
      ...forms,
      ...secrets.filter((one) => one.length === 43).map((one) => Buffer.from(one, 'base64url').toString('hex')),
    ]) {
      // Six digits may occur in a timestamp.
      const parts = words.test(secret) ? [`"${secret}"`, ` ${secret} `] : [secret]
      for (const part of parts) {
        expect(log.includes(part), `${part} is in the log`).to.equal(false)
        expect(
          kept.some((row) => row.includes(part)),
          `${part} is in the database`,
        ).to.equal(false)
      }
    }
    expect(log).not.to.include('quiet@example.com')
  })

  it('is independent of chain rollbacks: no foreign keys to block data', async () => {
    const { rows } = await db.pool.query(
      `select conname from pg_constraint as c join pg_class as a on a.oid = c.conrelid join pg_class as b on b.oid = c.confrelid
       where c.contype = 'f' and ((a.relnamespace = 'wallet_auth'::regnamespace) <> (b.relnamespace = 'wallet_auth'::regnamespace)) and b.relnamespace <> 'wallet_auth'::regnamespace`,
    )
    expect(rows).to.deep.equal([])
  })
})
