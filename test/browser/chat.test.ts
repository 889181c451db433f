import { expect } from 'chai'
import {
  answer,
  calls,
  charts,
  daysSql,
  dayRows,
  endless,
  goodAnswer,
  replyWith,
  textChunks,
  settings,
  reasoningChunks,
  uses,
} from '../support/chat-worlds.ts'
import { longAnswer } from '../support/chat-texts.ts'
import { answers, ask, askAndWait, questionBox, phone, question, eventually, threads } from './chat-actions.ts'
import { useChatSession } from './chat-session.ts'
import { expectUsable, tabTo } from './page-checks.ts'

/** Element properties that the tests read. */
interface Scrolled {
  readonly scrollTop: number
  readonly scrollHeight: number
  readonly clientHeight: number
}
const hrefsOf = (links: readonly { readonly href?: string }[]): (string | undefined)[] => links.map(({ href }) => href)

describe('the chat page', () => {
  const session = useChatSession()

  it('streams an answer with SQL, rows, a chart and a table', async () => {
    const page = await session.open()
    await expectUsable(page, 'a page on which nothing was asked')
    await page.getByRole('button', { name: question }).click()
    await answers(page).locator('footer').waitFor()
    await page
      .getByRole('button', { name: 'Ran SQL · 14 rows · 0.2 s'.replaceAll(' · ', ' ') })
      .or(page.getByRole('button', { name: /^Ran SQL/ }))
      .first()
      .click()
    const rows = page.getByRole('region', { name: 'Result rows' })
    expect(await rows.locator('tbody tr').count()).to.equal(10)
    await page.getByRole('button', { name: 'Show all 14' }).click()
    expect((await rows.locator('tbody td:nth-child(2)').allInnerTexts()).at(-1)).to.equal('161349')
    expect(await page.locator('.call .code-block code').innerText()).to.equal(daysSql)
    await page.getByRole('slider', { name: 'Transactions by day' }).waitFor()
    expect(await page.getByRole('region', { name: 'Table' }).locator('tbody tr').count()).to.equal(7)
    expect(await page.locator('.prose .code-block code').innerText()).to.equal(daysSql)
    await page.getByText('claude-sonnet-4-6 · balanced · 3,412 tokens · 4.2 s').waitFor()
    expect(
      session.service.calls.map(({ mode, trigger, messages }) => ({
        mode,
        trigger,
        said: messages.map(({ role, parts }) => `${role}: ${parts[0]?.text}`),
      })),
    ).to.deep.equal([{ mode: 'balanced', trigger: 'submit-message', said: [`user: ${question}`] }])
    await expectUsable(page, 'an answer')
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('links addresses, IDs and heights to the explorer, and links the documentation', async () => {
    const page = await session.open()
    await askAndWait(page)
    const hrefs = await answers(page).getByRole('link').evaluateAll(hrefsOf)
    expect(hrefs).to.deep.equal([
      'http://explorer.example:8082/block/98765432',
      'http://explorer.example:8082/account/0x1654653399040a61',
      `https://ask.example/#${new URLSearchParams({ sql: daysSql }).toString()}`,
      'https://developers.flow.com/build',
    ])
  })

  it('renders all of Markdown, also on a phone', async () => {
    const page = await session.open({ reply: () => ({ chunks: answer(textChunks(longAnswer, 60)) }) }, phone)
    await askAndWait(page)
    await expectUsable(page, 'a long answer')
    expect(await page.locator('.prose .code-block figcaption').allInnerTexts()).to.deep.equal([
      'SQL',
      'Cadence',
      'json',
    ])
    expect(await page.locator('.t-comment').allInnerTexts()).to.include('// the counter of the current epoch')
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('shows failed and missing tools, and the reasoning', async () => {
    const page = await session.open({
      reply: () =>
        replyWith(
          { type: 'data-notice', data: { code: 'tools-missing', text: 'The EVM tools do not answer.' } },
          { type: 'data-notice', data: { code: 'x', text: 'Without the web.' }, transient: true },
          ...reasoningChunks('I look at **blocks**.'),
          ...calls('run_indexer_sql', { sql: 'SELECT hieght' }, { error: 'column "hieght" does not exist' }, true),
          ...uses('fetch_api', { url: 'https://api.coingecko.com/x' }, { status: 200 }),
          ...textChunks('So it is.'),
        ),
    })
    await askAndWait(page)
    expect(await page.locator('.answer-notice').allInnerTexts()).to.deep.equal([
      'The EVM tools do not answer.',
      'Without the web.',
    ])
    await page.getByText('column "hieght" does not exist').waitFor()
    await page.getByRole('button', { name: 'Reasoning' }).click()
    expect(await page.locator('.thinking strong').innerText()).to.equal('blocks')
    await page.getByRole('button', { name: /^Fetched api\.coingecko\.com/ }).click()
    await page.getByText('"https://api.coingecko.com/x"').waitFor()
    await expectUsable(page, 'tools')
  })

  it('stops by button, keeps the partial answer, and answers again', async () => {
    const page = await session.open({
      reply: (_, count) => ({ chunks: count === 1 ? endless(textChunks('The busiest day')) : goodAnswer }),
    })
    await questionBox(page).fill(question)
    await page.getByRole('button', { name: 'Send' }).dblclick()
    await page.getByText('The busiest day').waitFor()
    await expectUsable(page, 'an answer that is being written')
    await page.getByRole('button', { name: 'Stop' }).click()
    await session.service.left()
    await page.getByText('You stopped this answer.').waitFor()
    await page.getByText('The busiest day').waitFor()
    await page.getByRole('button', { name: 'Regenerate answer' }).click()
    await page.getByText('3,412 tokens').waitFor()
    expect(await answers(page).count()).to.equal(1)
    expect(session.service.calls.map(({ trigger, messages }) => `${trigger} ${messages.length}`)).to.deep.equal([
      'submit-message 1',
      'regenerate-message 1',
    ])
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('stops on Escape, and includes the partial answer in the next request', async () => {
    const page = await session.open({
      reply: (_, count) => ({
        chunks:
          count === 1
            ? endless([
                {
                  type: 'tool-input-available',
                  toolCallId: '1',
                  toolName: 'run_indexer_sql',
                  input: {},
                  dynamic: true,
                },
              ])
            : goodAnswer,
      }),
    })
    await ask(page)
    await page.getByText('Running SQL').waitFor()
    await page.keyboard.press('Escape')
    await session.service.left()
    await page.getByRole('button', { name: /^Ran SQL.*incomplete/ }).waitFor()
    await askAndWait(page, 'And then?')
    expect(session.service.calls[1]?.messages.map(({ role }) => role)).to.deep.equal(['user', 'assistant', 'user'])
  })

  it('is usable by keyboard only', async () => {
    const page = await session.open()
    await page.locator('textarea:focus').waitFor()
    await page.keyboard.type('Two')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('lines')
    expect(await questionBox(page).inputValue()).to.equal('Two\nlines')
    const tall = (await questionBox(page).boundingBox())?.height ?? 0
    await questionBox(page).dispatchEvent('keydown', { key: 'Enter', isComposing: true })
    expect(session.service.calls).to.deep.equal([])
    await page.keyboard.press('Enter')
    await answers(page).locator('footer').waitFor()
    expect(await questionBox(page).inputValue()).to.equal('')
    expect((await questionBox(page).boundingBox())?.height).to.be.lessThan(tall)
    await page.locator('textarea:focus').waitFor()
    await page.keyboard.press('Shift+Tab')
    await tabTo(page, page.getByRole('button', { name: 'New chat' }))
    await page.keyboard.press('Enter')
    await page.locator('textarea:focus').waitFor()
    await tabTo(page, threads(page).getByRole('link', { name: 'Two lines' }))
    await page.keyboard.press('Enter')
    await answers(page).first().waitFor()
    await tabTo(page, page.getByRole('button', { name: /^Ran SQL/ }))
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Result rows' }).waitFor()
  })

  it('announces the start and end of an answer to screen readers, but not every word', async () => {
    const page = await session.open({ reply: (_, count) => ({ chunks: count === 1 ? endless([]) : goodAnswer }) })
    await ask(page)
    await page.getByRole('status').getByText('Generating the answer…').waitFor()
    await page.getByText('more more').first().waitFor()
    const live = await page.locator('[aria-live], [role=status], [role=alert], [role=log]').allInnerTexts()
    expect(live.filter((text) => text.includes('more'))).to.deep.equal([])
    await page.keyboard.press('Escape')
    await page.getByRole('status').getByText('The answer is complete.').waitFor()
  })

  it('sends in the selected mode and stores the mode', async () => {
    const page = await session.open()
    await page.getByLabel('Mode').selectOption('deep')
    await askAndWait(page)
    await page.reload()
    await questionBox(page).waitFor()
    expect(await page.getByLabel('Mode').inputValue()).to.equal('deep')
    expect(session.service.calls[0]?.mode).to.equal('deep')
    session.service.world = {
      ...session.service.world,
      settings: { ...settings, modes: settings.modes.slice(0, 1), default_mode: 'fast' },
    }
    await page.reload()
    await page.getByText('claude-haiku-4-5').waitFor()
    expect(await page.getByLabel('Mode').count()).to.equal(0)
    await askAndWait(page)
    expect(session.service.calls[1]?.mode).to.equal('fast')
  })

  it('sends a question that was entered before the settings were there', async () => {
    const loaded = Promise.withResolvers<void>()
    const page = await session.open(
      {},
      {
        prepare: (opened) =>
          opened.route('**/api/chat/settings', async (route) => {
            await loaded.promise
            await route.continue()
          }),
      },
    )
    await ask(page)
    expect(await questionBox(page).inputValue()).to.equal(question)
    loaded.resolve()
    await answers(page).first().locator('footer').waitFor()
    expect(session.service.calls).to.have.length(1)
  })

  it('shows the maximum length of a question before it is sent', async () => {
    const page = await session.open({ settings: { ...settings, max_message_characters: 100 } })
    await questionBox(page).fill('x'.repeat(95))
    await page.getByText('95 of 100 characters').waitFor()
    await questionBox(page).fill('x'.repeat(101))
    await page.getByText('101 of 100 characters').waitFor()
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).to.equal(true)
    await questionBox(page).press('Enter')
    expect(session.service.calls).to.deep.equal([])
  })

  it('scrolls with the answer unless the user has scrolled up', async () => {
    const page = await session.open({
      reply: () => ({ chunks: endless(textChunks('A line.\n\n'.repeat(60)), 'more\n\n') }),
    })
    await ask(page)
    const place = page.getByRole('region', { name: 'Conversation' })
    const scrolled = (): Promise<{ top: number; fromEnd: number }> =>
      place.evaluate((element: Scrolled) => ({
        top: element.scrollTop,
        fromEnd: element.scrollHeight - element.scrollTop - element.clientHeight,
      }))
    await page.getByText('more').first().waitFor()
    await eventually(async () => (await scrolled()).fromEnd < 60)
    await place.hover()
    await page.mouse.wheel(0, -400)
    const toEnd = page.getByRole('button', { name: 'Scroll to the end' })
    await toEnd.waitFor()
    const { top } = await scrolled()
    await page
      .getByText('more')
      .nth((await page.getByText('more').count()) + 10)
      .waitFor()
    expect((await scrolled()).top).to.equal(top)
    await toEnd.click()
    await toEnd.waitFor({ state: 'detached' })
    await page
      .getByText('more')
      .nth((await page.getByText('more').count()) + 10)
      .waitFor()
    await eventually(async () => (await scrolled()).fromEnd < 60)
    await page.keyboard.press('Escape')
    await session.service.left()
  })

  it('keeps opened details in place', async () => {
    const page = await session.open()
    await askAndWait(page)
    const line = page.getByRole('button', { name: /^Ran SQL/ })
    await page.getByRole('region', { name: 'Conversation' }).evaluate((element: { scrollTop: number }) => {
      element.scrollTop = 1e6
    })
    await page.setViewportSize({ width: 1280, height: 1400 })
    const before = await line.boundingBox()
    await line.click()
    await page.getByRole('region', { name: 'Result rows' }).waitFor()
    expect((await line.boundingBox())?.y).to.equal(before?.y)
    expect(await page.getByRole('link', { name: 'Open in Ask' }).first().getAttribute('href')).to.match(
      /^https:\/\/ask\.example\/#sql=SELECT/,
    )
  })

  it('does not redraw finished text while more arrives', async () => {
    const opening = 'First block.\n\n```sql\nSELECT 1\n```\n\n| a |\n| - |\n| 1 |\n\n'
    const chunks = endless(
      [...calls('run_indexer_sql', { sql: daysSql }, dayRows), ...uses('createChart', charts.bar)],
      'more ',
      opening,
    )
    const page = await session.open({ reply: (_, count) => ({ chunks: count === 1 ? goodAnswer : chunks }) })
    await askAndWait(page)
    await ask(page, 'More')
    await page.getByText('more more').first().waitFor()
    await page.evaluate(`globalThis.changed = new Set()
      new MutationObserver((records) => { for (const { target, removedNodes } of records) { changed.add(target.textContent.slice(0, 4)); for (const node of removedNodes) changed.add('gone: ' + node.textContent) } })
        .observe(document.querySelector('.turns'), { subtree: true, childList: true, characterData: true, attributes: true })`)
    const words = (await answers(page).last().innerText()).split('\n').at(-1) ?? ''
    await page.getByText(`${words.slice(0, 200)} more more more`).waitFor()
    expect(await page.evaluate<string[]>('[...changed]')).to.deep.equal(['more'])
    await page.keyboard.press('Escape')
  })
})
