import type { UIMessageChunk } from 'ai'
import { expect } from 'chai'
import { hostileAnswer } from '../support/chat-texts.ts'
import { answer, calls, charts, held, replyWith, textChunks, uses } from '../support/chat-worlds.ts'
import { answers, ask, askAndWait, phone } from './chat-actions.ts'
import { useChatSession } from './chat-session.ts'
import { expectUsable } from './page-checks.ts'

describe('untrusted text in answers', () => {
  const session = useChatSession()

  it('loads no resources, has no untrusted links, and shows hidden characters', async () => {
    const page = await session.open({ reply: () => ({ chunks: answer(textChunks(hostileAnswer, 7)) }) }, phone)
    await askAndWait(page)
    await page.getByText('https://evil.example/pixel.png?q=secret').waitFor()
    await page.getByText('⟨U+202E⟩').waitFor()
    expect(
      await answers(page)
        .locator('img, iframe, script, style, object, embed, form, input, svg image, video, audio, link, meta, base')
        .count(),
    ).to.equal(0)
    expect(
      await answers(page)
        .getByRole('link')
        .evaluateAll((links: readonly { readonly href?: string }[]) => links.map(({ href }) => href)),
    ).to.deep.equal([
      'https://developers.flow.com/',
      'http://explorer.example:8082/contract/A.1654653399040a61.FlowToken',
    ])
    const handlers = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.answer *')].flatMap((element) => element.getAttributeNames().filter((name) => name.startsWith('on') || name.startsWith('src')))",
    )
    expect(handlers).to.deep.equal([])
    await expectUsable(page, 'a hostile answer')
    await page.reload()
    await page.getByText('⟨U+202E⟩').waitFor()
    expect(
      session.requests.filter((url) => !url.startsWith(`${session.service.url}/`) && !url.startsWith('data:')),
    ).to.deep.equal([])
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('renders no links or images from incomplete Markdown, and loads nothing', async () => {
    const pieces = [
      '![x](',
      '![x](https://evil.example/a',
      '[y](https://evil.example/b',
      '<img src=https://evil.example/c',
      '![z][',
      '<https://evil.example/d',
      '[r]: https://evil.example/e\n\n![r]',
      '| ![t](https://evil.example/f',
    ]
    for (const [i, text] of pieces.entries()) {
      const chunks = [
        { type: 'start' },
        { type: 'start-step' },
        { type: 'text-start', id: '1' },
        { type: 'text-delta', id: '1', delta: `Piece ${i}: ${text}` },
      ] satisfies UIMessageChunk[]
      const page = await session.open({ reply: () => ({ chunks: held(chunks, new Promise(() => undefined)) }) })
      await ask(page)
      await page.getByText(`Piece ${i}:`).waitFor()
      expect(await answers(page).locator('img, a').count(), text).to.equal(0)
      await page.keyboard.press('Escape')
      await page.getByText('You stopped this answer.').waitFor()
      expect(await answers(page).locator('img, a').count(), `${text} when it has ended`).to.equal(0)
      expect(
        session.requests.filter((url) => !url.startsWith(`${session.service.url}/`) && !url.startsWith('data:')),
        text,
      ).to.deep.equal([])
      await page.context().close()
      await session.service.stop()
    }
  })

  it('renders as plain text in tools, titles, charts and sources', async () => {
    const evil = '<img src="https://evil.example/t.png" onerror="alert(1)">'
    const rows = {
      columns: [evil, 'link'],
      rows: [{ [evil]: evil, link: '[a](https://evil.example/r)' }],
      row_count: 1,
      truncated: false,
    }
    const page = await session.open({
      reply: () =>
        replyWith(
          ...calls('run_indexer_sql', { sql: `SELECT '${evil}'` }, rows),
          ...uses('fetch_api', { url: 'https://evil.example/u' }, { body: evil }),
          ...uses(`evil${evil}`, { evil }),
          ...uses('createChart', { ...charts.pie, title: evil, labels: charts.pie.labels.map(() => evil) }),
          { type: 'source-url', sourceId: 's', url: 'https://evil.example/s', title: evil },
          { type: 'data-notice', data: { code: 'x', text: evil } },
          ...textChunks('Done.'),
        ),
    })
    await askAndWait(page, `A question with ${evil}`)
    for (const line of await answers(page).locator('.call-line').all()) await line.click()
    await expectUsable(page, 'hostile tools')
    expect(await answers(page).locator('img').count()).to.equal(0)
    const links = await answers(page)
      .locator('a')
      .evaluateAll((elements: readonly { readonly href: string }[]) => elements.map(({ href }) => href))
    expect(links).to.deep.equal([`https://ask.example/#${new URLSearchParams({ sql: `SELECT '${evil}'` }).toString()}`])
    expect(
      session.requests.filter((url) => !url.startsWith(`${session.service.url}/`) && !url.startsWith('data:')),
    ).to.deep.equal([])
    expect(session.consoleMessages).to.deep.equal([])
  })
})
