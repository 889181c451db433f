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

  it('works by e-mail after a day, also for accounts that switched it on', async () => {
    const first = await session.visit({ hasRecovery: true })
    const email = await signInByCode(first.page, session.wallet)
    const own = await makeFirstPasskey(first.page)
    await first.page.goto(`${session.wallet.url}/account`)
    const panel = first.page.getByRole('region', { name: 'Recovery by e-mail' })
    await panel.getByRole('button', { name: 'Switch on' }).click()
    await first.page.getByText('Recovery by e-mail is on.').waitFor()
    await panel.getByRole('button', { name: `Switch on for ${own}` }).click()
    const dialog = first.page.getByRole('dialog')
    await dialog.getByText('The contract FlowfarmRecovery at').waitFor()
    await expectUsable(first.page, 'the recovery of an account')
    const reported = first.page.waitForResponse((response) =>
      (response.request().postData() ?? '').includes('/security/signed'),
    )
    await dialog.getByRole('button', { name: 'Switch on' }).click()
    await first.page.getByText('The recovery of the account is on.').waitFor()
    await reported
    expect(session.wallet.recoveries.has(own)).to.equal(true)
    await session.wallet.mailsSent()
    expect(
      session.wallet.mails.some(({ text }) => text.includes(`delayed recovery was switched on for your Flow account`)),
    ).to.equal(true)

    const browser = first.context.browser()
    if (browser === null) throw new Error('no browser')
    const phone = { viewport: { width: 360, height: 740 }, colorScheme: 'dark' } as const
    const second = await openWallet({ browser }, session.wallet, phone)
    await signInByCode(second.page, session.wallet, email)
    await second.page.goto(`${session.wallet.url}/account`)
    await second.page.getByRole('button', { name: 'I lost my passkeys' }).click()
    await second.page.getByText('A recovery has begun.').waitFor()
    await expectUsable(second.page, 'a recovery that has begun')
    await session.wallet.pool.query("update wallet.recoveries set due_at = due_at - interval '24 hours'")
    await session.wallet.completeRecoveries()
    await second.page.goto(`${session.wallet.url}/passkeys`)
    await untilLoaded(second.page)
    expect(await second.page.getByRole('button', { name: 'Rename' }).count()).to.equal(2)
    await second.context.close()

    await panel.getByRole('button', { name: `Switch off for ${own}` }).click()
    await dialog.getByRole('button', { name: 'Switch off' }).click()
    await first.page.getByText('The recovery of the account is off.').waitFor()
    expect(session.wallet.recoveries.has(own)).to.equal(false)
  })
})
