import { expect } from 'chai'
import type { RunResult } from '../../../src/assistant/query/alerts/alert-store.ts'
import { alertMailRemedy, mailLimits } from '../../../src/assistant/query/alerts/alert-mails.ts'
import { readConfig } from '../../../src/config.ts'
import type { Mail } from '../../../src/platform/mail/mail-sender.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { runAsk } from './support/running-ask.ts'
import type { Answered, RunningAsk } from './support/running-ask.ts'

const price = 'SELECT price FROM app.prices'
const to = 'ann@example.com'
const linkIn = /https:\/\/ask\.example(\/api\/v1\/alert-mails\/([\w-]{43}))/

interface Shown {
  readonly id: string
  readonly code?: string
  readonly detail?: string
  readonly secret: string | null
  readonly state: string
  readonly paused_reason: string | null
  readonly last_error: string | null
  readonly email: string | null
}

describe('e-mail alerts', () => {
  let db: TestDatabase
  let ask: RunningAsk
  let mails: Mail[]
  let send: (mail: Mail) => Promise<void>
  let results: RunResult[]
  let waiting: (() => void)[]
  before(async () => {
    db = await createTestDatabase()
  })
  beforeEach(async () => {
    await db.pool.query(`TRUNCATE app.alerts, app.alert_mails, app.outgoing_mails, app.refused_mailboxes CASCADE;
      TRUNCATE app.prices; INSERT INTO app.prices (token, currency, price_time, price) VALUES ('A.1', 'usd', '2026-01-01', 9)`)
    mails = []
    results = []
    waiting = []
    send = (mail) => Promise.resolve(void mails.push(mail))
    ask = await runAsk(
      db,
      { TRUSTED_PROXIES: '127.0.0.0/8' },
      {},
      { send: (mail) => send(mail), outbox: { retryAfterMs: [], storedRetryMs: 600_000 } },
    )
  })
  afterEach(() => ask.stop())
  after(() => db.drop())

  const create = (fields: object = {}, headers: Record<string, string> = {}): Promise<Answered<Shown>> =>
    ask.post<Shown>(
      '/api/v1/alerts',
      { name: 'Price', sql: price, condition: { kind: 'rows' }, email: to, repeat_hours: 1, ...fields },
      headers,
    )
  const read = async (id: string): Promise<Shown> =>
    (await ask.get<{ alert: Shown }>(`/api/v1/alerts/${id}`)).body.alert
  const deliveries = async (id: string): Promise<readonly Record<string, unknown>[]> =>
    (await ask.get<{ deliveries: Record<string, unknown>[] }>(`/api/v1/alerts/${id}`)).body.deliveries
  const linkOf = (mail: Mail | undefined): string => {
    expect(mail?.html).to.match(linkIn)
    return linkIn.exec(mail?.text ?? '')?.[1] ?? ''
  }
  const post = async (path: string): Promise<number> =>
    (
      await ask.fetch(path, {
        method: 'POST',
        body: 'List-Unsubscribe=One-Click',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      })
    ).status
  const settle = (): Promise<void> => ask.alertMails.settled()

  function startAlerts(): void {
    ask.startAlerts((result) => {
      results.push(result)
      for (const wake of waiting.splice(0)) wake()
    })
  }
  /** Makes active alerts due and false before, and resolves when each ran. */
  async function fire(count = 1): Promise<RunResult[]> {
    const before = results.length
    await db.pool.query(`UPDATE app.alerts SET is_met = NULL, next_run_at = now() - interval '1 second'`)
    while (results.length < before + count) await new Promise<void>((resolve) => waiting.push(resolve))
    await settle()
    return results.slice(before)
  }
  /** Confirmed; its first run waits for `fire`. */
  async function confirmed(fields: object = {}): Promise<string> {
    const { body } = await create(fields)
    await settle()
    expect(await post(linkOf(mails.pop()))).to.equal(200)
    await db.pool.query(`UPDATE app.alerts SET next_run_at = now() + interval '1 hour'`)
    return body.id
  }

  it('start after the recipient pressed the button of a mailed link, and stop by one click', async () => {
    startAlerts()
    const { status, body } = await create({
      name: 'Buy at evil.example',
      question: 'evil.example',
      email: ' Ann@Example.com ',
    })
    expect(status).to.equal(200)
    expect(body).to.include({ state: 'unconfirmed', paused_reason: null, secret: null, email: to })
    await settle()
    expect(mails.map((mail) => mail.to)).to.deep.equal([to])
    expect(JSON.stringify(mails), 'texts of the caller').to.not.match(/evil/)
    const link = linkOf(mails[0])
    await db.pool.query(`UPDATE app.alerts SET next_run_at = now() - interval '1 second'`)
    const page = await ask.fetch(link)
    const html = await page.text()
    expect(html).to.include('Buy at evil.example').and.include(price).and.include('Confirm alert')
    expect(page.headers.get('content-security-policy'))
      .to.include("default-src 'none'")
      .and.include("form-action 'self'")
    for (const method of ['GET', 'HEAD', 'OPTIONS']) await ask.fetch(link, { method })
    expect(await read(body.id), 'after GET').to.include({ state: 'unconfirmed', email: 'a…@example.com' })
    expect(results).to.deep.equal([])
    expect(await post(link)).to.equal(200)
    expect((await read(body.id)).state).to.equal('active')
    expect(await post(link), 'again').to.equal(404)
    expect((await ask.fetch(link)).status).to.equal(404)
    while (results.length === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    await settle()
    const [, fired] = mails
    expect(results).to.deep.equal(['fired'])
    expect(fired?.subject).to.equal('Alert: Buy at evil.example')
    expect(fired?.text).to.include('price: 9').and.include('https://ask.example/#')
    const unsubscribe = linkOf(fired)
    expect(fired?.headers).to.include({
      'List-Unsubscribe': `<https://ask.example${unsubscribe}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    })
    expect(await deliveries(body.id)).to.have.lengthOf(1)
    expect((await deliveries(body.id))[0]).to.include({ status: 'delivered', attempt_count: 1, error: null })
    expect(await (await ask.fetch(unsubscribe)).text()).to.include('<button>Unsubscribe</button>')
    expect((await read(body.id)).state, 'after GET').to.equal('active')
    expect(await post(`${unsubscribe}/refuse`), 'a forwarded e-mail refuses nothing').to.equal(404)
    for (let i = 0; i < 2; i++) expect(await post(`${unsubscribe}?utm_source=x`)).to.equal(200)
    expect(await read(body.id)).to.include({ state: 'paused', paused_reason: 'unsubscribed' })
    expect((await ask.post<Shown>(`/api/v1/alerts/${body.id}/resume`, {})).body.code).to.equal('alert-unsubscribed')
    expect((await ask.post<Shown>(`/api/v1/alerts/${body.id}/run`, {})).body.code).to.equal('alert-paused')
    expect(mails).to.have.lengthOf(2)
    expect((await ask.fetch(`/api/v1/alerts/${body.id}`, { method: 'DELETE' })).status).to.equal(200)
    expect((await ask.fetch(unsubscribe)).status).to.equal(404)
  })

  it('store only hashes of tokens, which expire; unconfirmed alerts are deleted after a day', async () => {
    const { body } = await create()
    await settle()
    const link = linkOf(mails[0])
    const token = linkIn.exec(mails[0]?.text ?? '')?.[2] ?? ''
    const { rows } = await db.pool.query<{ all: string }>(
      `SELECT concat((SELECT string_agg(t::text, ' ') FROM app.alert_mail_tokens t),
         (SELECT string_agg(t::text, ' ') FROM app.alert_mails t), (SELECT string_agg(t::text, ' ') FROM app.alerts t)) AS all`,
    )
    expect(rows[0]?.all).to.not.include(token).and.not.include(Buffer.from(token).toString('hex'))
    for (const wrong of ['x', `${token}x`, token.slice(1), 'A'.repeat(43), encodeURIComponent("' OR true --")])
      expect(await post(`/api/v1/alert-mails/${wrong}`), wrong).to.equal(404)
    await db.pool.query(`UPDATE app.alert_mail_tokens SET expires_at = now()`)
    expect(await post(link)).to.equal(404)
    await ask.alertMails.prune()
    expect((await read(body.id)).state).to.equal('unconfirmed')
    await db.pool.query(`UPDATE app.alerts SET paused_at = now() - interval '25 hours'`)
    await create()
    expect((await ask.get<{ data: Shown[] }>('/api/v1/alerts')).body.data.map(({ id }) => id)).to.not.include(body.id)
    await db.pool.query(`UPDATE app.alert_mails SET created_at = now() - interval '31 days'`)
    await ask.alertMails.prune()
    const { rowCount } = await db.pool.query('SELECT FROM app.alert_mails')
    expect(rowCount).to.equal(0)
  })

  it('cannot flood an address: the fourth request is not mailed, with the same response', async () => {
    const seen: string[] = []
    const { confirmationsPerMailbox: max } = mailLimits
    for (let i = 0; i < max + 2; i++) {
      const { status, body } = await create({ email: i % 2 === 0 ? to : `ann+${i}@example.com` })
      seen.push(`${status} ${body.state} ${body.secret}`)
      await settle()
      await ask.fetch(`/api/v1/alerts/${body.id}`, { method: 'DELETE' })
    }
    expect(new Set(seen).size).to.equal(1)
    expect(mails).to.have.lengthOf(max)
    const { body } = await create()
    expect((await ask.post(`/api/v1/alerts/${body.id}/resume`, {})).status, 'asks again').to.equal(200)
    await settle()
    expect(mails).to.have.lengthOf(max)
    await db.pool.query(`UPDATE app.alert_mails SET created_at = created_at - interval '1 day'`)
    await db.pool.query(`UPDATE app.alerts SET paused_at = now() - interval '23 hours'`)
    expect((await ask.post(`/api/v1/alerts/${body.id}/resume`, {})).status).to.equal(200)
    await db.pool.query(`UPDATE app.alerts SET paused_at = paused_at - interval '23 hours'`)
    await ask.alertMails.prune()
    await settle()
    expect(mails).to.have.lengthOf(max + 1)
    expect(await post(linkOf(mails.at(-1)))).to.equal(200)
    const counted = await ask.metrics.alertMails.get()
    expect(counted.values.map(({ labels, value }) => [labels['result'], value])).to.deep.include(['suppressed', 4])
  })

  it('are limited per network, /64 of IPv6, and for all', async () => {
    const from = (address: string) => ({ 'X-Forwarded-For': address })
    const { confirmationsPerClient: max, confirmations } = mailLimits
    const fromOne = async (i: number, address: string): Promise<string> => {
      const { body } = await create({ email: `user${i}@example.com` }, from(address))
      if (body.code !== undefined) return body.code
      await ask.fetch(`/api/v1/alerts/${body.id}`, { method: 'DELETE' })
      return body.state
    }
    for (let i = 0; i < max; i++) expect(await fromOne(i, `2001:db8:1:2::${i + 1}`)).to.equal('unconfirmed')
    expect(await fromOne(max, '2001:db8:1:2:ffff::1')).to.equal('too-many-confirmations')
    expect(await fromOne(max, '2001:db8:1:3::1')).to.equal('unconfirmed')
    await db.pool.query(
      `INSERT INTO app.alert_mails (kind, mailbox) SELECT 'suppressed', sha256(n::text::bytea) FROM generate_series(1, $1) n`,
      [confirmations - max - 2],
    )
    expect(await fromOne(98, '203.0.113.1')).to.equal('unconfirmed')
    expect(await fromOne(99, '203.0.113.2')).to.equal('too-many-confirmations')
    expect((await db.pool.query('SELECT FROM app.alerts')).rowCount, 'refused ones').to.equal(0)
  })

  it('are refused for ever by the other button', async () => {
    const active = await confirmed()
    await create({ email: to })
    await settle()
    const link = linkOf(mails.pop())
    expect((await ask.fetch(`${link}/refuse`)).status, 'GET').to.equal(405)
    expect(await post(`${link}/refuse`)).to.equal(200)
    expect((await read(active)).paused_reason).to.equal('unsubscribed')
    expect(await post(link)).to.equal(404)
    const { status, body } = await create({ email: 'ann+other@example.com' })
    expect([status, body.state]).to.deep.equal([200, 'unconfirmed'])
    await settle()
    expect(mails).to.deep.equal([])
  })

  it('are limited per alert and address; a delayed one is sent later', async () => {
    const id = await confirmed()
    startAlerts()
    const old = (kind: string, count: number): Promise<unknown> =>
      db.pool.query(
        `INSERT INTO app.alert_mails (kind, alert_id, mailbox, status)
         SELECT 'alert', $1, mailbox, 'delivered' FROM app.alert_mails, generate_series(1, $2) WHERE kind = 'confirmation'`,
        [kind === 'own' ? id : null, count],
      )
    await old('own', mailLimits.alertsPerAlert - 1)
    expect(await fire()).to.deep.equal(['fired'])
    expect(await fire()).to.deep.equal(['limited'])
    expect((await read(id)).last_error).to.match(/limit of e-mails a day/)
    expect(mails).to.have.lengthOf(1)
    await db.pool.query(`DELETE FROM app.alert_mails WHERE kind = 'alert'`)
    await db.pool.query(`UPDATE app.alerts SET next_run_at = now() - interval '1 second'`)
    while (results.length < 3) await new Promise<void>((resolve) => waiting.push(resolve))
    await settle()
    expect([results[2], mails.length], 'without a change').to.deep.equal(['fired', 2])
    await old('other', mailLimits.alertsPerMailbox - 2)
    expect(await fire()).to.deep.equal(['fired'])
    expect(await fire()).to.deep.equal(['limited'])
    expect(mails).to.have.lengthOf(3)
  })

  it('pause with the reason when the mail server refuses the address, or accepts nothing for a day', async () => {
    const id = await confirmed()
    startAlerts()
    const rejected = Object.assign(new Error('550 ann@example.com'), { command: 'RCPT TO', responseCode: 550 })
    send = () => Promise.reject(rejected)
    expect(await fire()).to.deep.equal(['fired'])
    expect(await read(id)).to.include({
      state: 'paused',
      paused_reason: 'mail',
      last_error: 'The mail server refused the address.',
    })
    expect((await deliveries(id))[0]).to.include({ status: 'dead', error: 'The mail server refused the address.' })
    send = () => Promise.reject(Object.assign(new Error('451'), { command: 'RCPT TO', responseCode: 451 }))
    await db.pool.query(`UPDATE app.alerts SET is_met = NULL`)
    expect((await ask.post<Shown>(`/api/v1/alerts/${id}/resume`, {})).body.state).to.equal('active')
    while (results.length < 2) await new Promise<void>((resolve) => waiting.push(resolve))
    await settle()
    expect((await read(id)).state).to.equal('active')
    expect((await deliveries(id))[0]).to.include({ status: 'pending', attempt_count: 1 })
    await db.pool.query(`UPDATE app.outgoing_mails SET created_at = now() - interval '1 day', next_attempt_at = now()`)
    await settle()
    expect(await read(id)).to.include({ paused_reason: 'mail' })
    expect((await read(id)).last_error).to.match(/for a day/)
  })

  it('wait while the mail server is not configured any more', async () => {
    const id = await confirmed()
    await ask.stop()
    ask = await runAsk(db, {}, {}, { remedy: 'Set SMTP_URL.' })
    startAlerts()
    expect(await fire()).to.deep.equal(['limited'])
    expect(await read(id)).to.include({ state: 'active', last_error: 'This service sends no e-mails. Set SMTP_URL.' })
  })

  it('of deleted and unsubscribed alerts are not sent', async () => {
    const ids = [await confirmed(), await confirmed()]
    startAlerts()
    const sent: Mail[] = []
    send = (mail) => {
      sent.push(mail)
      return Promise.reject(new Error('away'))
    }
    await fire(2)
    expect(sent).to.have.lengthOf(2)
    const [deleted = '', left = ''] = ids
    await ask.fetch(`/api/v1/alerts/${deleted}`, { method: 'DELETE' })
    expect((await db.pool.query('SELECT FROM app.outgoing_mails')).rowCount).to.equal(1)
    for (const mail of sent) await post(linkOf(mail))
    expect((await read(left)).paused_reason).to.equal('unsubscribed')
    expect((await db.pool.query('SELECT FROM app.outgoing_mails')).rowCount).to.equal(0)
    expect((await deliveries(left))[0]).to.include({ status: 'dead' })
  })

  it('need one valid receiver', async () => {
    for (const [fields, field] of [
      [{ url: 'https://93.184.216.34/hook' }, 'email'],
      [{ email: null }, 'url'],
      [{ email: 'a@b.c\r\nBcc: d@e.f' }, 'email'],
      [{ email: 'a@b.c, d@e.f' }, 'email'],
      [{ email: `${'a'.repeat(65)}@b.c` }, 'email'],
      [{ email: 7 }, 'email'],
    ] as const)
      expect((await create(fields)).body, JSON.stringify(fields)).to.include({ code: 'invalid-field', field })
    await settle()
    expect(mails).to.deep.equal([])
  })
})

describe('e-mail alerts without a mail server', () => {
  it('need a server or a folder, and a public URL for a server', () => {
    const remedy = (variables: Record<string, string>): string | undefined => alertMailRemedy(readConfig({}, variables))
    const smtp = { SMTP_URL: 'smtp://mail.example.com' }
    expect(remedy({})).to.include('SMTP_URL')
    expect(remedy(smtp)).to.include('APPLICATION_URLS')
    expect(remedy({ ...smtp, APPLICATION_URLS: 'chat=https://chat.example' })).to.include('APPLICATION_URLS')
    expect(remedy({ ...smtp, APPLICATION_URLS: 'ask=https://ask.example' })).to.equal(undefined)
    expect(remedy({ MAIL_FOLDER: './mail' })).to.equal(undefined)
  })

  it('are refused with the setting', async () => {
    const db = await createTestDatabase()
    const ask = await runAsk(db)
    try {
      expect((await ask.get<object>('/health')).body).to.include({ sends_email: false })
      const alert = { name: 'a', sql: 'SELECT 1', condition: { kind: 'rows' }, email: to }
      const { body } = await ask.post('/api/v1/alerts', alert)
      expect(body).to.include({ status: 400, code: 'email-unavailable', field: 'email' })
      expect(body.detail).to.include('SMTP_URL')
      expect((await db.pool.query('SELECT FROM app.alerts')).rowCount).to.equal(0)
    } finally {
      await ask.stop()
      await db.drop()
    }
  })
})
