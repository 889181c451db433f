import { expect } from 'chai'
import type { Locator, Page } from 'playwright-core'
import { addressAtIndex } from '../../src/flow/address.ts'
import { otherAddress } from '../support/fake-wallet.ts'
import { answerIn, openWindow, startAppPages } from './fcl-windows.ts'
import { expectUsable, untilLoaded } from './page-checks.ts'
import { addAuthenticator } from './virtual-authenticator.ts'
import type { VirtualAuthenticator } from './virtual-authenticator.ts'
import { fillPayment, makeFirstPasskey, signInByCode, useWalletSession } from './wallet-session.ts'

const phone = { viewport: { width: 360, height: 740 } } as const

describe('the wallet pages', () => {
  const session = useWalletSession()

  it('rejects invalid addresses and amounts before signing', async () => {
    const { page } = await session.visit()
    await signInByCode(page, session.wallet)
    const own = await makeFirstPasskey(page)
    await page.goto(`${session.wallet.url}/send`)
    const other = otherAddress()
    const refused = [
      [`${other.slice(0, -1)}${other.endsWith('0') ? '1' : '0'}`, '1', 'a digit is wrong'],
      ['0x1', '1', 'Enter the full address'],
      [own, '1', 'that you send from'],
      ['0xf233dcee88fe0abe', '1', 'This is an address of mainnet'],
      [other, '100', 'You can send at most'],
      [other, '1e2', 'Enter a number such as 12'],
      [other, '0.000', 'must be greater than 0'],
    ] as const
    for (const [to, amount, text] of refused) {
      await fillPayment(page, amount, to)
      await page.getByText(text).first().waitFor()
    }
    await page.getByRole('button', { name: 'All', exact: true }).click()
    expect(await page.getByRole('textbox', { name: 'Amount in FLOW' }).inputValue()).to.equal('99.99')
  })

  it("shows the chain's error message if a transaction fails", async () => {
    const { page } = await session.visit()
    await signInByCode(page, session.wallet)
    await makeFirstPasskey(page)
    session.wallet.balances.set(otherAddress(), 0n)
    session.wallet.world = { ...session.wallet.world, fate: 'failed' }
    await page.goto(`${session.wallet.url}/send`)
    await fillPayment(page, '1')
    await page.getByRole('button', { name: 'Send with your passkey' }).click()
    await page.getByText('The recipient cannot receive FLOW').waitFor()
    await page.getByRole('heading', { name: 'Payment failed' }).waitFor()
    await expectUsable(page, 'a failed transaction')
  })

  it('sends nothing if the passkey request is cancelled, and allows a retry', async () => {
    const { page, authenticator } = await session.visit()
    await signInByCode(page, session.wallet)
    const own = await makeFirstPasskey(page)
    await page.goto(`${session.wallet.url}/send`)
    await fillPayment(page, '1')
    await authenticator.setUserVerified(false)
    await page.getByRole('button', { name: 'Send with your passkey' }).click()
    await page.getByText('No passkey was used').waitFor()
    expect(session.wallet.balances.get(own)).to.equal(10_000_000_000n)
    await authenticator.setUserVerified(true)
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('heading', { name: 'Sent' }).waitFor()
  })

  it('renames passkeys, and does not remove the last one', async () => {
    const { page } = await session.visit()
    await signInByCode(page, session.wallet)
    await makeFirstPasskey(page)
    await page.getByRole('link', { name: 'Passkeys' }).click()
    await page.getByRole('button', { name: /^Rename/ }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('My phone')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await page.getByText('My phone').first().waitFor()
    expect(await page.getByRole('button', { name: 'Remove My phone' }).isDisabled()).to.equal(true)
    await page
      .getByRole('region', { name: /^Keys of/ })
      .getByText('My phone')
      .waitFor()
    expect(await page.getByRole('button', { name: 'Revoke' }).isDisabled()).to.equal(true)
  })

  it('makes a second passkey a key of the account, revokes the first one, and sends with the second', async () => {
    const { page, authenticator } = await session.visit()
    await signInByCode(page, session.wallet)
    const address = await makeFirstPasskey(page)
    const second = await addSecondPasskey(page)
    const keys = page.getByRole('region', { name: `Keys of ${address}` })
    const lines = page.getByRole('region', { name: 'Your passkeys' }).getByRole('listitem')
    await lines.nth(0).getByText(`Signs for ${address}`).waitFor()
    await lines.nth(1).getByText('Not a key of any account').waitFor()
    await keys.getByText('Add', { exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
    await keys.getByText('Key 1').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await lines.nth(1).getByText(`Signs for ${address}`).waitFor()
    await page.getByRole('link', { name: 'Accounts' }).click()
    await page.getByText(/^Signed by .+ or [^,]+$/).waitFor()
    await page.getByRole('link', { name: 'Passkeys' }).click()
    await keys.getByRole('button', { name: 'Revoke' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await keys.getByText('Revoked', { exact: true }).waitFor()
    expect(session.wallet.accounts.get(address)?.keys.map(({ isRevoked }) => isRevoked)).to.deep.equal([true, false])
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await authenticator.setPresence(false)
    await second.setPresence(true)
    await page.goto(`${session.wallet.url}/send?from=testnet:${address}`)
    await fillPayment(page, '1')
    await page.getByRole('button', { name: 'Send with your passkey' }).click()
    await page.getByRole('heading', { name: 'Sent' }).waitFor()
    expect(session.wallet.accounts.get(address)?.keys[1]?.sequenceNumber).to.equal(1)
  })

  it('signs with the passkey that signed in after the other device is lost, here and for applications', async () => {
    const { page } = await session.visit()
    await signInByCode(page, session.wallet)
    const address = await makeFirstPasskey(page)
    const { second } = await addSecondKey(page, address)

    // The remaining device accepts autofill immediately.
    const left = await session.visit()
    await second.copyTo(left.authenticator)
    await left.page.goto(`${session.wallet.url}/passkeys`)
    const leftKeys = left.page.getByRole('region', { name: `Keys of ${address}` })
    await leftKeys.getByRole('button', { name: 'Revoke' }).first().click()
    await left.page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await leftKeys.getByText('Revoked', { exact: true }).waitFor()
    expect(
      session.wallet.accounts.get(address)?.keys.map(({ isRevoked, sequenceNumber }) => [isRevoked, sequenceNumber]),
    ).to.deep.equal([
      [true, 1],
      [false, 1],
    ])

    const apps = await startAppPages()
    try {
      const app = await left.context.newPage()
      await app.goto(apps.origin)
      const popup = await openWindow(app, `${session.wallet.url}/fcl/user-signature`, {
        message: Buffer.from('Hello').toString('hex'),
      })
      await left.authenticator.copyTo(await addAuthenticator(popup))
      await popup.getByText('Hello').waitFor()
      await popup.getByRole('button', { name: 'Sign' }).click()
      expect((await answerIn(app)).data).to.include({ addr: address, keyId: 1 })
    } finally {
      await apps.stop()
    }
  })

  it('keeps an account whose passkey is removed if another one is a key, and sends from it', async () => {
    const { page, authenticator } = await session.visit()
    await signInByCode(page, session.wallet)
    const address = await makeFirstPasskey(page)
    const { second, keys } = await addSecondKey(page, address)
    await page
      .getByRole('button', { name: /^Remove/ })
      .first()
      .click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('remains in your wallet').waitFor()
    expect(await dialog.getByRole('checkbox').count()).to.equal(0)
    await expectUsable(page, 'the question before a passkey is removed that is not needed')
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await keys.getByText('Not one of your passkeys').waitFor()
    await authenticator.setPresence(false)
    await second.setPresence(true)
    await page.getByRole('link', { name: 'Accounts' }).click()
    await page.getByText('and 1 key that is not one of your passkeys').waitFor()
    await page.getByRole('link', { name: 'Send', exact: true }).last().click()
    await page.waitForURL(/from=/)
    await page.goto(`${session.wallet.url}/send?from=testnet:${address}`)
    await fillPayment(page, '1')
    await page.getByRole('button', { name: 'Send with your passkey' }).click()
    await page.getByRole('heading', { name: 'Sent' }).waitFor()
    expect(session.wallet.accounts.get(address)?.keys.map(({ sequenceNumber }) => sequenceNumber)).to.deep.equal([1, 1])
  })

  it('imports an account once a passkey is a key of it, and shows the steps until then', async () => {
    const { page } = await session.visit()
    await signInByCode(page, session.wallet)
    const own = await makeFirstPasskey(page)
    const publicKey = `04${session.wallet.accounts.get(own)?.keys[0]?.publicKey ?? ''}`
    const address = session.wallet.createAccount(`04${'ab'.repeat(64)}`)
    const look = async (text: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'Address' }).fill(text)
      await page.getByRole('button', { name: /^(?:Find account|Check again)/ }).click()
    }
    await page.getByRole('button', { name: 'Import account' }).click()
    for (const [text, answer] of [
      ['0x12', 'Enter the full address'],
      ['0xf233dcee88fe0abe', 'This is an address of mainnet'],
      [own, 'already in your wallet'],
      [addressAtIndex(999, 'emulator'), 'does not exist'],
    ] as const) {
      await look(text)
      await page.getByText(answer).waitFor()
    }
    await look(address)
    await page.getByText('None of your passkeys is a key of').waitFor()
    await page.getByText(publicKey.slice(2), { exact: true }).waitFor()
    await page.getByText('With the Flow CLI', { exact: true }).click()
    await expectUsable(page, 'what to do for an account from elsewhere')
    session.wallet.addKey(address, publicKey, { weight: 500 })
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByText('its weight is less than 1000').waitFor()
    session.wallet.addKey(address, publicKey)
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByText('Account imported.').waitFor()
    await page.locator('.address').getByText(address).waitFor()
    await page.reload()
    await page.locator('.address').getByText(address).waitFor()
  })

  it('removes the only passkey of an account after its address is typed and a passkey confirms, and restores it at sign-in', async () => {
    const { page } = await session.visit()
    const email = await signInByCode(page, session.wallet)
    const address = await makeFirstPasskey(page)
    await addSecondPasskey(page)
    const remove = page.getByRole('button', { name: /^Remove/ })
    await remove.nth(1).waitFor()
    await remove.first().click()
    const dialog = page.getByRole('dialog')
    const typed = dialog.getByRole('textbox', { name: /^To give up the account/ })
    await typed.waitFor()
    expect(await dialog.getByRole('button', { name: 'Remove' }).isDisabled()).to.equal(true)
    await expectUsable(page, 'the question before a passkey is removed')
    await typed.fill(address)
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await remove.nth(1).waitFor({ state: 'detached' })
    expect(await remove.isDisabled()).to.equal(true)
    // The authenticator would respond to autofill before the button is pressed.
    await page.evaluate('PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await page.getByRole('link', { name: 'Passkeys' }).click()
    await remove.nth(1).waitFor()
    await session.wallet.mailsSent()
    const subjects = session.wallet.mails
      .filter(({ to }) => to === email)
      .map(({ text }) => /^A passkey of your user at \S+ was (\w+)/.exec(text)?.[1])
      .filter((event) => event !== undefined)
    expect(subjects).to.deep.equal(['added', 'added', 'removed', 'restored'])
  })

  it('shows transfers and the history of passkeys', async () => {
    const transfer = {
      type: 'ft',
      transaction_hash: 'ab'.repeat(32),
      event_index: 1,
      leg: 0,
      timestamp: new Date().toISOString(),
      sender: otherAddress(),
      receiver: '0x1',
      direction: 'deposit',
      amount: '1234.50000000',
      token: { symbol: 'FLOW' },
    }
    const { page } = await session.visit({
      transfers: [transfer],
      nfts: [
        { nft_type: 'A.0b2a3299cc857e29.TopShot', display_name: '<img src=x onerror=alert(1)>', number_of_tokens: 12 },
      ],
    })
    await signInByCode(page, session.wallet)
    await makeFirstPasskey(page)
    await page.getByText('<img src=x onerror=alert(1)>').waitFor()
    await page.getByRole('link', { name: 'Activity' }).click()
    await page.getByText('+1,234.5 FLOW').waitFor()
    await page.getByText('Passkey created').waitFor()
  })

  it('creates an account later if the first attempt failed', async () => {
    const { page } = await session.visit({ provisioning: 'refused' })
    await signInByCode(page, session.wallet)
    await page.getByRole('button', { name: 'Create a passkey' }).click()
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByText('The accounts of today are all made.').waitFor()
    session.wallet.world = { ...session.wallet.world, provisioning: 'made' }
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('100 FLOW').waitFor()
  })

  it('is accessible on a phone, in light and dark', async () => {
    const { page } = await session.visit({}, phone)
    await expectUsable(page, 'sign-in')
    await signInByCode(page, session.wallet)
    await expectUsable(page, 'welcome')
    await makeFirstPasskey(page)
    for (const path of ['/', '/send', '/activity', '/passkeys']) {
      await page.goto(`${session.wallet.url}${path}`)
      await untilLoaded(page)
      await expectUsable(page, path)
    }
  })

  it('fits its window with any collection name', async () => {
    const { page } = await session.visit(
      { nfts: [{ nft_type: 'A.0b2a3299cc857e29.TopShot', display_name: 'W'.repeat(200), number_of_tokens: 12 }] },
      { viewport: { width: 320, height: 568 } },
    )
    await signInByCode(page, session.wallet)
    await makeFirstPasskey(page)
    await page.getByText('WWW').waitFor()
    await expectUsable(page, 'a long name')
  })

  it('explains a crash of one page, and leaves the others usable', async () => {
    const { page } = await session.visit({ transfers: [null as unknown as object] })
    await signInByCode(page, session.wallet)
    await makeFirstPasskey(page)
    await page.getByRole('link', { name: 'Activity' }).click()
    await page.getByRole('heading', { name: 'This page stopped working' }).waitFor()
    await page.getByText('check the activity page before you send it again').waitFor()
    await expectUsable(page, 'a page that broke')
    await page.getByRole('link', { name: 'Send', exact: true }).first().click()
    await page.getByRole('heading', { name: 'Send FLOW' }).waitFor()
    session.wallet.world = { ...session.wallet.world, transfers: [] }
    await page.getByRole('link', { name: 'Activity' }).click()
    await page
      .getByText('No transfers yet')
      .or(page.getByRole('button', { name: 'Reload page' }))
      .first()
      .waitFor()
    await page.reload()
    await page.getByText('No transfers yet').waitFor()
  })

  it('explains a crash of the whole application', async () => {
    const { page, context } = await session.visit()
    await context.route('**/wallet/settings', (route) =>
      route.fulfill({ json: { url: 'no address', rp_id: 'x', networks: [] } }),
    )
    await page.reload()
    await page.getByRole('heading', { name: 'The wallet stopped working' }).waitFor()
    await expectUsable(page, 'a wallet that broke')
    await context.unroute('**/wallet/settings')
    await page.getByRole('button', { name: 'Reload page' }).click()
    await page.getByRole('button', { name: 'Send code' }).waitFor()
  })

  it('requests a passkey if the sign-in is old, and resumes', async () => {
    const { page, authenticator } = await session.visit()
    await signInByCode(page, session.wallet)
    await makeFirstPasskey(page)
    const second = await addAuthenticator(page, 'usb')
    await page.getByRole('link', { name: 'Passkeys' }).click()
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    await page.getByText('Passkey created.').waitFor()
    await second.setPresence(false)
    await session.wallet.pool.query(
      `update wallet_auth.sessions set authenticated_at = authenticated_at - interval '16 minutes'`,
    )
    await page
      .getByRole('button', { name: /^Remove/ })
      .last()
      .click()
    const dialog = page.getByRole('dialog')
    await authenticator.setUserVerified(false)
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await dialog.getByText('No passkey was used').waitFor()
    const count = async (): Promise<number> =>
      Number(
        (
          await session.wallet.pool.query<{ count: string }>(
            'select count(*) from wallet.passkeys where removed_at is null',
          )
        ).rows[0]?.count,
      )
    expect(await count()).to.equal(2)
    await authenticator.setUserVerified(true)
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await count()).to.equal(1)
  })

  it('keeps showing cached data while the chain is unreachable', async () => {
    const { page } = await session.visit()
    await signInByCode(page, session.wallet)
    await makeFirstPasskey(page)
    session.wallet.world = { ...session.wallet.world, isChainDown: true }
    await page.reload()
    await page.getByText('Balance unavailable').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
  })
})

/**
 * Creates a second passkey.
 * @returns the device that has it
 */
async function addSecondPasskey(page: Page): Promise<VirtualAuthenticator> {
  const second = await addAuthenticator(page, 'usb')
  await page.getByRole('link', { name: 'Passkeys' }).click()
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  await page.getByText('Passkey created.').waitFor()
  // An authenticator without a matching passkey would reject the request for all of them.
  await second.setPresence(false)
  return second
}

/**
 * Creates a second passkey on another device, and adds it as the account's key 1.
 * @returns that device, and the list of keys
 */
async function addSecondKey(page: Page, address: string): Promise<{ second: VirtualAuthenticator; keys: Locator }> {
  const second = await addSecondPasskey(page)
  const keys = page.getByRole('region', { name: `Keys of ${address}` })
  await keys.getByText('Add', { exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click()
  await keys.getByText('Key 1').waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  return { second, keys }
}
