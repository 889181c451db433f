import { expect } from 'chai'
import { untilLoaded, expectUsable } from './page-checks.ts'
import { makeFirstPasskey, openWallet, signInByCode, useWalletSession } from './wallet-session.ts'

describe('recovery of a wallet', () => {
  const session = useWalletSession()

  it('works with a second device, which the first one accepts', async () => {
    const first = await session.visit()
    await signInByCode(first.page, session.wallet)
    await first.page.getByText('Create your passkey').waitFor()
    await makeFirstPasskey(first.page)
    await first.page.getByText('Your account has received money').waitFor()
    await first.page.getByRole('link', { name: 'Add a second passkey' }).click()
    await first.page.getByRole('button', { name: 'From another device' }).click()
    await first.page.getByRole('button', { name: 'Get a code' }).click()
    const code = await first.page.getByLabel('Code', { exact: true }).textContent()
    await expectUsable(first.page, 'the code for another device')

    const browser = first.context.browser()
    if (browser === null) throw new Error('no browser')
    const second = await openWallet({ browser }, session.wallet, { viewport: { width: 360, height: 740 } })
    await second.page.goto(`${session.wallet.url}/add-device#${(code ?? '').replace(' ', '')}`)
    await second.page.getByRole('button', { name: 'Create a passkey' }).click()
    const digits = await second.page.getByLabel('Digits').textContent()
    await expectUsable(second.page, 'the digits on another device')
    expect(await first.page.getByLabel('Digits').textContent()).to.equal(digits)
    await first.page.getByRole('button', { name: 'The digits match: accept' }).click()
    await first.page.getByText('Passkey added.').waitFor()
    await second.page.goto(session.wallet.url)
    await second.page.getByRole('button', { name: 'Sign out' }).waitFor()

    await first.page.goto(`${session.wallet.url}/security`)
    await untilLoaded(first.page)
    await first.page.getByText('Passkey added').nth(1).waitFor()
    await first.page.getByText('Signed in with a passkey').waitFor()
    await first.page.getByText('Signed in by e-mail').waitFor()
    await expectUsable(first.page, 'the security log')
    await second.context.close()
  })

  it('works with the key of another account', async () => {
    const { page } = await session.visit()
    await signInByCode(page, session.wallet)
    const own = await makeFirstPasskey(page)
    const other = session.wallet.createAccount(`04${'ab'.repeat(64)}`)
    await page.goto(`${session.wallet.url}/passkeys`)
    await page.getByRole('button', { name: 'Add a recovery account' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Address of the other account' }).fill(own)
    await dialog.getByText('This is the account itself.').waitFor()
    await dialog.getByRole('textbox', { name: 'Address of the other account' }).fill(other)
    await dialog.getByText('ab'.repeat(64)).waitFor()
    await dialog.getByRole('combobox', { name: 'Weight' }).selectOption('500')
    await expectUsable(page, 'a recovery account')
    const reported = page.waitForResponse((response) =>
      (response.request().postData() ?? '').includes('/security/signed'),
    )
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('The recovery key was added.').waitFor()
    await reported
    const keys = session.wallet.accounts.get(own)?.keys.map(({ publicKey, weight }) => [publicKey.slice(0, 4), weight])
    expect(keys?.[1]).to.deep.equal(['abab', 500])
    await session.wallet.mailsSent()
    expect(
      session.wallet.mails.some(({ text }) => text.includes(`a key was added to your Flow account ${own}`)),
    ).to.equal(true)
    await page.goto(`${session.wallet.url}/security`)
    await page.getByText('Add key').waitFor()
  })
})
