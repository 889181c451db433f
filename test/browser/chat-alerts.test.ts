import { expect } from 'chai'
import { answer, calls, textChunks } from '../support/chat-worlds.ts'
import type { ChatReply } from '../support/fake-chat.ts'
import { answers, askAndWait, phone } from './chat-actions.ts'
import { useChatSession } from './chat-session.ts'
import { expectUsable, horizontalOverflow } from './page-checks.ts'

const hostile = 'Block 200 million <img src=x onerror=alert(1)>\u202E'
const proposed = {
  name: hostile,
  sql: 'SELECT max(height) FROM raw.blocks',
  condition: { kind: 'compare', operator: '>', number: '200000000' },
  interval_seconds: 300,
}
const created = { output: { structuredContent: { alert: {}, secret: 'whsec_k0XvB1' } }, error: null }

describe('alerts proposed by the chat', () => {
  const session = useChatSession()
  const propose = (action: string, input: object): ChatReply => ({
    chunks: answer([
      ...calls(action, input, { status: 'unconfirmed', action, ...input }),
      ...textChunks('Please confirm.'),
    ]),
  })

  for (const [size, options] of [
    ['a wide screen', { colorScheme: 'dark' }],
    ['a phone', phone],
  ] as const) {
    it(`are created only by the user, and stay created after a reload, on ${size}`, async () => {
      const sent: { readonly tool: string; readonly input: Record<string, unknown> }[] = []
      const page = await session.open(
        {
          reply: () => propose('create_alert', proposed),
          others: {
            'POST /api/chat/confirm': (body) => {
              sent.push(JSON.parse(body) as (typeof sent)[number])
              return {
                status: 200,
                body: sent.length === 1 ? { output: null, error: 'The URL is not on the public internet.' } : created,
              }
            },
          },
        },
        options,
      )
      await askAndWait(page, 'Tell me when the newest block is above 200 million')
      const form = page.getByRole('form', { name: 'New alert' })
      await form.getByText('When the first value is > 200000000, checked every 5 min').waitFor()
      await form.getByText('<img src=x onerror=alert(1)>⟨U+202E⟩').waitFor()
      await expectUsable(page, 'a proposed alert')
      await form.getByRole('button', { name: 'Create alert' }).click()
      expect(sent, 'without a URL').to.deep.equal([])
      await form.getByLabel('Webhook URL').fill('https://127.0.0.1/hook')
      await form.getByRole('button', { name: 'Create alert' }).click()
      await form.getByText('The URL is not on the public internet.').waitFor()
      await form.getByLabel('Webhook URL').fill('https://example.com/hook')
      await form.getByRole('button', { name: 'Create alert' }).click()
      await form.getByText('whsec_k0XvB1').waitFor()
      expect(sent.at(-1)).to.deep.equal({
        tool: 'create_alert',
        input: { ...proposed, url: 'https://example.com/hook', email: null },
      })
      expect(await horizontalOverflow(page)).to.equal(0)
      await expectUsable(page, 'a created alert')
      await page.reload()
      await answers(page).first().waitFor()
      await form.getByText('Alert created.').waitFor()
      expect(await form.getByRole('button', { name: 'Create alert' }).count()).to.equal(0)
      expect(await page.getByText('whsec_k0XvB1').count()).to.equal(0)
      expect(session.consoleMessages).to.deep.equal([])
    })
  }

  it('are e-mailed to an address that the model proposed or the user entered', async () => {
    const sent: { readonly input: Record<string, unknown> }[] = []
    const page = await session.open(
      {
        reply: () => propose('create_alert', { ...proposed, url: null, email: 'ann@example.com' }),
        others: {
          'POST /api/chat/confirm': (body) => {
            sent.push(JSON.parse(body) as (typeof sent)[number])
            return { status: 200, body: { output: { structuredContent: { alert: {}, secret: null } }, error: null } }
          },
        },
      },
      phone,
    )
    await askAndWait(page, 'E-mail me when the newest block is above 200 million')
    const form = page.getByRole('form', { name: 'New alert' })
    expect(await form.getByLabel('E-mail address').inputValue()).to.equal('ann@example.com')
    await expectUsable(page, 'a proposed e-mail alert')
    await form.getByLabel('Send to').selectOption('A webhook')
    await form.getByLabel('Webhook URL').waitFor()
    await form.getByLabel('Send to').selectOption('An e-mail address')
    await form.getByLabel('E-mail address').fill('bob@example.com')
    await form.getByRole('button', { name: 'Create alert' }).click()
    await form.getByText('the alert starts when it is confirmed').waitFor()
    await expectUsable(page, 'an e-mail alert')
    expect(sent.at(-1)?.input).to.deep.equal({ ...proposed, url: null, email: 'bob@example.com' })
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('are deleted only by the user', async () => {
    const sent: unknown[] = []
    const page = await session.open({
      reply: () => propose('delete_alert', { id: '5f2c9e0a17b3d684', name: 'Block 5' }),
      others: {
        'POST /api/chat/confirm': (body) => {
          sent.push(JSON.parse(body))
          return { status: 200, body: { output: { structuredContent: { status: 'deleted' } }, error: null } }
        },
      },
    })
    await askAndWait(page, 'Delete the alert Block 5')
    const form = page.getByRole('form', { name: 'Delete alert' })
    await expectUsable(page, 'a proposed deletion')
    expect(sent).to.deep.equal([])
    await form.getByRole('button', { name: 'Delete alert' }).click()
    await form.getByText('Alert deleted.').waitFor()
    expect(sent).to.deep.equal([{ tool: 'delete_alert', input: { id: '5f2c9e0a17b3d684' } }])
  })
})
