import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { feedbackEntry } from '../../src/assistant/chat/records/chat-feedback.ts'
import { goodAnswer } from '../support/chat-worlds.ts'
import { answers, askAndWait, phone, question } from './chat-actions.ts'
import { useChatSession } from './chat-session.ts'
import { expectUsable } from './page-checks.ts'

interface Sent {
  readonly key: string
  readonly answer_id: string
  readonly rating: string
  readonly reason: string
  readonly comment: string
  readonly messages: readonly object[]
}

const thumb = (page: Page, name: 'Good answer' | 'Bad answer'): Locator => page.getByRole('button', { name })
const pressed = (page: Page): Promise<(string | null)[]> =>
  Promise.all((['Good answer', 'Bad answer'] as const).map((name) => thumb(page, name).getAttribute('aria-pressed')))

describe('ratings of answers', () => {
  const session = useChatSession()

  for (const [size, options] of [
    ['a wide screen', { colorScheme: 'dark' }],
    ['a phone', phone],
  ] as const) {
    it(`have a reason, stay pressed after a reload, and are deleted with the chat, on ${size}`, async () => {
      const sent: Sent[] = []
      const deleted: unknown[] = []
      const page = await session.open(
        {
          reply: () => ({ chunks: goodAnswer }),
          others: {
            'POST /api/chat/feedback': (body) => {
              sent.push(JSON.parse(body) as Sent)
              return sent.length === 1
                ? { status: 409, body: { code: 'feedback-full', detail: 'The server has 10000 ratings, the limit.' } }
                : { status: 200, body: { status: 'stored' } }
            },
            'POST /api/chat/feedback/delete': (body) => {
              deleted.push(JSON.parse(body))
              return { status: 200, body: { status: 'deleted' } }
            },
          },
        },
        options,
      )
      await askAndWait(page)
      expect(await pressed(page)).to.deep.equal(['false', 'false'])
      await thumb(page, 'Bad answer').click()
      const dialog = page.getByRole('dialog', { name: 'What is wrong with this answer?' })
      await dialog.getByRole('radio', { name: 'Unsuitable or missing chart' }).check()
      await dialog.getByRole('textbox', { name: 'Comment' }).fill('A line, please.')
      await expectUsable(page, 'a rating')
      await dialog.getByRole('button', { name: 'Send' }).click()
      await dialog.getByText('The server has 10000 ratings, the limit.').waitFor()
      expect(await pressed(page)).to.deep.equal(['false', 'false'])
      await dialog.getByRole('button', { name: 'Send' }).click()
      await dialog.waitFor({ state: 'hidden' })
      expect(await pressed(page)).to.deep.equal(['false', 'true'])
      await expectUsable(page, 'a rated answer')
      const [, rated] = sent
      if (rated === undefined) throw new Error('No rating was sent.')
      expect(rated).to.include({ rating: 'bad', reason: 'wrong-chart', comment: 'A line, please.' })
      expect(rated.key).to.match(/^[\w-]{22}$/)
      const entry = feedbackEntry(rated.comment, rated.messages)
      expect(entry.questions).to.deep.equal([question])
      expect(entry.statements[0]?.sql).to.include('daily_stats')
      expect(JSON.stringify(rated.messages), 'rows').to.not.include('2026-04-')

      await page.reload()
      await answers(page).first().waitFor()
      await thumb(page, 'Bad answer').waitFor()
      expect(await pressed(page)).to.deep.equal(['false', 'true'])
      await thumb(page, 'Good answer').click()
      await page.getByRole('dialog').getByRole('button', { name: 'Send' }).click()
      await page.getByRole('dialog').waitFor({ state: 'hidden' })
      expect(await pressed(page)).to.deep.equal(['true', 'false'])
      expect(sent.at(-1)).to.include({ rating: 'good', reason: 'correct', key: rated.key })
      await thumb(page, 'Good answer').click()
      await page.locator('[aria-pressed="true"]').waitFor({ state: 'detached' })
      expect(deleted).to.deep.equal([{ keys: [rated.key], answer_id: rated.answer_id }])

      if (size === 'a phone') {
        await page.getByRole('button', { name: 'More actions' }).click()
        await page.getByRole('button', { name: 'Delete' }).click()
      } else await page.getByRole('button', { name: 'Delete this chat' }).click()
      const removal = page.getByRole('dialog', { name: 'Delete this chat?' })
      await removal.getByText('Its shared link and ratings are deleted too.').waitFor()
      await removal.getByRole('button', { name: 'Delete' }).click()
      await page.getByRole('heading', { name: 'What do you want to know about Flow?' }).waitFor()
      expect(deleted.at(-1)).to.deep.equal({ keys: [rated.key] })
      expect(session.consoleMessages.filter((text) => !text.includes('409'))).to.deep.equal([])
    })
  }
})
