import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { newEmail } from '../support/fake-wallet.ts'
import { makeFile, openFile, untilSaving, useEditorSession } from './editor-session.ts'
import { expectUsable } from './page-checks.ts'
import { addAuthenticator } from './virtual-authenticator.ts'
import { makeFirstPasskey, signInByCode } from './wallet-session.ts'

describe('editor sign-in', function () {
  this.timeout(120_000)
  const session = useEditorSession()

  it("signs in with a passkey at the wallet's origin only, and creates a separate session", async () => {
    const { page, context, output: consoleMessages } = await session.visit()
    const { wallet } = session.editor
    // Each page that requests a passkey assertion reports its origin.
    const requested: string[] = []
    await context.exposeBinding('tellAsked', ({ frame }) => void requested.push(new URL(frame.url()).origin))
    await context.addInitScript(`for (const name of ['get', 'create']) {
      const original = navigator.credentials[name].bind(navigator.credentials)
      navigator.credentials[name] = (options) => { window.tellAsked(); return original(options) }
    }
    // Otherwise the browser autofills the passkey in the address field at once.
    PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)`)
    await addAuthenticator(page)
    await page.goto(wallet.url)
    await signInByCode(page, wallet)
    await makeFirstPasskey(page)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
    await page.goto(session.editor.url)
    await makeFile(page, 'before.cdc')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    requested.length = 0
    await page.getByRole('button', { name: 'Continue to the wallet' }).click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor()
    await expectUsable(page, 'the sign-in at the wallet')
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByRole('heading', { name: 'Sign in to Cadence editor?' }).waitFor()
    await expectUsable(page, 'the question whether to sign in')
    await page.getByRole('button', { name: 'Continue', exact: true }).click()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    await openFile(page, 'before.cdc').waitFor()
    await untilSaving(page, 'Saved')
    expect(new Set(requested)).to.deep.equal(new Set([wallet.url]))
    expect(page.url()).to.not.include('code=')
    // The wallet's session differs from the editor's.
    const { rows } = await wallet.pool.query<{ client: string | null }>(
      'select client_id as client from wallet_auth.sessions order by client_id nulls first',
    )
    expect(rows.map(({ client }) => client)).to.deep.equal([null, 'editor'])
    await page.reload()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
    expect(consoleMessages).to.deep.equal([])
  })

  it('rejects a code that this tab did not request, and reports a cancelled sign-in', async () => {
    const { page } = await session.visit()
    const { url, wallet } = session.editor
    const traded: string[] = []
    page.on('request', (request) => {
      if (request.url().startsWith(`${wallet.url}/oauth/token`)) traded.push(request.url())
    })
    for (const query of ['?code=abc&state=made-up', '?code=abc', '?state=', '']) {
      await page.goto(`${url}/developer/callback${query}`)
      await page.getByText('This sign-in was not started in this tab.').waitFor()
    }
    expect(traded).to.deep.equal([])
    await page.goto(url)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: 'Continue to the wallet' }).click()
    await page.getByRole('heading', { name: 'Sign in to Cadence editor' }).waitFor()
    const request = new URL(page.url())
    await signInByCodeAt(page, wallet)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('the sign-in was cancelled at the wallet').waitFor()
    // A request with another redirect URI has no effect.
    for (const elsewhere of ['https://evil.example/', `${url}/`, `${url}/developer/callback?x`]) {
      request.searchParams.set('redirect_uri', elsewhere)
      await page.goto(request.href)
      await page.getByRole('heading', { name: 'Invalid sign-in link' }).waitFor()
      expect(new URL(page.url()).origin).to.equal(wallet.url)
    }
    await expectUsable(page, 'a link to sign in that is not valid')
  })
})

/** Enters the e-mail code at the wallet. */
async function signInByCodeAt(page: Page, wallet: { codeFor(email: string): Promise<string> }): Promise<void> {
  const email = newEmail()
  await page.getByRole('textbox', { name: 'E-mail address' }).fill(email)
  await page.getByRole('button', { name: 'Send code' }).click()
  await page.getByRole('textbox', { name: 'Code' }).fill(await wallet.codeFor(email))
  await page.getByRole('heading', { name: 'Sign in to Cadence editor?' }).waitFor()
}
