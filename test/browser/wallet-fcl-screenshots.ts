/**
 * `node test/browser/wallet-fcl-screenshots.ts <folder> [names]`: screenshots of the windows that
 * applications open, for manual review, over an in-memory chain.
 */
import { join } from 'node:path'
import { pino } from 'pino'
import type { Page } from 'playwright-core'
import { createDashboardPages } from '../../src/platform/pages/dashboard-pages.ts'
import { createWalletPage } from '../../src/wallet/page.ts'
import { startBrowser } from '../support/browser.ts'
import { otherAddress, startFakeWallet } from '../support/fake-wallet.ts'
import { signRequest, openWindow, ownTransaction, signableOf, startAppPages } from './fcl-windows.ts'
import { addAuthenticator } from './virtual-authenticator.ts'
import { makeFirstPasskey, openWallet, signInByCode } from './wallet-session.ts'

interface Shot {
  readonly name: string
  readonly size?: 'window' | 'phone'
  readonly theme?: 'light' | 'dark'
  readonly path: 'authn' | 'authz' | 'user-signature'
  readonly body: (address: string) => unknown
  readonly isSignedOut?: boolean
  /** @param app URL of the application's page */
  readonly act?: (popup: Page, app: Page) => Promise<void>
}

const nft = `import NonFungibleToken from 0x631e88ae7f1d7c20
import FlowToken from 0xf8d6e0586b0a20c7

/// Buys an item of the market, and puts it into the collection of the buyer.
transaction(listing: UInt64, price: UFix64, sellers: [Address], note: String?) {
    prepare(buyer: auth(BorrowValue, SaveValue, PublishCapability) &Account) {
        let vault = buyer.storage.borrow<auth(FungibleToken.Withdraw) &FlowToken.Vault>(from: /storage/flowTokenVault)
            ?? panic("No vault")
        log(listing)
    }
}
`
const values = [
  { type: 'UInt64', value: '734' },
  { type: 'UFix64', value: '24.50000000' },
  { type: 'Array', value: [{ type: 'Address', value: otherAddress() }] },
  { type: 'Optional', value: { type: 'String', value: 'For the heron house' } },
].map((value) => JSON.stringify(value))
const hex = (text: string): string => Buffer.from(text).toString('hex')
const greeting = 'Heron House asks you to sign in.\n\nYou agree to its rules.\nNonce: 8f2b41c0'
const script =
  (body: string): ((address: string) => unknown) =>
  (address) =>
    signableOf(ownTransaction(address, { script: `transaction {\n    prepare(${body}) {}\n}`, arguments: [] }))
const market = (address: string): unknown => signableOf(ownTransaction(address, { script: nft, arguments: values }))

const shots: readonly Shot[] = [
  { name: 'connect', path: 'authn', body: () => ({}) },
  { name: 'connect-proof', path: 'authn', body: () => ({ nonce: 'ab'.repeat(32) }), size: 'phone' },
  {
    name: 'connect-named-dark',
    path: 'authn',
    body: () => ({ nonce: 'ab'.repeat(32), appIdentifier: 'Heron House (v0.0)' }),
    theme: 'dark',
  },
  {
    name: 'connect-foreign',
    path: 'authn',
    body: () => ({ nonce: 'ab'.repeat(32), appIdentifier: 'https://bank.example' }),
  },
  { name: 'sign-in', path: 'authz', body: market, isSignedOut: true },
  { name: 'send', path: 'authz', body: (address) => signableOf(ownTransaction(address)) },
  {
    name: 'send-phone-dark',
    path: 'authz',
    body: (address) => signableOf(ownTransaction(address)),
    size: 'phone',
    theme: 'dark',
  },
  { name: 'script', path: 'authz', body: market },
  { name: 'script-phone', path: 'authz', body: market, size: 'phone' },
  {
    name: 'script-code-dark',
    path: 'authz',
    body: market,
    theme: 'dark',
    act: async (popup) => {
      await popup.getByText('Show the code').click()
      await popup.getByLabel('Cadence').scrollIntoViewIfNeeded()
    },
  },
  { name: 'dangerous', path: 'authz', body: script('signer: auth(Storage, Keys, AddContract) &Account') },
  { name: 'dangerous-dark', path: 'authz', body: script('signer: AuthAccount'), theme: 'dark' },
  {
    name: 'second-request',
    path: 'authz',
    body: market,
    act: async (popup, app) => {
      await app.evaluate(`popup.postMessage(${JSON.stringify(signRequest({ message: 'ab' }))}, '*')`)
      await popup.getByText('another request').waitFor()
    },
  },
  {
    name: 'lie',
    path: 'authz',
    body: (address) => signableOf(ownTransaction(address), ownTransaction(address, { script: nft, arguments: values })),
  },
  { name: 'not-mine-phone', path: 'authz', body: () => signableOf(ownTransaction(otherAddress())), size: 'phone' },
  { name: 'message', path: 'user-signature', body: () => ({ message: hex(greeting) }) },
  {
    name: 'message-hides-dark',
    path: 'user-signature',
    body: () => ({ message: hex('Pay \u202Etob\u202C 100') }),
    theme: 'dark',
  },
  { name: 'message-bytes-phone', path: 'user-signature', body: () => ({ message: 'ff00'.repeat(64) }), size: 'phone' },
  {
    name: 'done',
    path: 'user-signature',
    body: () => ({ message: hex(greeting) }),
    act: async (popup) => {
      await popup.getByRole('button', { name: 'Sign' }).click()
      await popup.getByRole('heading', { name: 'Done' }).waitFor()
    },
  },
]

const sizes = { window: { width: 480, height: 720 }, phone: { width: 390, height: 844 } }
const [folder, ...only] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name the folder for the pictures.')
const pages = createDashboardPages({ page: 'wallet', log: pino({ level: 'warn' }) })
await pages.file('')
const [started, apps] = await Promise.all([startBrowser(), startAppPages()])
for (const { name, size = 'window', theme = 'light', path, body, isSignedOut = false, act } of shots.filter(
  (shot) => only.length === 0 || only.some((word) => shot.name.startsWith(word)),
)) {
  const wallet = await startFakeWallet(createWalletPage(pages))
  const visit = await openWallet(started, wallet, {
    colorScheme: theme,
    viewport: sizes[size],
    deviceScaleFactor: size === 'phone' ? 2 : 1,
  })
  try {
    await signInByCode(visit.page, wallet, 'maria.lopez@example.com')
    const address = await makeFirstPasskey(visit.page)
    if (isSignedOut) await visit.context.clearCookies()
    const app = await visit.context.newPage()
    await app.goto(apps.origin)
    const popup = await openWindow(app, `${wallet.url}/fcl/${path}`, body(address))
    const device = await addAuthenticator(popup)
    if (!isSignedOut) await visit.authenticator.copyTo(device)
    await popup.setViewportSize(sizes[size])
    await popup.getByText(apps.origin).waitFor()
    await popup.getByRole('button', { name: /^(?:Decline|Back to the app)$/ }).waitFor()
    await act?.(popup, app)
    const file = join(folder, `fcl-${name}.png`)
    await popup.screenshot({ path: file })
    process.stdout.write(`${file}\n`)
  } catch (error) {
    process.stderr.write(`${name}: ${String(error)}\n`)
  }
  await visit.context.close()
  await wallet.stop()
}
await Promise.all([started.close(), apps.stop()])
pages.stop()
