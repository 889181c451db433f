import { expect } from 'chai'
import { answer, calls, dayRows, daysSql, goodAnswer, replyWith, settings, textChunks } from '../support/chat-worlds.ts'
import { answers, ask, askAndWait, begin, phone, questionBox, threads } from './chat-actions.ts'
import { useChatSession } from './chat-session.ts'
import { expectUsable, horizontalOverflow } from './page-checks.ts'

const textOf = (parts: readonly { readonly text?: string }[]): string => parts.map(({ text = '' }) => text).join('')

describe('working with answers of the chat', () => {
  const session = useChatSession()

  for (const [size, options] of [
    ['a wide screen', {}],
    ['a phone', phone],
  ] as const)
    it(`edits an earlier question and keeps the previous version, on ${size}`, async () => {
      const page = await session.open(
        { reply: ({ messages }) => replyWith(...textChunks(`Answer to: ${textOf(messages.at(-1)?.parts ?? [])}`)) },
        options,
      )
      await askAndWait(page, 'First?')
      await askAndWait(page, 'Second?')
      await page.getByRole('button', { name: 'Edit the question' }).first().click()
      const field = page.getByRole('textbox', { name: 'Edited question' })
      await field.fill('Edited?')
      await expectUsable(page, 'editing a question')
      await field.press('Enter')
      await page.getByText('Answer to: Edited?').waitFor()
      const versions = page.getByRole('group', { name: 'Versions of this question' })
      await versions.getByText('2/2').waitFor()
      expect(await answers(page).count()).to.equal(1)
      expect(session.service.calls.at(-1)?.messages.map(({ parts }) => textOf(parts))).to.deep.equal(['Edited?'])
      await expectUsable(page, 'an edited question')
      await page.getByRole('button', { name: 'Previous version' }).click()
      await page.getByText('Answer to: Second?').waitFor()
      await versions.getByText('1/2').waitFor()
      await page.reload()
      await page.getByText('Answer to: Second?').waitFor()
      await page.getByRole('button', { name: 'Next version' }).click()
      await page.getByText('Answer to: Edited?').waitFor()
      expect(await page.getByRole('button', { name: 'Next version' }).isDisabled()).to.equal(true)
      expect(session.consoleMessages).to.deep.equal([])
    })

  it('cancels an edit with Escape', async () => {
    const page = await session.open()
    await askAndWait(page, 'First?')
    await page.getByRole('button', { name: 'Edit the question' }).click()
    await page.keyboard.press('Escape')
    await page.getByText('First?').first().waitFor()
    expect(session.service.calls).to.have.length(1)
  })

  it('searches titles and texts of chats', async () => {
    const page = await session.open({
      reply: (_, count) =>
        replyWith(...textChunks(count === 1 ? 'It is about <b>staking</b> rewards.' : 'About tokens.')),
    })
    await askAndWait(page, 'The first question?')
    await begin(page)
    await askAndWait(page, 'The second question?')
    const search = page.getByRole('searchbox', { name: 'Search chats' })
    await search.fill('rewards STAKING')
    await page.getByText('1 chat found').waitFor()
    expect(await threads(page).getByRole('link').innerText()).to.include('The first question?')
    expect(await threads(page).locator('mark').innerText()).to.equal('rewards')
    await expectUsable(page, 'a search')
    await search.fill('second')
    await threads(page).getByRole('link', { name: 'The second question?' }).waitFor()
    await search.fill('nothing of that kind')
    await page.getByText('No chat contains all of these words.').waitFor()
    await search.fill('')
    expect(await threads(page).getByRole('link').count()).to.equal(2)
    await page.setViewportSize(phone.viewport)
    await page.getByRole('button', { name: 'Chats' }).click()
    await page.getByRole('dialog').getByRole('searchbox', { name: 'Search chats' }).fill('staking')
    await page.getByText('1 chat found').waitFor()
    await expectUsable(page, 'a search on a phone')
    await page
      .getByRole('dialog')
      .getByRole('link', { name: /The first question/ })
      .click()
    await page.getByText('It is about').waitFor()
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('resumes an answer at the limit of steps as one answer, also after a failure', async () => {
    const page = await session.open({
      reply: (call, count) => {
        if (count === 1) return { chunks: answer(textChunks('The first part.'), { end: 'steps' }) }
        if (count === 2) return { status: 503, body: { code: 'chat-busy', detail: 'The chat is busy.' } }
        return replyWith(...textChunks(call.continue === true ? 'The second part.' : 'Wrong.'))
      },
    })
    await askAndWait(page)
    await page.getByText('The model reached its limit of tool calls').waitFor()
    await expectUsable(page, 'an answer at its limit')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The chat is busy.').waitFor()
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('The second part.').waitFor()
    await page.getByText('The first part.').waitFor()
    await page.getByText('3,412 tokens').waitFor()
    expect(await answers(page).count()).to.equal(1)
    expect(await page.getByRole('button', { name: 'Continue' }).count()).to.equal(0)
    expect(session.service.calls.at(-1)?.messages.map(({ role }) => role)).to.deep.equal(['user', 'assistant'])
  })

  it('shows how full the context is, and what happens when it is full', async () => {
    const page = await session.open({ settings: { ...settings, max_history_characters: 20_000 } }, phone)
    expect(await page.getByRole('button', { name: /^Context/ }).count()).to.equal(0)
    await askAndWait(page)
    const meter = page.getByRole('button', { name: /^Context \d+% full$/ })
    await meter.click()
    await page.getByText(/About [\d,]+ of 5,000 tokens of conversation are used/).waitFor()
    await expectUsable(page, 'the context')
    await questionBox(page).fill('x'.repeat(19_000))
    await questionBox(page).press('Enter')
    await page.getByText('Context 100% full').waitFor()
    await page.getByText('The conversation is full').waitFor()
    await expectUsable(page, 'a full context')
  })

  it('runs shown SQL again, and opens it in Ask with its database', async () => {
    const ran: unknown[] = []
    const page = await session.open({
      reply: () =>
        replyWith(
          ...calls('run_indexer_sql', { sql: daysSql }, dayRows),
          ...calls(
            'run_evm_sql',
            { sql: 'SELECT 1 AS one' },
            { columns: ['one'], results: [{ one: 1 }], row_count: 1 },
          ),
          ...textChunks('Done:\n\n```sql\nSELECT 1 AS one\n```\n\n```cadence\nlet a = 1\n```\n'),
        ),
      others: {
        'POST /api/chat/sql': (body) => {
          ran.push(JSON.parse(body))
          return ran.length === 1
            ? { status: 200, body: { output: { structuredContent: dayRows }, error: null } }
            : ran.length === 2
              ? { status: 200, body: { output: null, error: 'canceling statement due to <b>timeout</b>' } }
              : { status: 429, body: { code: 'rate-limited', detail: 'Too many questions.' } }
        },
      },
    })
    await askAndWait(page)
    await page
      .getByRole('button', { name: /^Ran SQL 14 rows/ })
      .or(page.getByRole('button', { name: /^Ran SQL/ }))
      .first()
      .click()
    const call = page.locator('.call').first()
    await call.getByRole('button', { name: 'Run again' }).click()
    await call.getByRole('group', { name: 'New result' }).getByText('14 rows').waitFor()
    await expectUsable(page, 'a statement that ran again')
    const prose = page.locator('.prose .sql-actions')
    expect(await prose.count()).to.equal(1)
    await prose.getByRole('button', { name: 'Run again' }).click()
    await prose.getByText('canceling statement due to <b>timeout</b>').waitFor()
    await prose.getByRole('button', { name: 'Run again' }).click()
    await prose.getByText('Too many questions.').waitFor()
    expect(ran).to.deep.equal([
      { sql: daysSql, target: 'indexer' },
      { sql: 'SELECT 1 AS one', target: 'evm' },
      { sql: 'SELECT 1 AS one', target: 'evm' },
    ])
    expect(await prose.getByRole('link', { name: 'Open in Ask' }).getAttribute('href')).to.equal(
      'https://ask.example/#target=evm&sql=SELECT+1+AS+one',
    )
    await expectUsable(page, 'a statement that failed')
  })

  it('shows wide tables as cards on a phone, and narrow ones as tables', async () => {
    const columns = ['transaction_id', 'payer', 'fees', 'gas_used', 'status']
    const row = ['ab'.repeat(32), '0x1654653399040a61', '0.00123', '1200', 'sealed']
    const rows = { columns, results: [row, row], row_count: 2 }
    const wide = `| ${columns.join(' | ')} |\n| ${columns.map(() => '---').join(' | ')} |\n| ${row.join(' | ')} |`
    const page = await session.open(
      {
        reply: () =>
          replyWith(
            ...calls('run_indexer_sql', { sql: daysSql }, rows),
            ...textChunks(`${wide}\n\n| Day | Count |\n| --- | --- |\n| 2026-11-21 | 12 |\n`),
          ),
      },
      phone,
    )
    await askAndWait(page)
    await page.getByRole('button', { name: /^Ran SQL/ }).click()
    for (const name of ['Result rows', 'Table']) {
      const region = page.getByRole('region', { name }).first()
      const overflow = await region.evaluate(
        (element: { scrollWidth: number; clientWidth: number }) => element.scrollWidth - element.clientWidth,
      )
      expect(overflow, name).to.equal(0)
      await region.getByRole('cell', { name: '0.00123' }).first().waitFor()
    }
    expect(await page.getByRole('columnheader').allInnerTexts()).to.deep.equal(['Day', 'Count'])
    expect(await horizontalOverflow(page)).to.equal(0)
    await expectUsable(page, 'tables on a phone')
    await page.setViewportSize({ width: 1280, height: 900 })
    expect(await page.getByRole('columnheader', { name: 'payer' }).count()).to.equal(2)
  })

  it('shows one answer while it is resumed', async () => {
    const page = await session.open({
      reply: (_, count) =>
        count === 1 ? { chunks: answer(textChunks('Part.'), { end: 'length' }) } : { chunks: goodAnswer },
    })
    await askAndWait(page)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('slider', { name: 'Transactions by day' }).waitFor()
    await ask(page, 'And then?')
    await answers(page).nth(1).locator('footer').waitFor()
    expect(session.service.calls.at(-1)?.messages.map(({ role }) => role)).to.deep.equal(['user', 'assistant', 'user'])
  })
})
