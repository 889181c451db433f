import { expect } from 'chai'
import { askWorld } from '../support/ask-worlds.ts'
import { useAskSession } from './ask-session.ts'
import { expectUsable } from './page-checks.ts'

const question = 'the newest indexed block is above 200 million'
const proposal = {
  name: 'The newest indexed block is above 200 million',
  target: 'indexer',
  question,
  sql: 'SELECT max(height) FROM raw.blocks',
  condition: { kind: 'compare', operator: '>', number: '200000000' },
  interval_seconds: 120,
  error: null,
  parameters: [],
}
const hostile = {
  ...proposal,
  id: 'h',
  name: '<img src=x onerror=alert(1)>\u202E',
  sql: `SELECT '${'x'.repeat(2000)}'`,
}

describe('alerts on the query page', () => {
  const session = useAskSession()
  const replies = { propose: { body: proposal } }
  const created = (): unknown => session.service.calls.findLast(({ call }) => call === 'POST /api/v1/alerts')?.body

  it('are proposed from a question, reviewed, created, paused and deleted', async () => {
    const page = await session.open({ replies })
    await page.getByRole('tab', { name: 'Alerts' }).click()
    await page.getByText('No alerts yet').waitFor()
    await expectUsable(page, 'no alerts')
    await page.getByLabel('Tell me when…').fill(question)
    await page.getByRole('button', { name: 'Review alert' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create alert' })
    expect(await dialog.getByLabel('Number').inputValue()).to.equal('200000000')
    expect(await dialog.getByLabel('Check').inputValue()).to.equal('120')
    await dialog.getByLabel('Number').fill('210000000')
    await dialog.getByLabel('Webhook URL').fill('https://example.com/hook')
    await expectUsable(page, 'reviewing an alert')
    await dialog.getByRole('button', { name: 'Create alert' }).click()
    await page.getByText('whsec_c2VjcmV0').waitFor()
    await expectUsable(page, 'the secret of an alert')
    expect(created()).to.deep.equal({
      name: proposal.name,
      target: 'indexer',
      question,
      sql: proposal.sql,
      parameters: [],
      condition: { kind: 'compare', operator: '>', number: '210000000' },
      interval_seconds: 120,
      repeat_hours: null,
      url: 'https://example.com/hook',
      email: null,
    })
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: /^The newest indexed block/ }).click()
    await page.getByText('The statement timed out.').waitFor()
    await expectUsable(page, 'an alert')
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused by a user.').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Paused by a user.').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: /^Delete alert/ }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('No alerts yet').waitFor()
    expect(session.consoleMessages).to.deep.equal([])
  })

  for (const [size, options] of [
    ['a wide screen', {}],
    ['a phone', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }],
  ] as const)
    it(`are e-mailed after the recipient confirmed, on ${size}`, async () => {
      const page = await session.open({ replies }, options)
      if (size === 'a phone') await page.getByRole('button', { name: 'Tables and queries' }).click()
      await page.getByRole('tab', { name: 'Alerts' }).click()
      await page.getByLabel('Tell me when…').fill(question)
      await page.getByRole('button', { name: 'Review alert' }).click()
      const dialog = page.getByRole('dialog', { name: 'Create alert' })
      await dialog.getByLabel('Send to').selectOption('An e-mail address')
      expect(await dialog.getByLabel('Webhook URL').count()).to.equal(0)
      await dialog.getByLabel('E-mail address').fill('not an address')
      await dialog.getByRole('button', { name: 'Create alert' }).click()
      expect(created()).to.equal(undefined)
      await dialog.getByLabel('E-mail address').fill('ann@example.com')
      await expectUsable(page, 'an e-mail alert')
      await dialog.getByRole('button', { name: 'Create alert' }).click()
      await page.getByText('Open the link in the e-mail to ann@example.com').waitFor()
      await expectUsable(page, 'how to confirm an e-mail alert')
      expect(created()).to.include({ url: null, email: 'ann@example.com' })
      await page.getByRole('button', { name: 'Close' }).last().click()
      await page.getByRole('button', { name: /^The newest indexed block.*unconfirmed/s }).click()
      await page.getByRole('button', { name: 'Send the e-mail again' }).waitFor()
      await expectUsable(page, 'an unconfirmed alert')
      await page.getByRole('button', { name: 'Send the e-mail again' }).click()
      expect(session.consoleMessages).to.deep.equal([])
    })

  it('have no choice of e-mail without a mail server, and show why one is paused', async () => {
    const paused = { ...proposal, id: 'm', url: null, email: 'ann@example.com', state: 'paused', repeat_hours: null }
    const page = await session.open({
      replies,
      health: { ...askWorld().health, sends_email: false },
      alerts: [
        { ...paused, name: 'Refused', paused_reason: 'mail', last_error: 'The mail server refused the address.' },
        { ...paused, id: 'u', name: 'Left', paused_reason: 'unsubscribed', last_error: null },
      ],
    })
    await page.getByRole('tab', { name: 'Alerts' }).click()
    await page.getByRole('button', { name: /^Refused/ }).click()
    await page.getByText('The mail server refused the address.').waitFor()
    await page.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: /^Left/ }).click()
    await page.getByText('the recipient unsubscribed').waitFor()
    expect(await page.getByRole('button', { name: 'Resume' }).isDisabled()).to.equal(true)
    await expectUsable(page, 'an unsubscribed alert')
    await page.getByRole('button', { name: 'Close' }).last().click()
    await page.getByLabel('Tell me when…').fill(question)
    await page.getByRole('button', { name: 'Review alert' }).click()
    await page.getByLabel('Webhook URL').waitFor()
    expect(await page.getByLabel('Send to').count()).to.equal(0)
  })

  it('are created from SQL on phones, in dark colours, with hostile texts as text', async () => {
    const page = await session.open(
      {
        replies,
        alerts: [{ ...hostile, state: 'paused', paused_reason: 'failures', url: 'https://x.example', last_error: 'x' }],
      },
      { viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
    )
    await page.getByRole('textbox', { name: 'SQL' }).fill('SELECT {{n}}::int')
    await page.getByRole('group', { name: 'Parameters' }).getByLabel('n', { exact: true }).fill('7')
    await page.getByRole('button', { name: 'Create alert' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create alert' })
    await dialog.getByLabel('Tell me when').selectOption('The first value changes')
    await dialog.getByLabel('Name').fill('One')
    expect(await dialog.getByLabel('n', { exact: true }).inputValue()).to.equal('7')
    await dialog.getByLabel('n', { exact: true }).fill('8')
    await dialog.getByLabel('Webhook URL').fill('https://example.com/hook')
    await expectUsable(page, 'an alert on a phone')
    await dialog.getByRole('button', { name: 'Create alert' }).click()
    await page.getByText('whsec_c2VjcmV0').waitFor()
    expect(created()).to.deep.include({
      sql: 'SELECT {{n}}::int',
      parameters: [{ name: 'n', type: 'text', value: '8' }],
      condition: { kind: 'changed' },
    })
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Tables and queries' }).click()
    await page.getByRole('tab', { name: 'Alerts' }).click()
    await page.getByRole('button', { name: /^<img src=x/ }).click()
    await page.getByText('failed five times').waitFor()
    await expectUsable(page, 'hostile texts of an alert')
    expect(session.consoleMessages).to.deep.equal([])
  })
})
