import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { answer, daysSql, endless, goodAnswer, textChunks } from '../support/chat-worlds.ts'
import { answers, ask, askAndWait, begin, phone, threads } from './chat-actions.ts'
import { useChatSession } from './chat-session.ts'
import { expectUsable } from './page-checks.ts'

describe('chat threads of a browser', () => {
  const session = useChatSession()

  it('are listed and persist after leaving the page', async () => {
    const page = await session.open()
    await askAndWait(page, 'The first question?')
    await begin(page)
    await askAndWait(page, 'The second question?')
    expect(await threads(page).getByRole('link').allInnerTexts()).to.deep.equal([
      'The second question?',
      'The first question?',
    ])
    await threads(page).getByRole('link', { name: 'The first question?' }).click()
    await page.getByRole('heading', { level: 1, name: 'The first question?' }).waitFor()
    await page.reload()
    await page.getByRole('slider', { name: 'Transactions by day' }).waitFor()
    await page.getByText('3,412 tokens').waitFor()
    await askAndWait(page, 'And then?')
    expect(
      session.service.calls.at(-1)?.messages.map(({ parts }) => parts.find(({ type }) => type === 'text')?.text),
    ).to.deep.equal(['The first question?', 'I will count the transactions of each day.', 'And then?'])
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'The second question?' }).waitFor()
    await expectUsable(page, 'several chats')
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('can be renamed, exported and deleted', async () => {
    const page = await session.open({}, { acceptDownloads: true })
    await askAndWait(page, 'The first question?')
    await begin(page)
    await askAndWait(page, 'The second question?')
    await page.getByRole('button', { name: 'Rename this chat' }).click()
    await page.getByLabel('Title').fill('Counted')
    await expectUsable(page, 'renaming')
    await page.keyboard.press('Enter')
    await threads(page).getByRole('link', { name: 'Counted' }).waitFor()
    await page.reload()
    await answers(page).first().waitFor()
    await page.getByRole('heading', { level: 1, name: 'Counted' }).waitFor()
    await threads(page).getByRole('link', { name: 'The first question?' }).click()
    await page.getByRole('heading', { level: 1, name: 'The first question?' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'The first question?' }).waitFor()
    // Opening a thread does not move it to the top.
    expect(await threads(page).getByRole('link').allInnerTexts()).to.deep.equal(['Counted', 'The first question?'])
    await threads(page).getByRole('link', { name: 'Counted' }).click()
    await page.getByRole('heading', { level: 1, name: 'Counted' }).waitFor()
    const coming = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export this chat as Markdown' }).click()
    const text = await readFile(await (await coming).path(), 'utf8')
    expect(text)
      .to.match(/^# Counted\n\n## Question\n\nThe second question\?\n/)
      .and.to.include(`\`\`\`sql\n${daysSql}\n\`\`\``)
    await threads(page).getByRole('link', { name: 'The first question?' }).hover()
    await page.getByRole('button', { name: 'Delete “The first question?”' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await threads(page).getByText('The first question?').waitFor({ state: 'detached' })
    await page.getByRole('heading', { level: 1, name: 'Counted' }).waitFor()
    await page.getByRole('button', { name: 'Delete this chat' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('heading', { name: 'What do you want to know about Flow?' }).waitFor()
    await page.reload()
    await page.getByText('Your chats appear here.').waitFor()
  })

  it('continue to stream while another thread is open', async () => {
    const rest = Promise.withResolvers<void>()
    async function* slow() {
      yield* answer(textChunks('It begins')).slice(0, -2)
      await rest.promise
      yield* [...textChunks('and it ends.'), { type: 'finish' as const, messageMetadata: { end: 'complete' } }]
    }
    const page = await session.open({ reply: (_, count) => ({ chunks: count === 1 ? slow() : goodAnswer }) })
    await ask(page, 'A slow question?')
    await page.getByText('It begins').waitFor()
    await begin(page)
    await threads(page).getByRole('img', { name: 'Generating an answer' }).waitFor()
    await askAndWait(page, 'A quick question?')
    rest.resolve()
    await threads(page).getByRole('img', { name: 'Generating an answer' }).waitFor({ state: 'detached' })
    await threads(page).getByRole('link', { name: 'A slow question?' }).click()
    await page.getByText('and it ends.').waitFor()
    await page.reload()
    await page.getByText('and it ends.').waitFor()
  })

  it('are synchronized between tabs', async () => {
    const page = await session.open()
    await askAndWait(page, 'The first question?')
    const other = await page.context().newPage()
    await other.goto(page.url())
    await answers(other).first().waitFor()
    await askAndWait(page, 'And then?')
    await answers(other).nth(1).locator('footer').waitFor()
    await other.getByRole('button', { name: 'Delete this chat' }).click()
    await other.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('Your chats appear here.').waitFor()
  })

  it('mark an answer that was incomplete when the page was left', async () => {
    const page = await session.open({
      reply: (_, count) => ({ chunks: count === 1 ? endless(textChunks('It begins'), ' and') : goodAnswer }),
    })
    await ask(page)
    await page.getByText('It begins').waitFor()
    await page.waitForURL(/#chat=/)
    await page.reload()
    await page.getByText(/The page was closed before the answer started|This answer is incomplete/).waitFor()
    await expectUsable(page, 'an answer that broke off')
    await page
      .getByRole('button', { name: /Retry|Regenerate answer/ })
      .first()
      .click()
    await page.getByText('3,412 tokens').waitFor()
  })

  it('explain a URL from another browser', async () => {
    const page = await session.open()
    await page.goto(`${session.service.url}/#chat=nowhere`)
    await page.getByText('This chat was not found in this browser.').waitFor()
    expect(page.url()).to.equal(`${session.service.url}/`)
    const other = await page.context().newPage()
    await other.goto(`${session.service.url}/#chat=nowhere`)
    await other.getByText('This chat was not found in this browser.').waitFor()
  })

  it('warn that they are lost with the tab if the browser stores nothing', async () => {
    const page = await session.open(
      {},
      {
        prepare: (page) =>
          page.addInitScript("indexedDB.open = () => { throw new DOMException('no', 'SecurityError') }"),
      },
    )
    await page.getByText('This browser does not allow storage').waitFor()
    await askAndWait(page)
    await begin(page)
    await threads(page)
      .getByRole('link', { name: /How many/ })
      .click()
    await page.getByText('3,412 tokens').waitFor()
  })

  it('continue when storage is full, with a warning', async () => {
    const page = await session.open(
      {},
      {
        prepare: (page) =>
          page.addInitScript(
            "IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError') }",
          ),
      },
    )
    await askAndWait(page)
    await page.getByText('Browser storage is full').waitFor()
    await askAndWait(page, 'And then?')
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('are behind a button on a phone', async () => {
    const page = await session.open({}, phone)
    await askAndWait(page, 'The first question?')
    await page.getByRole('button', { name: 'More actions' }).click()
    await expectUsable(page, 'what can be done with a chat')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByLabel('Title').fill('Counted')
    await page.getByRole('button', { name: 'Rename', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Counted' }).waitFor()
    await page.getByRole('button', { name: 'New chat' }).click()
    await page.getByRole('button', { name: 'Chats' }).click()
    await expectUsable(page, 'the chats on a phone')
    await page.getByRole('dialog').getByRole('link', { name: 'Counted' }).click()
    await answers(page).first().waitFor()
    expect(await page.getByRole('dialog').count()).to.equal(0)
    await page.getByRole('button', { name: 'Chats' }).click()
    await page.getByRole('button', { name: 'Delete “Counted”' }).click()
    await page.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('heading', { name: 'What do you want to know about Flow?' }).waitFor()
  })

  it("send at most the service's limit of a long conversation, and do not redraw earlier messages", async () => {
    const page = await session.open()
    await askAndWait(page)
    const chat = page.url()
    const id = new URL(chat).hash.replace('#chat=', '')
    // The chat page could write its own state later.
    await page.goto(`${session.service.url}/api/chat/settings`)
    // Simulates a long conversation: 200 copies of the last message.
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
    await page.goto(chat)
    await page.locator('.turn').nth(199).waitFor()
    await page.evaluate(`globalThis.changes = new Set()
      new MutationObserver((records) => { for (const { target } of records) changes.add([...document.querySelectorAll('.turn')].findIndex((turn) => turn.contains(target))) })
        .observe(document.querySelector('.turns'), { subtree: true, childList: true, characterData: true })`)
    await askAndWait(page, 'And now?')
    // Only the previous last answer is redrawn, because it is no longer the last.
    expect(await page.evaluate<number[]>('[...changes].filter((turn) => turn >= 0 && turn < 199)')).to.deep.equal([])
    const sent = session.service.calls.at(-1)?.messages ?? []
    expect(sent.length).to.be.within(100, 200)
    expect(sent.at(0)?.role).to.equal('user')
    expect(sent.at(-1)?.parts[0]?.text).to.equal('And now?')
  })
})
