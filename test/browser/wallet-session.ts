import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { createWalletPage } from '../../src/wallet/page.ts'
import type { TestBrowser } from '../support/browser.ts'
import { newEmail, otherAddress, startFakeWallet } from '../support/fake-wallet.ts'
import type { FakeWallet, WalletWorld } from '../support/fake-wallet.ts'
import { watchConsole } from './page-checks.ts'
import { usePageSession } from './page-session.ts'
import { addAuthenticator } from './virtual-authenticator.ts'
import type { VirtualAuthenticator } from './virtual-authenticator.ts'

export interface Visit {
  readonly page: Page
  readonly context: BrowserContext
  readonly authenticator: VirtualAuthenticator
  /** Console messages of the page. */
  readonly output: string[]
}

export interface WalletSession {
  readonly wallet: FakeWallet
  /** Opens the page in a new browser context. */
  visit(world?: Partial<WalletWorld>, options?: BrowserContextOptions): Promise<Visit>
}

/**
 * Starts a browser and the wallet over an in-memory chain for a suite; skips the suite without a browser.
 */
export function useWalletSession(): WalletSession {
  const session = usePageSession<FakeWallet>('wallet')
  return {
    get wallet() {
      return session.service
    },
    visit: async (world = {}, options = {}) =>
      openWallet(
        session.browser,
        await session.serve((pages) => startFakeWallet(createWalletPage(pages), world)),
        options,
      ),
  }
}

export async function openWallet(
  { browser }: Pick<TestBrowser, 'browser'>,
  { url }: Pick<FakeWallet, 'url'>,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  })
  const page = await context.newPage()
  const authenticator = await addAuthenticator(page)
  const consoleMessages = watchConsole(page, ['pubKeyCredParams is missing at least one'])
  await page.goto(url)
  await page.getByRole('heading', { level: 1 }).waitFor()
  return { page, context, authenticator, output: consoleMessages }
}

/** The outbox of a wallet. */
export interface Mailbox {
  /**
   * Waits for the e-mail to an address.
   * @returns its code
   */
  codeFor(email: string): Promise<string>
}

/** Signs in by an e-mail code. */
export async function signInByCode(page: Page, mailbox: Mailbox, email = newEmail()): Promise<string> {
  await page.getByRole('textbox', { name: 'E-mail address' }).fill(email)
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByRole('heading', { name: 'Enter the code' }).waitFor()
  await page.getByRole('textbox', { name: 'Code' }).fill(await mailbox.codeFor(email))
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  return email
}

/**
 * Creates a passkey and an account.
 * @returns the account's address
 */
export async function makeFirstPasskey(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Create a passkey' }).click()
  return (await page.locator('.address code').first().textContent()) ?? ''
}

/** Fills in a payment and opens its review. */
export async function fillPayment(page: Page, amount: string, to = otherAddress()): Promise<void> {
  await page.getByRole('textbox', { name: 'To' }).fill(to)
  await page.getByRole('textbox', { name: 'Amount in FLOW' }).fill(amount)
  await page.getByRole('button', { name: 'Review' }).click()
}
