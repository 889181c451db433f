import { expect } from 'chai'
import type { Request } from 'playwright-core'
import { newEmail, otherAddress } from '../support/fake-wallet.ts'
import { expectUsable } from './page-checks.ts'
import { fillPayment, makeFirstPasskey, signInByCode, useWalletSession } from './wallet-session.ts'

describe('wallet sign-in', () => {
  const session = useWalletSession()

  it('leads a new user from an e-mail code to an account, and sends FLOW with the passkey', async () => {
    const { page, output: consoleMessages, authenticator } = await session.visit()
    await signInByCode(page, session.wallet)
    const address = await makeFirstPasskey(page)
    expect(await authenticator.count()).to.equal(1)
    await page.getByText('100 FLOW').waitFor()
    await page.getByRole('link', { name: 'Send', exact: true }).first().click()
    await fillPayment(page, '12.5')
    await page.getByRole('heading', { name: 'Review the payment' }).waitFor()
    await page.getByRole('button', { name: 'Send with your passkey' }).click()
    await page.getByRole('heading', { name: 'Sent' }).waitFor()
    expect(session.wallet.balances.get(otherAddress())).to.equal(1_250_000_000n)
    const link = await page.getByRole('link', { name: 'View in the explorer' }).getAttribute('href')
    expect(link).to.match(/^http:\/\/explorer\.example\/transaction\/[0-9a-f]{64}$/)
    await page.getByRole('button', { name: 'Back to accounts' }).click()
    await page.getByText('87.49999 FLOW').waitFor()
    expect(session.wallet.accounts.get(address)?.keys.map(({ sequenceNumber }) => sequenceNumber)).to.deep.equal([1])
    expect(consoleMessages).to.deep.equal([])
  })

  it('signs in a returning user with the passkey only', async () => {
    const { page } = await session.visit()
    const email = await signInByCode(page, session.wallet)
    await makeFirstPasskey(page)
    // The authenticator would respond to autofill.
    await page.evaluate('PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText(email).waitFor()
    await page.getByText('100 FLOW').waitFor()
  })

  it('offers passkeys by autofill in the address field', async () => {
    const { page, context } = await session.visit()
    const email = await signInByCode(page, session.wallet)
    await makeFirstPasskey(page)
    await context.clearCookies()
    // This authenticator accepts autofill immediately.
    await page.reload()
    await page.getByText(email).waitFor()
    expect((await context.cookies()).length).to.equal(1)
  })

  it('renews the autofill challenge before it expires and after it expired', async () => {
    const { page, context, authenticator } = await session.visit()
    const email = await signInByCode(page, session.wallet)
    await makeFirstPasskey(page)
    await context.clearCookies()
    await authenticator.setPresence(false)
    const isOffer = (request: Request): boolean => request.postData()?.includes('"/login/start"') === true
    await page.clock.install()
    const first = page.waitForRequest(isOffer)
    await page.reload()
    await (await first).response()
    const second = page.waitForRequest(isOffer)
    await page.clock.runFor(270_000)
    await second

    // Simulates a passkey selection after the challenge expired.
    await page.route('**/passkey-auth', async (route) => {
      if (route.request().postData()?.includes('"/login/finish"') === true) {
        await page.unroute('**/passkey-auth')
        await session.wallet.pool.query(`update wallet.challenges set expires_at = now() - interval '1 second'`)
      }
      await route.continue()
    })
    await authenticator.setPresence(true)
    await page.reload()
    await page.getByText(email).waitFor()
  })

  it('hides the session from scripts and stores none of it in the page', async () => {
    const { page, context } = await session.visit()
    await signInByCode(page, session.wallet)
    const [cookie] = await context.cookies()
    expect(cookie).to.include({ name: 'flowfarm-session', httpOnly: true, sameSite: 'Lax', path: '/' })
    const stored = await page.evaluate<string>(
      'JSON.stringify({ local: { ...localStorage }, session: { ...sessionStorage }, cookie: document.cookie })',
    )
    expect(stored).not.to.match(/eyJ|refresh|access/)
    expect(stored).not.to.include(decodeURIComponent(cookie?.value ?? 'nothing'))
    await page.reload()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    expect((await context.cookies())[0]?.value, 'the token is another one after each use').not.to.equal(cookie?.value)
  })

  it('signs out in all tabs, and ends the session on the server', async () => {
    const { page, context } = await session.visit()
    await signInByCode(page, session.wallet)
    const other = await context.newPage()
    await other.goto(session.wallet.url)
    await other.getByRole('button', { name: 'Sign out' }).waitFor()
    const [cookie] = await context.cookies()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
    await other.getByText('You were signed out.').waitFor()
    expect(await context.cookies()).to.deep.equal([])
    const answer = await fetch(`${session.wallet.url}/session`, {
      headers: { 'x-wallet-session': '1', cookie: `flowfarm-session=${cookie?.value ?? ''}` },
    })
    expect(await answer.json()).to.deep.equal({ session: null })
  })

  it('keeps the session when many tabs open at once', async () => {
    const { page, context } = await session.visit()
    await signInByCode(page, session.wallet)
    const tabs = await Promise.all(Array.from({ length: 6 }, () => context.newPage()))
    await Promise.all(tabs.map((tab) => tab.goto(session.wallet.url)))
    await Promise.all(tabs.map((tab) => tab.getByRole('button', { name: 'Sign out' }).waitFor()))
    await page.reload()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
  })

  it('reports a wrong code, and accepts the right one after it', async () => {
    const { page } = await session.visit()
    const email = newEmail()
    await page.getByRole('textbox', { name: 'E-mail address' }).fill(email)
    await page.keyboard.press('Enter')
    const code = await session.wallet.codeFor(email)
    await page.getByRole('textbox', { name: 'Code' }).fill(code === '000000' ? '000001' : '000000')
    await page.getByRole('alert').waitFor()
    await expectUsable(page, 'a wrong code')
    await page.getByRole('textbox', { name: 'Code' }).fill(code)
    await page.getByRole('button', { name: 'Create a passkey' }).waitFor()
  })

  it('signs in by the e-mail link in the browser that requested it', async () => {
    const { page, context } = await session.visit()
    const email = newEmail()
    await page.getByRole('textbox', { name: 'E-mail address' }).fill(email)
    await page.getByRole('button', { name: 'Send code' }).click()
    const link = await session.wallet.linkFor(email)
    const tab = await context.newPage()
    await tab.goto(link)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.getByRole('button', { name: 'Create a passkey' }).waitFor()
    expect(new URL(tab.url()).search).to.equal('')
    await page.getByRole('button', { name: 'Create a passkey' }).waitFor()
  })

  it('asks for confirmation before it signs in by a link that no page requested, e.g. from the operator', async () => {
    const { page, context } = await session.visit()
    const email = newEmail()
    const open = async (): Promise<void> => {
      await fetch(`${session.wallet.url}/auth/v1/otp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email }),
      })
      await page.goto(await session.wallet.linkFor(email))
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByText(email).waitFor()
      expect(new URL(page.url()).search).to.equal('')
      await expectUsable(page, 'a link')
      expect(await context.cookies()).to.deep.equal([])
    }
    await open()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('heading', { name: 'Your wallet for Flow' }).waitFor()
    expect((await session.wallet.pool.query('select from wallet_auth.sessions')).rowCount).to.equal(0)
    await session.wallet.pool.query('delete from wallet_auth.one_time_tokens')
    await open()
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Create a passkey' }).waitFor()

    // A used or forged link.
    await page.goto(`${session.wallet.url}/developer/callback?token_hash=x&type=magiclink`)
    await page.getByText('expired or already used').waitFor()
    await page.getByRole('button', { name: 'Back to the wallet' }).click()
    await page.getByRole('button', { name: 'Create a passkey' }).waitFor()
  })

  it('creates no account if the passkey request is cancelled, and reports it', async () => {
    const { page, authenticator } = await session.visit()
    await signInByCode(page, session.wallet)
    await authenticator.setUserVerified(false)
    await page.getByRole('button', { name: 'Create a passkey' }).click()
    await page.getByText('No passkey was used').waitFor()
    expect([...session.wallet.accounts.keys()]).to.deep.equal([otherAddress()])
  })
})
