import { setTimeout as delay } from 'node:timers/promises'
import type { Locator, Page } from 'playwright-core'

/** Actions on the chat page. */

export const question = 'How many transactions were there on each of the last 14 days?'
export const phone = { viewport: { width: 360, height: 740 }, hasTouch: true } as const

export const questionBox = (page: Page): Locator => page.getByRole('textbox', { name: 'Question' })
export const answers = (page: Page): Locator => page.getByRole('region', { name: 'Answer' })
export const threads = (page: Page): Locator => page.getByRole('navigation', { name: 'Chats' })

/** Asks a question by keyboard. */
export async function ask(page: Page, text = question): Promise<void> {
  await questionBox(page).fill(text)
  await questionBox(page).press('Enter')
}

/** Asks a question and waits for the end of the answer. */
export async function askAndWait(page: Page, text = question): Promise<void> {
  const count = await answers(page).count()
  await ask(page, text)
  await answers(page).nth(count).locator('footer').waitFor()
}

/** Starts a new conversation. */
export async function begin(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New chat' }).first().click()
  await page.getByRole('heading', { name: 'What do you want to know about Flow?' }).waitFor()
}

/**
 * Waits until a condition holds.
 * @throws after ten seconds
 */
export async function eventually(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (await holds()) return
    await delay(50)
  }
  throw new Error('The page does not come to it.')
}
