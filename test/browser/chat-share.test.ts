import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { readSharedChat } from '../../src/assistant/chat/records/shared-chat.ts'
import { hostileAnswer } from '../support/chat-texts.ts'
import { charts, dayRows, daysSql, goodAnswer } from '../support/chat-worlds.ts'
import type { ChatWorld } from '../support/fake-chat.ts'
import { answers, ask, askAndWait, phone, questionBox, threads } from './chat-actions.ts'
import { useChatSession } from './chat-session.ts'
import { expectUsable, horizontalOverflow } from './page-checks.ts'

const token = 'gk2mI5nqRyqX0sFvZJ0r1A'
const revokeKey = 'V3h1kq0PZbW7xv2m8Yc4Tw'
const dates = { created_at: '2026-11-20T09:14:03.512Z', expires_at: '2126-12-20T09:14:03.512Z' }

const call = (toolName: string, input: object, output: object): object => ({
  type: 'dynamic-tool',
  toolName,
  toolCallId: toolName,
  state: 'output-available',
  input,
  output,
})

const snapshot = readSharedChat({
  title: 'Transactions by day',
  messages: [
    { role: 'user', parts: [{ type: 'text', text: 'How many transactions were there?' }] },
    {
      role: 'assistant',
      parts: [
        call('run_indexer_sql', { sql: daysSql }, { content: [], structuredContent: dayRows }),
        call('createChart', charts.bar, charts.bar),
        call('fetch_api', { url: 'https://a.example/?key=secret' }, { body: 'secret' }),
        { type: 'text', text: `About **140,000** a day.\n\n\`\`\`sql\n${daysSql}\n\`\`\`` },
      ],
    },
  ],
})

const shared = (body: object): Partial<ChatWorld> => ({
  others: { [`GET /api/chat/shares/${token}`]: () => ({ status: 200, body: { ...body, ...dates } }) },
})
const openShare = (page: Page, origin: string): Promise<unknown> => page.goto(`${origin}/share/${token}`)

describe('shared chats', () => {
  const session = useChatSession()

  for (const [size, options] of [
    ['a wide screen', {}],
    ['a phone', phone],
  ] as const) {
    it(`are created and revoked from the menu, on ${size}`, async () => {
      const sent: { title: string; messages: { parts: { type: string }[] }[] }[] = []
      const revoked: unknown[] = []
      const page = await session.open(
        {
          others: {
            'POST /api/chat/shares': (body) => {
              sent.push(JSON.parse(body) as (typeof sent)[number])
              return sent.length === 1
                ? { status: 413, body: { code: 'share-too-large', detail: 'The chat is too large to share.' } }
                : { status: 200, body: { token, revoke_key: revokeKey, expires_at: dates.expires_at } }
            },
            [`POST /api/chat/shares/${token}/revoke`]: (body) => {
              revoked.push(JSON.parse(body))
              return { status: 200, body: { status: 'revoked' } }
            },
          },
        },
        options,
      )
      await askAndWait(page)
      const open = async (): Promise<void> => {
        if (size === 'a phone') {
          await page.getByRole('button', { name: 'More actions' }).click()
          await page.getByRole('button', { name: 'Share' }).click()
        } else await page.getByRole('button', { name: 'Share this chat' }).click()
      }
      await open()
      const dialog = page.getByRole('dialog', { name: 'Share this chat' })
      await expectUsable(page, 'sharing a chat')
      await dialog.getByRole('button', { name: 'Create link' }).click()
      await dialog.getByText('The chat is too large to share.').waitFor()
      await dialog.getByRole('button', { name: 'Create link' }).click()
      const link = dialog.getByRole('textbox', { name: 'Link' })
      await link.waitFor()
      expect(await link.inputValue()).to.equal(`${session.service.url}/share/${token}`)
      await expectUsable(page, 'a shared chat')
      const [, first] = sent
      if (first === undefined) throw new Error('No chat was sent.')
      expect(JSON.stringify(readSharedChat(first)))
        .to.include('Transactions by day')
        .and.include('daily_stats')
      await page.reload()
      await answers(page).first().waitFor()
      await open()
      await dialog.getByRole('button', { name: 'Revoke link' }).click()
      await dialog.getByRole('button', { name: 'Create link' }).waitFor()
      expect(revoked).to.deep.equal([{ revoke_key: revokeKey }])
      expect(session.consoleMessages.filter((text) => !text.includes('413'))).to.deep.equal([])
    })

    it(`are shown without tools, and continue in a chat of the reader, on ${size}`, async () => {
      const page = await session.open({ ...shared(snapshot), reply: () => ({ chunks: goodAnswer }) }, options)
      await openShare(page, session.service.url)
      await page.getByRole('heading', { level: 1, name: 'Transactions by day' }).waitFor()
      await page.getByRole('slider', { name: 'Transactions by day' }).waitFor()
      expect(await page.getByRole('button', { name: 'Run again' }).count()).to.equal(0)
      await page.getByRole('button', { name: /^Ran SQL/ }).click()
      await page.getByRole('region', { name: 'Result rows' }).waitFor()
      expect(await page.getByRole('button', { name: 'Run again' }).count()).to.equal(0)
      expect(await page.getByText('secret').count()).to.equal(0)
      expect(await horizontalOverflow(page)).to.equal(0)
      await expectUsable(page, 'a shared chat')
      await page.getByRole('button', { name: 'Continue in my own chat' }).click()
      await questionBox(page).waitFor()
      await page.getByRole('heading', { level: 1, name: 'Transactions by day' }).waitFor()
      await ask(page, 'And then?')
      await answers(page).nth(1).locator('footer').waitFor()
      expect(session.service.calls.at(-1)?.messages.map(({ role }) => role)).to.deep.equal([
        'user',
        'assistant',
        'user',
      ])
      await page.reload()
      await answers(page).nth(1).waitFor()
      expect(session.consoleMessages).to.deep.equal([])
    })
  }

  it('render untrusted text without resources, links and handlers', async () => {
    const hostile = readSharedChat({
      title: '<img src=x onerror=alert(1)>\u202E',
      messages: [
        { role: 'user', parts: [{ type: 'text', text: '<script>alert(1)</script>' }] },
        {
          role: 'assistant',
          parts: [
            { type: 'text', text: hostileAnswer },
            { type: 'source-url', sourceId: 's', url: 'javascript:alert(1)', title: 'Source' },
            call('constructor', {}, {}),
            call(
              'createChart',
              {},
              {
                chartType: 'bar',
                title: '<svg onload=alert(1)>',
                labels: ['<b>'],
                datasets: [{ label: '<i>', data: [1] }],
              },
            ),
          ],
        },
      ],
    })
    const page = await session.open(shared(hostile))
    await openShare(page, session.service.url)
    await page.getByText('<script>alert(1)</script>', { exact: true }).waitFor()
    await page.getByRole('heading', { level: 1, name: '<img src=x onerror=alert(1)>⟨U+202E⟩' }).waitFor()
    await page.getByText('https://evil.example/pixel.png?q=secret').waitFor()
    expect(
      await page.locator('.turns').locator('img, iframe, script, style, object, embed, form, input, svg image').count(),
    ).to.equal(0)
    const handlers = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.turns *')].flatMap((element) => element.getAttributeNames().filter((name) => name.startsWith('on') || name.startsWith('src')))",
    )
    expect(handlers).to.deep.equal([])
    const links = await page
      .locator('.turns')
      .getByRole('link')
      .evaluateAll((found: readonly { readonly href?: string }[]) => found.map(({ href }) => href))
    expect(
      links.filter((href) => !/^https:\/\/developers\.flow\.com\/|^http:\/\/explorer\.example:8082\//.test(href ?? '')),
    ).to.deep.equal([])
    expect(
      session.requests.filter((url) => !url.startsWith(`${session.service.url}/`) && !url.startsWith('data:')),
    ).to.deep.equal([])
    await expectUsable(page, 'a hostile shared chat')
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('say that a link was revoked, and offer a new chat', async () => {
    const page = await session.open({
      others: {
        [`GET /api/chat/shares/${token}`]: () => ({
          status: 404,
          body: { code: 'unknown-share', detail: 'This link does not exist, has expired, or was revoked.' },
        }),
      },
    })
    await openShare(page, session.service.url)
    await page.getByText('This chat is not shared').waitFor()
    expect(await page.getByRole('button', { name: 'Continue in my own chat' }).count()).to.equal(0)
    await expectUsable(page, 'a revoked link')
    await page.getByRole('link', { name: 'New chat' }).click()
    await questionBox(page).waitFor()
  })

  it('are revoked when the chat is deleted', async () => {
    let isDown = true
    const page = await session.open({
      others: {
        'POST /api/chat/shares': () => ({
          status: 200,
          body: { token, revoke_key: revokeKey, expires_at: dates.expires_at },
        }),
        [`POST /api/chat/shares/${token}/revoke`]: () =>
          isDown
            ? { status: 503, body: { code: 'database-unavailable', detail: 'The database is unavailable.' } }
            : { status: 404, body: { code: 'unknown-share', detail: 'Unknown.' } },
      },
    })
    await askAndWait(page)
    await page.getByRole('button', { name: 'Share this chat' }).click()
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByRole('textbox', { name: 'Link' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Delete this chat' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete this chat?' })
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByText('Could not delete the shared link or ratings: The database is unavailable.').waitFor()
    expect(await threads(page).getByRole('link').count()).to.equal(1)
    isDown = false
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Your chats appear here.').waitFor()
  })
})
