import { expect } from 'chai'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { Mail } from '../../src/platform/mail/mail-sender.ts'
import { runAsk } from '../assistant/query/support/running-ask.ts'
import type { RunningAsk } from '../assistant/query/support/running-ask.ts'
import { browserOrSkip } from '../support/browser.ts'
import type { TestBrowser } from '../support/browser.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { expectUsable, watchConsole } from './page-checks.ts'

const hostile = '<img src=x onerror=alert(1)>\u202E'

describe('the pages of links in e-mails of alerts', () => {
  let browser: TestBrowser | undefined
  let db: TestDatabase
  let ask: RunningAsk
  const mails: Mail[] = []
  let consoleMessages: string[] = []
  let onRun = (): void => undefined
  before(async function (this: Mocha.Context) {
    browser = await browserOrSkip(this)
    db = await createTestDatabase()
    ask = await runAsk(db, {}, {}, { send: (mail) => Promise.resolve(void mails.push(mail)) })
    ask.startAlerts(() => onRun())
  })
  beforeEach(() => db.pool.query('DELETE FROM app.alerts; DELETE FROM app.alert_mails'))
  after(async () => {
    await browser?.close()
    await ask?.stop()
    await db?.drop()
  })

  async function create(fields: object = {}): Promise<string> {
    const alert = { name: hostile, sql: 'SELECT max(height) FROM raw.blocks', condition: { kind: 'rows' } }
    const { body } = await ask.post<{ id: string }>('/api/v1/alerts', { ...alert, email: 'ann@example.com', ...fields })
    await ask.alertMails.settled()
    return body.id
  }
  const stateOf = async (id: string): Promise<unknown> => {
    const { body } = await ask.get<{ alert: { state: string; paused_reason: string | null } }>(`/api/v1/alerts/${id}`)
    return body.alert.paused_reason ?? body.alert.state
  }
  async function open(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser?.browser.newContext(options)
    if (context === undefined) throw new Error('the browser did not start')
    const page = await context.newPage()
    consoleMessages = watchConsole(page)
    const path = /\/api\/v1\/alert-mails\/[\w-]+/.exec(mails.at(-1)?.text ?? '')?.[0] ?? ''
    await page.goto(`${ask.origin}${path}`)
    return page
  }

  for (const [size, options] of [
    ['a wide screen', {}],
    ['a phone', { viewport: { width: 360, height: 640 }, colorScheme: 'dark' }],
  ] as const)
    it(`confirm by a button, and unsubscribe by another, on ${size}`, async () => {
      const id = await create({ sql: `SELECT '${'x'.repeat(2000)}' AS a,\n  2 AS b` })
      const page = await open(options)
      await page.getByText('<img src=x onerror=alert(1)>⟨U+202E⟩').waitFor()
      await expectUsable(page, 'the page to confirm an alert')
      expect(await stateOf(id), 'after opening').to.equal('unconfirmed')
      const ran = new Promise<void>((resolve) => {
        onRun = resolve
      })
      await page.getByRole('button', { name: 'Confirm alert' }).click()
      await page.getByRole('heading', { name: 'Alert confirmed' }).waitFor()
      await expectUsable(page, 'a confirmed alert')
      expect(await stateOf(id)).to.equal('active')
      await ran
      await ask.alertMails.settled()
      const leaving = await open(options)
      await expectUsable(leaving, 'the page to unsubscribe')
      expect(await stateOf(id), 'after opening').to.equal('active')
      await leaving.getByRole('button', { name: 'Unsubscribe' }).click()
      await leaving.getByRole('heading', { name: 'Unsubscribed' }).waitFor()
      expect(await stateOf(id)).to.equal('unsubscribed')
      expect(consoleMessages).to.deep.equal([])
    })

  it('refuse all alerts, and say when a link is not valid', async () => {
    const id = await create()
    const page = await open()
    await page.getByRole('button', { name: 'Refuse all alerts to this address' }).click()
    await page.getByRole('heading', { name: 'Alerts refused' }).waitFor()
    await expectUsable(page, 'refused alerts')
    expect(await stateOf(id)).to.equal('unsubscribed')
    const again = await open()
    await again.getByRole('heading', { name: 'This link is not valid' }).waitFor()
    await expectUsable(again, 'a link that is not valid')
  })
})
