import { expect } from 'chai'
import type { ChatReply } from '../support/fake-chat.ts'
import { answer, goodAnswer, held, textChunks, settings } from '../support/chat-worlds.ts'
import { answers, ask, askAndWait, questionBox, phone, question } from './chat-actions.ts'
import { useChatSession } from './chat-session.ts'
import { expectUsable } from './page-checks.ts'

describe('the chat page with missing parts', () => {
  const session = useChatSession()

  it('explains the setup without a model', async () => {
    const page = await session.open(
      { settings: { ...settings, modes: [], examples: [], remedy: 'Set LLM_API_KEY to the key of your model.' } },
      phone,
    )
    await page.getByText('Set LLM_API_KEY to the key of your model.').waitFor()
    await questionBox(page).fill(question)
    expect(await page.getByRole('button', { name: 'Send' }).isDisabled()).to.equal(true)
    await expectUsable(page, 'no model')
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('explains that the demo model is scripted', async () => {
    const page = await session.open({
      settings: { ...settings, is_scripted: true, modes: [{ mode: 'balanced', model: 'scripted/scripted' }] },
      reply: () => ({
        chunks: answer(textChunks('One.'), { isScripted: true, end: 'complete', model: 'scripted/scripted' }),
      }),
    })
    await page.getByText('Demo mode, no model:').waitFor()
    await askAndWait(page)
    await page.getByText('scripted answer').waitFor()
  })

  it('waits for a service that does not respond yet', async () => {
    const page = await session.open(
      {},
      { prepare: (page) => page.route('**/api/chat/settings', (route) => route.abort()) },
    )
    await page.getByText('Retrying automatically.').waitFor()
    await expectUsable(page, 'no service')
    await page.unroute('**/api/chat/settings')
    await page.getByRole('button', { name: question }).waitFor()
    await askAndWait(page)
  })

  it('requests the token and resumes the question', async () => {
    const page = await session.open({ token: 'secret' })
    await ask(page)
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Token').fill('wrong')
    await page.keyboard.press('Enter')
    await dialog.getByText('The token was not accepted.').waitFor()
    await expectUsable(page, 'a page that is locked')
    await dialog.getByLabel('Token').fill('secret')
    await page.keyboard.press('Enter')
    await answers(page).locator('footer').waitFor()
    expect(session.service.calls.map(({ messages }) => messages.length)).to.deep.equal([1])
    expect(
      await page.evaluate<string[]>(
        '[...Object.values(localStorage), location.href].filter((text) => text.includes("secret"))',
      ),
    ).to.deep.equal([])
    await page.getByRole('button', { name: 'Remove token' }).click()
    expect(await page.evaluate<number>('sessionStorage.length')).to.equal(0)
    await ask(page, 'Again?')
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Authentication required').waitFor()
    expect(session.consoleMessages.filter((text) => !/status of 40[01]/.test(text))).to.deep.equal([])
  })

  it("waits for the service's Retry-After before it retries", async () => {
    const tooOften: ChatReply = {
      status: 429,
      body: { status: 429, code: 'rate-limited', detail: 'That were 21 answers in a minute.' },
      headers: { 'retry-after': '2' },
    }
    const page = await session.open({ reply: (_, count) => (count === 1 ? tooOften : { chunks: goodAnswer }) }, phone)
    await ask(page)
    await page.getByText('That were 21 answers in a minute.').waitFor()
    expect(await page.getByRole('button', { name: /^Retry in \d s$/ }).isDisabled()).to.equal(true)
    await page.getByRole('button', { name: 'Retry', exact: true }).click()
    await answers(page).locator('footer').waitFor()
    expect(await page.getByRole('alert').count()).to.equal(0)
  })

  for (const [what, reply, reported] of [
    [
      'an error of the stream',
      {
        chunks: [
          { type: 'start' },
          { type: 'start-step' },
          ...textChunks('Half a sentence'),
          { type: 'error', errorText: 'The provider is overloaded.' },
        ],
      },
      'The provider is overloaded.',
    ],
    [
      'an answer that ends before its end',
      { chunks: answer(textChunks('Half a sentence')).slice(0, -1) },
      'This answer is incomplete.',
    ],
  ] satisfies readonly (readonly [string, ChatReply, string])[]) {
    it(`keeps the partial answer after ${what}, and retries`, async () => {
      const page = await session.open({ reply: (_, count) => (count === 1 ? reply : { chunks: goodAnswer }) })
      await ask(page)
      await page.getByText(reported).waitFor()
      await page.getByText('Half a sentence').waitFor()
      await expectUsable(page, what)
      await page.reload()
      await page.getByText('Half a sentence').waitFor()
      await page.getByRole('button', { name: /^(?:Retry|Regenerate answer)$/ }).click()
      await page.getByText('3,412 tokens').waitFor()
      expect(await page.getByText('Half a sentence').count()).to.equal(0)
      expect(await answers(page).count()).to.equal(1)
    })
  }

  it('keeps the partial answer after a lost connection, and retries', async () => {
    const seen = Promise.withResolvers<void>()
    const page = await session.open({
      reply: (_, count) =>
        count === 1
          ? { chunks: held(answer(textChunks('Half a sentence')).slice(0, -2), seen.promise), isCut: true }
          : { chunks: goodAnswer },
    })
    await ask(page)
    await page.getByText('Half a sentence').waitFor()
    seen.resolve()
    await page.getByText('Connection lost').waitFor()
    await page.getByText('Half a sentence').waitFor()
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('3,412 tokens').waitFor()
  })

  for (const [what, reply, reported] of [
    ['no model', { status: 503, body: { code: 'no-model', detail: 'Set LLM_API_KEY.' } }, 'Set LLM_API_KEY.'],
    [
      'a question that is refused',
      { status: 400, body: { code: 'bad-message', detail: 'messages[0] is empty.' } },
      'messages[0] is empty.',
    ],
  ] satisfies readonly (readonly [string, ChatReply, string])[]) {
    it(`does not offer a retry after ${what}`, async () => {
      const page = await session.open({ reply: () => reply })
      await ask(page)
      await page.getByRole('alert').getByText(reported).waitFor()
      expect(await page.getByRole('button', { name: 'Retry' }).count()).to.equal(0)
    })
  }

  it('reports a response from another server', async () => {
    const page = await session.open({ reply: () => ({ status: 200, body: '<h1>Log in to the proxy</h1>' }) })
    await ask(page)
    await page.getByText('The response did not come from the chat service.').waitFor()
    expect(await page.getByText('Log in to the proxy').count()).to.equal(0)
  })

  it('reports why an answer is incomplete', async () => {
    const page = await session.open({
      reply: (_, count) => ({
        chunks: answer(textChunks('Part.'), {
          end: (['length', 'steps', 'refused'] as const)[count - 1] ?? 'complete',
        }),
      }),
    })
    await askAndWait(page)
    await page.getByText('The answer reached its maximum length.').waitFor()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('The model reached its limit of tool calls').waitFor()
    await askAndWait(page, 'And?')
    await page.getByText('The model declined to answer this.').waitFor()
  })
})
