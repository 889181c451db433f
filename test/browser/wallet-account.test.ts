import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { newEmail } from '../support/fake-wallet.ts'
import { expectUsable, untilLoaded } from './page-checks.ts'
import { makeFirstPasskey, signInByCode, useWalletSession } from './wallet-session.ts'

describe("the wallet's user page", () => {
  const session = useWalletSession()
  const open = async (page: Page): Promise<void> => {
    await page.goto(`${session.wallet.url}/account`)
    await untilLoaded(page)
  }
  const letTimePass = (): Promise<unknown> =>
    session.wallet.pool.query(
      "update wallet_auth.sessions set authenticated_at = authenticated_at - interval '16 minutes'",
    )
  const ask = async (page: Page, email: string): Promise<void> => {
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await page.getByRole('textbox', { name: 'New e-mail address' }).fill(email)
    await page.getByRole('button', { name: 'Send code' }).click()
  }
  const remove = async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: 'Delete user' }).click()
    await page.getByRole('textbox', { name: 'Type DELETE' }).fill('DELETE')
    await page.getByRole('button', { name: 'Delete permanently' }).click()
  }

  it('changes the e-mail address by the code for the new one, also after a wrong code and a reload', async () => {
    const { page, output: consoleMessages } = await session.visit()
    await signInByCode(page, session.wallet)
    await page.getByRole('link', { name: 'Profile' }).click()
    const wanted = newEmail()
    await ask(page, wanted)
    const code = await session.wallet.codeFor(wanted)
    await expectUsable(page, 'a new address')
    await page.reload()
    await page.getByRole('textbox', { name: 'Code' }).fill(String((Number(code) + 1) % 1_000_000).padStart(6, '0'))
    await page.getByRole('button', { name: 'Confirm address' }).click()
    await page.getByRole('alert').waitFor()
    expect(consoleMessages.splice(0).join(' ')).to.include('403')
    await page.getByRole('textbox', { name: 'Code' }).fill(code)
    await page.getByRole('button', { name: 'Confirm address' }).click()
    await page.getByText('Your e-mail address was changed.').waitFor()
    // The header shows the address from the session.
    await page.getByRole('banner').getByText(wanted).waitFor()
    await page.getByRole('button', { name: 'Change', exact: true }).waitFor()
    expect(consoleMessages).to.deep.equal([])
  })

  it('changes the address by the link too, after confirmation on its page', async () => {
    const { page } = await session.visit()
    await signInByCode(page, session.wallet)
    await open(page)
    const wanted = newEmail()
    await ask(page, wanted)
    const link = await session.wallet.linkFor(wanted)
    expect(link).to.include('/account?email_change=')
    await page.goto(link)
    await page.getByRole('button', { name: 'Use the new address' }).click()
    await page.getByText('Your e-mail address was changed.').waitFor()
    await page.getByRole('banner').getByText(wanted).waitFor()
    expect(new URL(page.url()).search).to.equal('')
  })

  it('deletes the user after typed confirmation, with a passkey if the sign-in is too old', async () => {
    const { page, output: consoleMessages, authenticator } = await session.visit()
    const email = await signInByCode(page, session.wallet)
    const address = await makeFirstPasskey(page)
    await open(page)
    await letTimePass()
    await page.getByRole('button', { name: 'Delete user' }).click()
    await page.getByRole('dialog').getByText(address).waitFor()
    expect(await page.getByRole('button', { name: 'Delete permanently' }).isDisabled()).to.equal(true)
    await expectUsable(page, 'the question before a user is deleted')
    await page.getByRole('button', { name: 'Cancel' }).click()
    // A cancelled passkey request deletes nothing.
    await authenticator.setUserVerified(false)
    await remove(page)
    await page.getByText('No passkey was used').waitFor()
    await authenticator.setUserVerified(true)
    expect(
      (await session.wallet.pool.query('select from wallet_auth.users where email = $1', [email])).rowCount,
    ).to.equal(1)
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
    expect(
      (await session.wallet.pool.query('select from wallet_auth.users where email = $1', [email])).rowCount,
    ).to.equal(0)
    await page.reload()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('unknown or was removed').waitFor()
    expect(consoleMessages.filter((line) => !/40[34]/.test(line))).to.deep.equal([])
  })

  it('lists passkeys, sessions, keys and projects, and ends, creates and revokes them', async () => {
    const { page } = await session.visit()
    const email = await signInByCode(page, session.wallet)
    await makeFirstPasskey(page)
    const second = await session.visit()
    await signInByCode(second.page, session.wallet, email)
    await open(page)
    await page.getByRole('region', { name: 'Passkeys' }).getByRole('link', { name: 'Manage passkeys' }).waitFor()
    const sessions = page.getByRole('region', { name: 'Sessions' })
    await sessions.getByText('This browser').waitFor()
    await sessions.getByRole('button', { name: /^Sign out Wallet/ }).click()
    await sessions.getByRole('button', { name: /^Sign out Wallet/ }).waitFor({ state: 'detached' })
    await second.page.reload()
    await second.page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()

    const keys = page.getByRole('region', { name: 'API keys' })
    await keys.getByRole('textbox', { name: 'Name of a new key' }).fill('Server')
    await keys.getByRole('button', { name: 'Create key' }).click()
    await keys.getByText(/^fs_live_[0-9a-f]{64}$/).waitFor()
    await keys.getByText('It is not shown again').waitFor()
    await expectUsable(page, 'the account page with a new key')
    await page.reload()
    await keys.getByText('never used').waitFor()
    expect(await keys.getByText(/^fs_live_[0-9a-f]{64}$/).count()).to.equal(0)
    await keys.getByRole('button', { name: 'Revoke Server' }).click()
    await page.getByText('The key was revoked.').waitFor()
    await keys.getByRole('button', { name: 'Revoke Server' }).waitFor({ state: 'detached' })
  })

  it('changes nothing if the passkey belongs to another user', async () => {
    const { page, authenticator } = await session.visit()
    const other = await signInByCode(page, session.wallet)
    await makeFirstPasskey(page)
    // Otherwise the authenticator would accept autofill in the address field.
    await authenticator.setPresence(false)
    await page.getByRole('button', { name: 'Sign out' }).click()
    const email = await signInByCode(page, session.wallet)
    await open(page)
    await letTimePass()
    await authenticator.setPresence(true)
    const requested: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'DELETE') requested.push(new URL(request.url()).pathname)
    })
    await remove(page)
    await page.getByText('You signed in more than 15 minutes ago').waitFor()
    await page.waitForLoadState('networkidle')
    expect(requested).to.deep.equal(['/auth/v1/user'])
    await page.getByRole('banner').getByText(email).waitFor()
    const { rows } = await session.wallet.pool.query<{ email: string }>(
      'select email from wallet_auth.users where email = any ($1)',
      [[email, other]],
    )
    expect(rows.map((row) => row.email)).to.have.members([email, other])
  })
})
