import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

let axeSource: Promise<string> | undefined

/** Axe's colour rules, the only ones that depend on the theme. */
const colourRules = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }

/** Also axe's rule for the distance of links, which is off by default. */
export const phoneRules = { rules: { 'target-size': { enabled: true } } }

/**
 * Fails on accessibility violations in light or dark. Leaves the page light.
 * @param what the page and its state
 */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  await expectAccessibleIn('dark', page, what, { runOnly: colourRules })
  await expectAccessibleIn('light', page, what)
}

/** Fails on accessibility violations in this theme, and leaves the page in it. */
export async function expectAccessibleIn(
  colorScheme: 'dark' | 'light',
  page: Page,
  what: string,
  options: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
  axeSource ??= readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(await axeSource)
  // Only violations are read, without selectors: axe spends most of its time on selectors of
  // passing elements. Style sheets are only read again for rules that are off.
  const violations = await page.evaluate<Violation[]>(
    `axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], selectors: false, preload: false, ...options })}).then((result) => result.violations)`,
  )
  const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  expect(
    serious.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary ?? ''}`).join('\n')}`,
    ),
    `${what}, ${colorScheme}`,
  ).to.deep.equal([])
}

/** Presses Tab until the element has the focus. */
export async function tabTo(page: Page, target: Locator): Promise<void> {
  await target.waitFor()
  for (let presses = 0; presses < 100; presses++) {
    if ((await target.and(page.locator(':focus')).count()) > 0) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`The Tab key does not lead to ${String(target)}.`)
}

/**
 * Unexpected console messages of the page.
 * @param expected substrings of expected messages
 */
export function watchConsole(page: Page, expected: readonly string[] = []): string[] {
  const messages: string[] = []
  page.on('console', (message) => {
    if (expected.some((part) => message.text().includes(part))) return
    if (message.type() === 'error' || message.type() === 'warning') messages.push(message.text())
  })
  page.on('pageerror', (error) => messages.push(error.stack ?? error.message))
  return messages
}

/** Waits until no part of the page is loading. */
export async function untilLoaded(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  for (const sign of ['main .skeleton', 'main [aria-busy=true]'])
    await page.locator(sign).first().waitFor({ state: 'detached' })
}

/** Horizontal overflow of the page in pixels; 0 if it fits. */
export async function horizontalOverflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

/** Fails on horizontal overflow, or on accessibility violations in light or dark. */
export async function expectUsable(page: Page, what: string): Promise<void> {
  expect(await horizontalOverflow(page), what).to.equal(0)
  await expectAccessible(page, what)
}
