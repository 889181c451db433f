import { pino } from 'pino'
import type { BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { createDashboardPages } from '../../src/platform/pages/dashboard-pages.ts'
import { createEditorPage } from '../../src/editor/page.ts'
import { createWalletPage } from '../../src/wallet/page.ts'
import type { TestBrowser } from '../support/browser.ts'
import { startFakeEditor } from '../support/fake-editor.ts'
import type { FakeEditor, EditorWorld } from '../support/fake-editor.ts'
import { newEmail } from '../support/fake-wallet.ts'
import { watchConsole } from './page-checks.ts'
import { usePageSession } from './page-session.ts'

export interface EditorVisit {
  readonly page: Page
  readonly context: BrowserContext
  /** Console messages of the page. */
  readonly output: string[]
}

export interface EditorSession {
  readonly editor: FakeEditor
  /** Starts the editor unless it runs, and opens its page in a new browser context. */
  visit(options?: EditorVisitOptions): Promise<EditorVisit>
}

export interface EditorVisitOptions extends BrowserContextOptions {
  readonly world?: Partial<EditorWorld>
  readonly path?: string
  /** Substrings of expected console messages. */
  readonly expected?: readonly string[]
  /** Default: a new one. */
  readonly context?: BrowserContext
}

/**
 * Starts a browser and the editor over a simulated chain for a suite; skips the suite without a browser.
 */
export function useEditorSession(): EditorSession {
  const session = usePageSession<FakeEditor>('editor')
  const walletPages = createDashboardPages({ page: 'wallet', log: pino({ level: 'silent' }) })
  after(() => walletPages.stop())
  return {
    get editor() {
      return session.service
    },
    visit: async ({ world = {}, ...options } = {}) =>
      openEditorPage(
        session.browser,
        await session.serve((pages) =>
          startFakeEditor((settings) => createEditorPage(pages, settings), world, createWalletPage(walletPages)),
        ),
        options,
      ),
  }
}

/** Console messages about unreachable services, which are expected. */
const ofNetworks = ['Failed to load resource', 'WebSocket connection to', 'net::ERR']

export async function openEditorPage(
  { browser }: Pick<TestBrowser, 'browser'>,
  { url }: Pick<FakeEditor, 'url'>,
  { path = '/', expected = [], context: given, ...options }: Omit<EditorVisitOptions, 'world'> = {},
): Promise<EditorVisit> {
  const context =
    given ?? (await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce', ...options }))
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  const consoleMessages = watchConsole(page, [...ofNetworks, 'pubKeyCredParams is missing at least one', ...expected])
  await page.goto(`${url}${path}`)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return { page, context, output: consoleMessages }
}

/** The visible text of the editor. */
export function codeOf(page: Page): Locator {
  return page.locator('.cm-content')
}

/** Replaces the editor's text by typing. */
export async function typeCode(page: Page, code: string): Promise<void> {
  await codeOf(page).click()
  await page.keyboard.press('ControlOrMeta+a')
  // Browsers give text that replaces other text an inline style, which the policy blocks.
  await page.keyboard.press('Delete')
  await page.keyboard.insertText(code)
}

/** The whole text of the editor, for files that fit into its window. */
export async function readCode(page: Page): Promise<string> {
  return (await codeOf(page).locator('.cm-line').allInnerTexts()).map((line) => (line === '\n' ? '' : line)).join('\n')
}

/** Creates a file by path. */
export async function makeFile(page: Page, path: string): Promise<void> {
  await page.getByRole('button', { name: 'New file', exact: true }).click()
  await page.getByRole('textbox', { name: 'Path' }).fill(path)
  await page.getByRole('button', { name: 'Create' }).click()
  await openFile(page, path).and(page.locator('[aria-current]')).waitFor()
}

/** The tab of a file. */
export function openFile(page: Page, path: string): Locator {
  return page.getByRole('list', { name: 'Open files' }).getByTitle(path, { exact: true })
}

/** Waits until the language server is ready. */
export async function untilChecked(page: Page): Promise<void> {
  await page.getByRole('status').filter({ hasText: 'ready' }).waitFor()
}

/** Waits until the page shows this save status. */
export async function untilSaving(page: Page, words: string): Promise<void> {
  await page
    .getByRole('status', { name: 'Saving' })
    .filter({ hasText: new RegExp(`^\\s*${words}`) })
    .waitFor()
}

/** The outbox of the wallet that signs in users of the editor. */
export interface MailedCodes {
  readonly wallet: { codeFor(email: string): Promise<string> }
}

/** Signs in at the wallet by an e-mail code from the open dialog, and returns. */
export async function finishSignIn(page: Page, editor: MailedCodes, email: string): Promise<void> {
  await page.getByRole('button', { name: 'Continue to the wallet' }).click()
  await page.getByRole('heading', { name: /^Sign in to Cadence editor/ }).waitFor()
  // In another window of the same browser the wallet may have a session already.
  if ((await page.getByRole('button', { name: 'Continue', exact: true }).count()) > 0)
    await page.getByRole('button', { name: 'Sign in as another user' }).click()
  await page.getByRole('textbox', { name: 'E-mail address' }).fill(email)
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByRole('heading', { name: 'Enter the code' }).waitFor()
  await page.getByRole('textbox', { name: 'Code' }).fill((await editor.wallet.codeFor(email)).slice(0, 6))
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
}

/** Signs in by an e-mail code. */
export async function signInToEditor(page: Page, editor: MailedCodes, email = newEmail()): Promise<string> {
  await page.getByRole('button', { name: 'Sign in', exact: true }).first().click()
  await finishSignIn(page, editor, email)
  return email
}
