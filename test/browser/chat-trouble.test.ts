import { expect } from 'chai'
import type { ChatReply } from '../support/chat-stand-in.ts'
import { hostileAnswer } from '../support/chat-texts.ts'
import { answer, calls, charts, chatWorld, goodAnswer, replyWith, says, settings, uses } from '../support/chat-worlds.ts'
import { answers, ask, askAndWait, asking, phone, question } from './chat-acts.ts'
import { useChatSession } from './chat-session.ts'
import { expectUsable } from './page-checks.ts'

describe('the page of the chat where something is missing', function () {
  this.timeout(120_000)
  const session = useChatSession()

  it('says what to set where there is no model', async () => {
    const page = await session.open({ settings: { ...settings, modes: [], examples: [], remedy: 'Set LLM_API_KEY to the key of your model.' } }, phone)
    await page.getByText('Set LLM_API_KEY to the key of your model.').waitFor()
    await asking(page).fill(question)
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).to.equal(true)
    await expectUsable(page, 'no model')
    expect(session.said).to.deep.equal([])
  })

  it('says that the model of the demo is a script', async () => {
    const page = await session.open({ settings: { ...settings, is_scripted: true, modes: [{ mode: 'balanced', model: 'scripted/scripted' }] }, reply: () => ({ chunks: answer(says('One.'), { isScripted: true, end: 'complete', model: 'scripted/scripted' }) }) })
    await page.getByText('This is a script, not a model:').waitFor()
    await askAndWait(page)
    await page.getByText('a script, not a model').waitFor()
  })

  it('waits for a service that does not answer yet', async () => {
    const page = await session.open({}, { prepare: (page) => page.route('**/api/chat/settings', (route) => route.abort()) })
    await page.getByText('This page tries again by itself.').waitFor()
    await expectUsable(page, 'no service')
    await page.unroute('**/api/chat/settings')
    await page.getByRole('button', { name: question }).waitFor()
    await askAndWait(page)
  })

  it('asks for the token, and goes on with what it was asked', async () => {
    const page = await session.open({ token: 'secret' })
    await ask(page)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Token').fill('wrong')
    await page.keyboard.press('Enter')
    await dialog.getByText('This token is not accepted.').waitFor()
    await expectUsable(page, 'a page that is locked')
    await dialog.getByLabel('Token').fill('secret')
    await page.keyboard.press('Enter')
    await answers(page).locator('footer').waitFor()
    expect(session.service.calls.map(({ messages }) => messages.length)).to.deep.equal([1])
    expect(await page.evaluate<string[]>('[...Object.values(localStorage), location.href].filter((text) => text.includes("secret"))')).to.deep.equal([])
    await page.getByRole('button', { name: 'Forget token' }).click()
    expect(await page.evaluate<number>('sessionStorage.length')).to.equal(0)
    await ask(page, 'Again?')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('A token is wanted').waitFor()
    expect(session.said.filter((text) => !/status of 40[01]/.test(text))).to.deep.equal([])
  })

  it('waits as long as the service wants before it tries again', async () => {
    const tooOften: ChatReply = { status: 429, body: { status: 429, code: 'rate-limited', detail: 'That were 21 answers in a minute.' }, headers: { 'retry-after': '2' } }
    const page = await session.open({ reply: (_, count) => (count === 1 ? tooOften : { chunks: goodAnswer }) }, phone)
    await ask(page)
    await page.getByText('That were 21 answers in a minute.').waitFor()
    expect(await page.getByRole('button', { name: /^Try again in \d s$/ }).isDisabled()).to.equal(true)
    await page.getByRole('button', { name: 'Try again', exact: true }).click()
    await answers(page).locator('footer').waitFor()
    expect(await page.getByRole('alert').count()).to.equal(0)
  })

  for (const [what, reply, told] of [
    ['an error of the stream', { chunks: [{ type: 'start' }, { type: 'start-step' }, ...says('Half a sentence'), { type: 'error', errorText: 'The provider is overloaded.' }] }, 'The provider is overloaded.'],
    ['a connection that is lost', { chunks: answer(says('Half a sentence')).slice(0, -2), isCut: true }, 'The connection was lost'],
    ['an answer that ends before its end', { chunks: answer(says('Half a sentence')).slice(0, -1) }, 'This answer is not complete.'],
  ] satisfies readonly (readonly [string, ChatReply, string])[]) {
    it(`keeps what there is of an answer after ${what}, and tries again`, async () => {
      const page = await session.open({ reply: (_, count) => (count === 1 ? reply : { chunks: goodAnswer }) })
      await ask(page)
      await page.getByText(told).waitFor()
      await page.getByText('Half a sentence').waitFor()
      await expectUsable(page, what)
      await page.reload()
      await page.getByText('Half a sentence').waitFor()
      await page.getByRole('button', { name: /^(?:Try|Answer) again$/ }).click()
      await page.getByText('3,412 tokens').waitFor()
      expect(await page.getByText('Half a sentence').count()).to.equal(0)
      expect(await answers(page).count()).to.equal(1)
    })
  }

  for (const [what, reply, told] of [
    ['no model', { status: 503, body: { code: 'no-model', detail: 'Set LLM_API_KEY.' } }, 'Set LLM_API_KEY.'],
    ['a question that is refused', { status: 400, body: { code: 'bad-message', detail: 'messages[0] is empty.' } }, 'messages[0] is empty.'],
  ] satisfies readonly (readonly [string, ChatReply, string])[]) {
    it(`does not offer to try again after ${what}`, async () => {
      const page = await session.open({ reply: () => reply })
      await ask(page)
      await page.getByRole('alert').getByText(told).waitFor()
      expect(await page.getByRole('button', { name: 'Try again' }).count()).to.equal(0)
    })
  }

  it('says so where something else answers in its place', async () => {
    const page = await session.open({ reply: () => ({ status: 200, body: '<h1>Log in to the proxy</h1>' }) })
    await ask(page)
    await page.getByText('What answered is not the chat.').waitFor()
    expect(await page.getByText('Log in to the proxy').count()).to.equal(0)
  })

  it('tells how an answer ended that is not all of it', async () => {
    const page = await session.open({ reply: (_, count) => ({ chunks: answer(says('Part.'), { end: (['length', 'steps', 'refused'] as const)[count - 1] ?? 'complete' }) }) })
    await askAndWait(page)
    await page.getByText('The answer was cut off at its greatest length.').waitFor()
    await page.getByRole('button', { name: 'Go on' }).click()
    await page.getByText('The model had used all its turns with tools').waitFor()
    await askAndWait(page, 'And?')
    await page.getByText('The model declined to answer this.').waitFor()
  })
})

describe('what strangers had an answer say', function () {
  this.timeout(120_000)
  const session = useChatSession()

  it('loads nothing and leads nowhere, and no sign of it goes unseen', async () => {
    const page = await session.open({ reply: () => ({ chunks: answer(says(hostileAnswer, 7)) }) }, phone)
    await askAndWait(page)
    await page.getByText('https://evil.example/pixel.png?q=secret').waitFor()
    await page.getByText('⟨U+202E⟩').waitFor()
    expect(await answers(page).locator('img, iframe, script, style, object, embed, form, input, svg image, video, audio, link, meta, base').count()).to.equal(0)
    expect(await answers(page).getByRole('link').evaluateAll((links: readonly { readonly href?: string }[]) => links.map(({ href }) => href))).to.deep.equal(['https://developers.flow.com/', 'http://explorer.example:8082/contract/A.1654653399040a61.FlowToken'])
    const handlers = await page.evaluate<string[]>("[...document.querySelectorAll('.answer *')].flatMap((element) => element.getAttributeNames().filter((name) => name.startsWith('on') || name.startsWith('src')))")
    expect(handlers).to.deep.equal([])
    await expectUsable(page, 'a hostile answer')
    await page.reload()
    await page.getByText('⟨U+202E⟩').waitFor()
    expect(session.requests.filter((url) => !url.startsWith(`${session.service.url}/`) && !url.startsWith('data:'))).to.deep.equal([])
    expect(session.said).to.deep.equal([])
  })

  it('never leaves the page while its Markdown is half written', async () => {
    const pieces = ['![x](', '![x](https://evil.example/a', '[y](https://evil.example/b', '<img src=https://evil.example/c', '![z][', '<https://evil.example/d', '[r]: https://evil.example/e\n\n![r]', '| ![t](https://evil.example/f']
    for (const [i, text] of pieces.entries()) {
      const page = await session.open({ reply: () => ({ chunks: [{ type: 'start' }, { type: 'start-step' }, { type: 'text-start', id: '1' }, { type: 'text-delta', id: '1', delta: `Piece ${i}: ${text}` }], isCut: true }) })
      await ask(page)
      await page.getByRole('alert').waitFor()
      expect(await answers(page).locator('img, a').count(), text).to.equal(0)
      expect(session.requests.filter((url) => !url.startsWith(`${session.service.url}/`) && !url.startsWith('data:')), text).to.deep.equal([])
      await page.context().close()
      await session.service.stop()
    }
  })

  it('is text in tools, titles, charts and sources too', async () => {
    const evil = '<img src="https://evil.example/t.png" onerror="alert(1)">'
    const rows = { columns: [evil, 'link'], rows: [{ [evil]: evil, link: '[a](https://evil.example/r)' }], row_count: 1, truncated: false }
    const page = await session.open({ reply: () => replyWith(
      ...calls('run_indexer_sql', { sql: `SELECT '${evil}'` }, rows), ...uses('fetch_api', { url: 'https://evil.example/u' }, { body: evil }), ...uses(`evil${evil}`, { evil }),
      ...uses('createChart', { ...charts.pie, title: evil, labels: charts.pie.labels.map(() => evil) }), { type: 'source-url', sourceId: 's', url: 'https://evil.example/s', title: evil }, { type: 'data-notice', data: { code: 'x', text: evil } }, ...says('Done.')) })
    await askAndWait(page, `A question with ${evil}`)
    for (const line of await answers(page).locator('.call-line').all()) await line.click()
    await expectUsable(page, 'hostile tools')
    expect(await answers(page).locator('img, a').count()).to.equal(0)
    expect(session.requests.filter((url) => !url.startsWith(`${session.service.url}/`) && !url.startsWith('data:'))).to.deep.equal([])
    expect(session.said).to.deep.equal([])
  })

  it('sends no more of a long talk than the service takes, and stays quick', async () => {
    const page = await session.open()
    await askAndWait(page)
    const id = new URL(page.url()).hash.replace('#chat=', '')
    // As if it had gone on for long: two hundred messages, each as the last.
    await page.evaluate(`new Promise((resolve, reject) => {
      const request = indexedDB.open('flowfarm-chat')
      request.onsuccess = () => {
        const transaction = request.result.transaction('messages', 'readwrite')
        const store = transaction.objectStore('messages')
        store.get('${id}').onsuccess = ({ target }) => {
          const [question, answer] = target.result.messages
          const messages = Array.from({ length: 100 }, (_, i) => [{ ...question, id: 'q' + i }, { ...answer, id: 'a' + i }]).flat()
          store.put({ id: '${id}', messages })
        }
        transaction.oncomplete = () => resolve()
        transaction.onerror = () => reject(transaction.error)
      }
    })`)
    await page.reload()
    await page.locator('.turn').nth(199).waitFor()
    await page.evaluate(`globalThis.changes = new Set()
      new MutationObserver((records) => { for (const { target } of records) changes.add([...document.querySelectorAll('.turn')].findIndex((turn) => turn.contains(target))) })
        .observe(document.querySelector('.turns'), { subtree: true, childList: true, characterData: true })`)
    await askAndWait(page, 'And now?')
    // What was said before is not drawn again, but for the last answer, which is the last no more.
    expect(await page.evaluate<number[]>('[...changes].filter((turn) => turn >= 0 && turn < 199)')).to.deep.equal([])
    const sent = session.service.calls.at(-1)?.messages ?? []
    expect(sent.length).to.be.within(100, 200)
    expect(sent.at(0)?.role).to.equal('user')
    expect(sent.at(-1)?.parts[0]?.text).to.equal('And now?')
    expect(session.service.world).to.deep.include({ settings: chatWorld().settings })
  })
})
