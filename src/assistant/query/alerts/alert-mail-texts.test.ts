import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import { pino } from 'pino'
import { mailSender } from '../../../platform/mail/mail-sender.ts'
import type { Mail } from '../../../platform/mail/mail-sender.ts'
import { alertMail, confirmPage, withUnsubscribe } from './alert-mail-texts.ts'
import type { FiredRows, MailedAlert } from './alert-mail-texts.ts'

const alert: MailedAlert = {
  name: 'Price',
  question: 'Tell me when the price rises',
  target: 'indexer',
  sql: 'SELECT price FROM app.prices WHERE token = {{token}}',
  parameters: [{ name: 'token', type: 'text', value: 'A.1' }],
  condition: { kind: 'compare', operator: '>', number: '5' },
  intervalSeconds: 300,
}
const fired: FiredRows = { value: '7', columns: ['price'], results: [{ price: '7' }], isCut: false }
const place = { to: 'ann@example.com', askUrl: 'https://ask.example/' }
const link = 'https://ask.example/api/v1/alert-mails/t'
const hostile = 'x\r\nBcc: victim@example.com\r\n\r\n<img src=x onerror=alert(1)>\u202E\u2028\0"&\'\u0085'

/** The e-mail in the form that is sent. */
async function sent(mail: Mail): Promise<{ readonly headers: string; readonly body: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'flowfarm-mail-'))
  try {
    const options = { smtpUrl: undefined, from: 'flowfarm <no-reply@example.com>', folder }
    await mailSender(options, pino({ level: 'silent' }))(mail)
    const [name = ''] = await readdir(folder)
    const text = await readFile(join(folder, name), 'utf8')
    const end = text.indexOf('\n\n')
    return { headers: text.slice(0, end), body: text.slice(end) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

describe('e-mails of alerts', () => {
  it('have the condition, the rows, the query and how to unsubscribe', () => {
    const { subject, text, html, headers } = withUnsubscribe(alertMail(alert, { ...place, fired }), link)
    expect(subject).to.equal('Alert: Price')
    for (const content of [text, html])
      expect(content)
        .to.include('Tell me when the price rises')
        .and.match(/Condition: the first value is (>|&gt;) 5/)
        .and.include('First value: 7')
        .and.include('https://ask.example/#question=')
        .and.include('parameter=token%3Atext%3AA.1')
        .and.include(link)
    expect(headers).to.have.all.keys('List-Unsubscribe', 'List-Unsubscribe-Post', 'Auto-Submitted')
  })

  it('turn hostile texts into one visible line each, without headers or HTML of their own', async () => {
    const rows = { ...fired, value: hostile, columns: [hostile], results: [{ [hostile]: hostile }] }
    const mail = withUnsubscribe(
      alertMail({ ...alert, name: hostile, question: hostile }, { ...place, fired: rows }),
      link,
    )
    expect(mail.subject).to.equal('Alert: x Bcc: victim@example.com <img src=x onerror=alert(1)>⟨U+202E⟩ ⟨U+0000⟩"&\'')
    expect(mail.html).to.not.include('<img').and.not.include('\u202E')
    expect(mail.text).to.not.match(/^Bcc:/m)
    const { headers } = await sent(mail)
    const names = [...headers.matchAll(/^([\w-]+):/gm)].map(([, name]) => name)
    expect(names).to.have.members([
      'From',
      'To',
      'Subject',
      'Message-ID',
      'Date',
      'MIME-Version',
      'Content-Type',
      'List-Unsubscribe',
      'List-Unsubscribe-Post',
      'Auto-Submitted',
    ])
    expect(headers).to.match(/^To: ann@example\.com$/m)
    const { html } = confirmPage({
      site: 'ask.example',
      email: place.to,
      alert: {
        ...alert,
        name: hostile,
        question: hostile,
        sql: hostile + ' '.repeat(4000),
        parameters: [{ name: 'token', type: 'text', value: hostile }],
      },
      token: '"><script>',
    })
    expect(html).to.not.include('<img').and.not.include('<script').and.not.include('\u202E')
    expect(html).to.match(/\n…\n\{\{token\}\}: x Bcc/)
  })

  it('have a bounded size', () => {
    const long = 'é'.repeat(100_000)
    const columns = Array.from({ length: 500 }, (_, i) => `column ${i}`)
    const row = Object.fromEntries(columns.map((column) => [column, long]))
    const mail = alertMail(
      { ...alert, name: long, question: long, sql: long },
      { ...place, fired: { value: long, columns, results: Array.from({ length: 20 }, () => row), isCut: false } },
    )
    expect(mail.subject.length).to.be.below(120)
    expect(mail.text.length).to.be.below(25_000)
    expect(mail.html.length).to.be.below(60_000)
    expect(mail.text)
      .to.include('More rows or columns were omitted.')
      .and.include('Open the query:\nhttps://ask.example/\n')
  })

  it('have a subject of one line without control characters for any name', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        expect(alertMail({ ...alert, name }, { ...place, fired }).subject).to.match(/^Alert: [^\p{Cc}\p{Cf}\p{Cs}]*$/u)
      }),
    )
  })
})
