/**
 * `node test/browser/wallet-screenshots.ts <folder> [names]`: screenshots of the wallet for manual
 * review, over an in-memory chain.
 */
import { join } from 'node:path'
import { pino } from 'pino'
import { createDashboardPages } from '../../src/platform/pages/dashboard-pages.ts'
import { createWalletPage } from '../../src/wallet/page.ts'
import { startBrowser } from '../support/browser.ts'
import { otherAddress, startFakeWallet } from '../support/fake-wallet.ts'
import type { FakeWallet, WalletWorld } from '../support/fake-wallet.ts'
import { untilLoaded } from './page-checks.ts'
import { addAuthenticator } from './virtual-authenticator.ts'
import { makeFirstPasskey, openWallet, signInByCode } from './wallet-session.ts'
import type { Visit } from './wallet-session.ts'

const sizes = {
  wide: { width: 1280, height: 860 },
  tall: { width: 1280, height: 1500 },
  phone: { width: 390, height: 844 },
  tallPhone: { width: 390, height: 1900 },
}

interface Shot {
  readonly name: string
  readonly size?: keyof typeof sizes
  readonly theme?: 'light' | 'dark'
  readonly world?: Partial<WalletWorld>
  readonly act?: (visit: Visit, wallet: FakeWallet) => Promise<void>
}

type Act = NonNullable<Shot['act']>

const enter: Act = async ({ page }, wallet) => void (await signInByCode(page, wallet, 'maria.lopez@example.com'))
const withAccount: Act = async (visit, wallet) => {
  await enter(visit, wallet)
  await makeFirstPasskey(visit.page)
}
const at =
  (path: string): Act =>
  async (visit, wallet) => {
    await withAccount(visit, wallet)
    await visit.page.goto(`${wallet.url}${path}`)
    await untilLoaded(visit.page)
  }
const broken: Act = async (visit, wallet) => {
  await at('/activity')(visit, wallet)
  await visit.page.getByRole('heading', { name: 'This page stopped working' }).waitFor()
}
const filled: Act = async (visit, wallet) => {
  await at('/send')(visit, wallet)
  await visit.page.getByRole('textbox', { name: 'To' }).fill(otherAddress())
  await visit.page.getByRole('textbox', { name: 'Amount in FLOW' }).fill('12.5')
}
const reviewed: Act = async (visit, wallet) => {
  await filled(visit, wallet)
  await visit.page.getByRole('button', { name: 'Review' }).click()
}
const sent =
  (words: string): Act =>
  async (visit, wallet) => {
    await reviewed(visit, wallet)
    await visit.page.getByRole('button', { name: 'Send with your passkey' }).click()
    await visit.page.getByText(words).first().waitFor()
  }
const editor = { id: 'editor', name: 'Cadence editor', redirectUri: 'https://editor.example.com/developer/callback' }
/** Two passkeys, the first of which is the key of the account. */
const withSecond: Act = async (visit, wallet) => {
  await withAccount(visit, wallet)
  const { page } = visit
  // The first passkey confirms the second.
  const second = await addAuthenticator(page, 'usb')
  await page.getByRole('link', { name: 'Passkeys' }).click()
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('Passkey created.').waitFor()
  await second.setPresence(false)
}
/** Two passkeys that are keys of the account. */
const withTwo: Act = async (visit, wallet) => {
  await withSecond(visit, wallet)
  const { page } = visit
  const address = (await page.getByText('Signs for 0x').first().locator('code').first().textContent()) ?? ''
  const keys = page.getByRole('region', { name: `Keys of ${address}` })
  await keys.getByText('Add', { exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  await keys.getByText('Key 1').waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByText('The keys were updated.').waitFor({ state: 'detached' })
}
const requested: Act = async (visit, wallet) => {
  await withTwo(visit, wallet)
  await visit.page
    .getByRole('button', { name: /^Remove/ })
    .first()
    .click()
}
const removeOnlyPasskey: Act = async (visit, wallet) => {
  await withSecond(visit, wallet)
  await visit.page
    .getByRole('button', { name: /^Remove/ })
    .first()
    .click()
  await visit.page.getByRole('textbox', { name: /^To give up the account/ }).waitFor()
}
const authorize =
  (isSignedIn: boolean): Act =>
  async (visit, wallet) => {
    if (isSignedIn) await enter(visit, wallet)
    const request = {
      response_type: 'code',
      client_id: editor.id,
      redirect_uri: editor.redirectUri,
      state: 'x'.repeat(43),
      code_challenge: 'x'.repeat(43),
      code_challenge_method: 'S256',
    }
    await visit.page.goto(`${wallet.url}/authorize?${new URLSearchParams(request).toString()}`)
    await visit.page.getByRole('heading', { level: 1 }).waitFor()
  }
const imported =
  (change?: object): Act =>
  async (visit, wallet) => {
    await withAccount(visit, wallet)
    const { page } = visit
    const own = (await page.locator('.address code').first().textContent()) ?? ''
    const address = wallet.createAccount(`04${'ab'.repeat(64)}`)
    if (change !== undefined) wallet.addKey(address, `04${wallet.accounts.get(own)?.keys[0]?.publicKey ?? ''}`, change)
    await page.getByRole('button', { name: 'Import account' }).click()
    await page.getByRole('textbox', { name: 'Address' }).fill(address)
    await page.getByRole('button', { name: 'Find account' }).click()
    if (change === undefined || 'weight' in change) await page.getByText('With the Flow CLI', { exact: true }).click()
  }
const moved = (at: number, more: object): object => ({
  type: 'ft',
  transaction_hash: 'ab'.repeat(32),
  event_index: at,
  leg: 0,
  timestamp: new Date(Date.now() - at * 7_000_000).toISOString(),
  sender: otherAddress(),
  receiver: otherAddress(),
  direction: 'deposit',
  amount: '1234.50000000',
  token: { symbol: 'FLOW' },
  ...more,
})
const newAddress: Act = async (visit, wallet) => {
  await at('/account')(visit, wallet)
  await visit.page.getByRole('button', { name: 'Change', exact: true }).click()
  await visit.page.getByRole('textbox', { name: 'New e-mail address' }).fill('maria.lopez.at.another.place@example.com')
  await visit.page.getByRole('button', { name: 'Send code' }).click()
  await visit.page.getByRole('textbox', { name: 'Code' }).waitFor()
}
const disconnect: Act = async (visit, wallet) => {
  await at('/account')(visit, wallet)
  await visit.page.getByRole('button', { name: 'Delete user' }).click()
  await visit.page.getByText('You have').waitFor()
}
const coa = `0x${'0'.repeat(23)}2fd4ffeccbbaa9977`
const usdf = '0x2aabea2058b5ac2d339b163c6ab6f2b6d53aabed'
const vault = (symbol: string, token: string, balance: string, value: string | null): object => ({
  token,
  name: `${symbol} token`,
  symbol,
  icon: null,
  balance,
  usd_price: value === null ? null : '1',
  usd_value: value,
})
const openNfts: Act = async (visit, wallet) => {
  await at('/')(visit, wallet)
  await visit.page.locator('summary').first().click()
  await visit.page.getByRole('link', { name: 'Send Dunk' }).waitFor()
}
const erc20Reviewed: Act = async (visit, wallet) => {
  await at(`/send?asset=${usdf}`)(visit, wallet)
  await visit.page.getByRole('textbox', { name: 'To' }).fill('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed')
  await visit.page.getByRole('textbox', { name: 'Amount in USDF' }).fill('1.25')
  await visit.page.getByRole('button', { name: 'Review' }).click()
}
const codeForDevice: Act = async (visit, wallet) => {
  await at('/passkeys')(visit, wallet)
  await visit.page.getByRole('button', { name: 'From another device' }).click()
  await visit.page.getByRole('button', { name: 'Get a code' }).click()
  await visit.page.getByLabel('Code', { exact: true }).waitFor()
}
const full: Partial<WalletWorld> = {
  transfers: [
    moved(0, { direction: 'withdraw', amount: '12.50000000' }),
    moved(1, {}),
    moved(2, { type: 'nft', name: 'Aaron Gordon Dunk', collection: { name: 'NBA Top Shot' } }),
  ],
  nfts: [
    { nft_type: 'A.0b2a3299cc857e29.TopShot', display_name: 'NBA Top Shot', square_image: null, number_of_tokens: 12 },
    { nft_type: 'A.1.B', display_name: 'Flovatar', square_image: null, number_of_tokens: 1 },
  ],
  explorer: {
    'account/{address}/ft': [
      vault('FLOW', 'A.0ae53cb6e3f42a79.FlowToken.Vault', '100', '34.12'),
      vault('USDC', 'A.b19436aae4d94622.FiatToken.Vault', '1250.5', '1250.5'),
      vault('PEB', 'A.179b6b1cb6755e31.PebbleCoin.Vault', '12.25', null),
    ],
    'account/{address}/nft/A.0b2a3299cc857e29.TopShot': ['Dunk', 'Layup', 'Three-pointer', 'Block', 'Steal'].map(
      (name, at) => ({ id: `${at + 7}`, type: 'A.0b2a3299cc857e29.TopShot.NFT', name, thumbnail: null }),
    ),
    'coa/{address}': [{ coa_address: coa }],
    [`evm/address/${coa}`]: [{ flow_balance: '3.25' }],
    [`evm/address/${coa}/token`]: [
      {
        token: { address: usdf, type: 'ERC-20', symbol: 'USDF', name: null, decimals: 6 },
        value: '8125000',
        amount: '8.125',
        usd_value: '8.12',
      },
    ],
  },
}

const shots: readonly Shot[] = [
  { name: 'sign-in' },
  { name: 'sign-in-dark', theme: 'dark' },
  { name: 'sign-in-phone', size: 'phone' },
  {
    name: 'code',
    act: async ({ page }) => {
      await page.getByRole('textbox', { name: 'E-mail address' }).fill('maria.lopez@example.com')
      await page.getByRole('button', { name: 'Send code' }).click()
      await page.getByRole('heading', { name: 'Enter the code' }).waitFor()
    },
  },
  {
    name: 'code-wrong-phone',
    size: 'phone',
    act: async ({ page }) => {
      await page.getByRole('textbox', { name: 'E-mail address' }).fill('maria.lopez@example.com')
      await page.getByRole('button', { name: 'Send code' }).click()
      await page.getByRole('textbox', { name: 'Code' }).fill('000000')
      await page.getByRole('alert').waitFor()
    },
  },
  { name: 'welcome', act: enter },
  { name: 'welcome-phone-dark', size: 'phone', theme: 'dark', act: enter },
  { name: 'accounts', world: full, act: at('/') },
  { name: 'assets', size: 'tall', world: full, act: openNfts },
  { name: 'erc20', world: full, act: at(`/send?asset=${usdf}`) },
  { name: 'erc20-review-phone-dark', size: 'phone', theme: 'dark', world: full, act: erc20Reviewed },
  { name: 'assets-phone-dark', size: 'tallPhone', theme: 'dark', world: full, act: openNfts },
  { name: 'receive', act: at('/receive') },
  { name: 'receive-phone-dark', size: 'phone', theme: 'dark', act: at('/receive') },
  { name: 'contacts', act: at('/contacts') },
  { name: 'apps', act: at('/apps') },
  { name: 'security', act: at('/security') },
  { name: 'security-phone-dark', size: 'phone', theme: 'dark', act: at('/security') },
  { name: 'add-device', act: codeForDevice },
  { name: 'add-device-phone', size: 'phone', act: at('/add-device') },
  { name: 'accounts-empty', act: at('/') },
  { name: 'accounts-dark', world: full, theme: 'dark', act: at('/') },
  { name: 'accounts-phone', world: full, size: 'phone', act: at('/') },
  {
    name: 'accounts-refused',
    world: { provisioning: 'refused' },
    act: async (visit, wallet) => {
      await enter(visit, wallet)
      await visit.page.getByRole('button', { name: 'Create a passkey' }).click()
      await visit.page.getByRole('button', { name: 'Create account' }).click()
      await visit.page.getByRole('alert').waitFor()
    },
  },
  {
    name: 'accounts-chain-down',
    act: async (visit, wallet) => {
      await withAccount(visit, wallet)
      wallet.world = { ...wallet.world, isChainDown: true }
      await visit.page.reload()
      await visit.page.getByText('Balance unavailable').waitFor()
    },
  },
  { name: 'send', act: filled },
  { name: 'send-phone', size: 'phone', act: filled },
  {
    name: 'send-wrong',
    act: async (visit, wallet) => {
      await at('/send')(visit, wallet)
      await visit.page.getByRole('textbox', { name: 'To' }).fill('0xf233dcee88fe0abe')
      await visit.page.getByRole('textbox', { name: 'Amount in FLOW' }).fill('120')
      await visit.page.getByRole('button', { name: 'Review' }).click()
    },
  },
  { name: 'review', act: reviewed },
  { name: 'review-phone-dark', size: 'phone', theme: 'dark', act: reviewed },
  { name: 'sending', world: { fate: 'waits' }, act: sent('Waiting for a block') },
  { name: 'sent', act: sent('The transaction is sealed') },
  { name: 'failed', world: { fate: 'failed' }, act: sent('The recipient cannot') },
  { name: 'activity', world: full, act: at('/activity') },
  { name: 'broken', world: { transfers: [null as unknown as object] }, act: broken },
  {
    name: 'broken-phone-dark',
    world: { transfers: [null as unknown as object] },
    size: 'phone',
    theme: 'dark',
    act: broken,
  },
  { name: 'activity-phone', world: full, size: 'phone', act: at('/activity') },
  { name: 'you', size: 'tall', act: at('/account') },
  { name: 'you-phone-dark', size: 'tallPhone', theme: 'dark', act: at('/account') },
  { name: 'you-code', act: newAddress },
  { name: 'you-code-phone', size: 'phone', act: newAddress },
  { name: 'you-delete', act: disconnect },
  { name: 'you-delete-phone-dark', size: 'phone', theme: 'dark', act: disconnect },
  { name: 'passkeys-two', act: withTwo },
  { name: 'passkeys-two-phone', size: 'phone', act: withTwo },
  { name: 'passkeys-remove', act: requested },
  { name: 'passkeys-remove-only', act: removeOnlyPasskey },
  { name: 'passkeys-remove-only-phone-dark', size: 'phone', theme: 'dark', act: removeOnlyPasskey },
  { name: 'authorize', act: authorize(true) },
  { name: 'authorize-phone-dark', size: 'phone', theme: 'dark', act: authorize(true) },
  { name: 'authorize-signed-out', act: authorize(false) },
  {
    name: 'accounts-two',
    act: async (visit, wallet) => {
      await withTwo(visit, wallet)
      await visit.page.getByRole('link', { name: 'Accounts' }).click()
      await visit.page.getByText('Signed by').waitFor()
    },
  },
  { name: 'import', act: imported() },
  { name: 'import-phone-dark', size: 'phone', theme: 'dark', act: imported() },
  { name: 'import-weight', act: imported({ weight: 500 }) },
  { name: 'imported', act: imported({}) },
  { name: 'passkeys', act: at('/passkeys') },
  { name: 'passkeys-phone-dark', size: 'phone', theme: 'dark', act: at('/passkeys') },
]

const [folder, ...only] = process.argv.slice(2)
if (folder === undefined) throw new Error('Name the folder for the pictures.')
const pages = createDashboardPages({ page: 'wallet', log: pino({ level: 'warn' }) })
await pages.file('')
const started = await startBrowser()
for (const { name, size = 'wide', theme = 'light', world, act } of shots.filter(
  (shot) => only.length === 0 || only.some((word) => shot.name.startsWith(word)),
)) {
  const wallet = await startFakeWallet(createWalletPage(pages), world, { clients: [editor] })
  const visit = await openWallet(started, wallet, {
    viewport: sizes[size],
    colorScheme: theme,
    deviceScaleFactor: size === 'phone' ? 2 : 1,
    hasTouch: size === 'phone' || size === 'tallPhone',
  })
  try {
    await act?.(visit, wallet)
  } catch (error) {
    process.stderr.write(`${name}: ${String(error)}\n`)
  }
  for (const line of visit.output) process.stderr.write(`${name}: ${line}\n`)
  const path = join(folder, `${name}.png`)
  await visit.page.screenshot({ path })
  process.stdout.write(`${path}\n`)
  await visit.context.close()
  await wallet.stop()
}
await started.close()
pages.stop()
