import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { githubProvider, googleProvider } from '../../src/wallet/auth/providers.ts'
import { browserOrSkip } from '../support/browser.ts'
import type { TestBrowser } from '../support/browser.ts'
import { newEmail, startFakeWallet } from '../support/fake-wallet.ts'
import type { FakeWallet } from '../support/fake-wallet.ts'
import { startMockProviders } from '../wallet/auth/support/mock-providers.ts'
import type { MockProviders } from '../wallet/auth/support/mock-providers.ts'
import { buildAuthPage } from './auth-page.ts'
import type { AuthPage } from './auth-page.ts'
import { addAuthenticator } from './virtual-authenticator.ts'

const clientSecret = 'the-secret-of-the-application'
const hosts = ['app', 'other', 'wallet'] as const

describe('sign-in component options on hosts of one site', function (this: Mocha.Suite) {
  let running: TestBrowser | undefined
  let site: AuthPage
  let wallet: FakeWallet
  let mock: MockProviders
  let context: BrowserContext
  /** Hosts and paths that pages requested. */
  let requested: string[]

  before(async function (this: Mocha.Context) {
    running = await browserOrSkip(this)
    site = await buildAuthPage()
    mock = await startMockProviders()
    wallet = await startFakeWallet(
      site.middleware,
      {},
      {
        host: 'wallet.site.localhost',
        rpId: 'site.localhost',
        cookieDomain: 'site.localhost',
        origins: (port) => hosts.map((name) => `http://${name}.site.localhost:${port}`),
        providers: [
          githubProvider({ clientId: 'github-app', clientSecret }, mock.github),
          googleProvider({ clientId: 'google-app', clientSecret }, mock.google),
        ],
      },
    )
  })
  beforeEach(async () => {
    requested = []
    context = await (running as TestBrowser).browser.newContext()
    context.on('request', (request) => void requested.push(request.url()))
  })
  afterEach(() => context.close())
  after(async () => {
    await running?.close()
    await wallet?.stop()
    await mock?.close()
  })

  const hostUrl = (name: (typeof hosts)[number]): string => wallet.url.replace('wallet.', `${name}.`)
  const usual = (): object => ({
    gotrueUrl: `${wallet.url}/auth/v1/`,
    passkeyAuthUrl: `${wallet.url}/functions/v1/passkey-auth`,
    sessionUrl: `${wallet.url}/session`,
    rpId: 'site.localhost',
    rpName: 'Some site',
    cookieDomain: 'site.localhost',
  })
  async function open(options: object = {}, name: (typeof hosts)[number] = 'app'): Promise<Page> {
    site.options = { ...usual(), ...options }
    const page = await context.newPage()
    await page.goto(hostUrl(name))
    return page
  }
  async function signIn(page: Page, email = newEmail()): Promise<string> {
    await page.getByRole('textbox', { name: 'E-mail address' }).fill(email)
    await page.getByRole('button', { name: 'Send code' }).click()
    await page.getByRole('textbox', { name: 'Code' }).fill(await wallet.codeFor(email))
    await page.getByText(`Signed in as ${email}`).waitFor()
    return email
  }
  /** Waits for a response to a request of the page, so that earlier requests are recorded. */
  const roundTrip = async (page: Page): Promise<void> => void (await page.evaluate('fetch("/health")'))

  it('gotrueUrl: signs in at the auth endpoint of another host and sends requests to no other', async () => {
    const page = await open()
    await signIn(page)
    const auth = requested.filter((url) => url.includes('/auth/v1'))
    expect(auth).to.not.deep.equal([])
    expect(auth.filter((url) => !url.startsWith(`${wallet.url}/auth/v1/`))).to.deep.equal([])
    expect(requested.filter((url) => url.includes('//', 8))).to.deep.equal([])
  })

  it('passkeyAuthUrl, rpId and rpName: creates and uses passkeys at that URL, for that site and name', async () => {
    const page = await open()
    const email = await signIn(page)
    const device = await addAuthenticator(page)
    await page.evaluate(`globalThis.asked = []; const create = navigator.credentials.create.bind(navigator.credentials)
      navigator.credentials.create = (options) => { asked.push([options.publicKey.rp.id, options.publicKey.rp.name]); return create(options) }`)
    await page.getByRole('button', { name: 'Create a passkey' }).click()
    while ((await device.count()) < 1) await roundTrip(page)
    expect(await page.evaluate('asked')).to.deep.equal([['site.localhost', 'Some site']])
    const calls = requested.filter((url) => url.endsWith('/passkey-auth'))
    expect(calls.length).to.be.greaterThan(1)
    expect(new Set(calls)).to.deep.equal(new Set([`${wallet.url}/functions/v1/passkey-auth`]))
    await page.evaluate('PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText(`Signed in as ${email}`).waitFor()
  })

  it("rpId: rejects an ID that differs from the service's", async () => {
    const page = await open({ rpId: 'other.example' })
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('must be site.localhost').waitFor()
  })

  it('passkeyAuthUrl: disables passkey sign-in if the endpoint does not exist', async () => {
    const page = await open({ passkeyAuthUrl: 'http://127.0.0.1:1/functions' })
    await page.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await page.getByText('The server is not reachable').waitFor()
  })

  it('cookieDomain: shares the session with all hosts of the domain, and with no other host', async () => {
    const page = await open()
    const email = await signIn(page)
    await page.reload()
    await page.getByText(`Signed in as ${email}`).waitFor()
    const other = await open({}, 'other')
    await other.getByText(`Signed in as ${email}`).waitFor()
    // Tabs of one host synchronize directly.
    await other.close()
    const alone = await open({ cookieDomain: 'wallet.site.localhost' }, 'other')
    await alone.getByRole('heading', { name: 'Signed out' }).waitFor()
  })

  it('enableLogoutDetection: detects a sign-out on another device when the tab becomes visible, and every 30 seconds', async () => {
    for (const notice of ['looked at', 'later'] as const) {
      await context.clearCookies()
      const page = await open()
      await page.clock.install()
      await signIn(page)
      await wallet.pool.query('delete from wallet_auth.sessions')
      if (notice === 'looked at') await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
      else await page.clock.runFor(31_000)
      await page.getByRole('heading', { name: 'Signed out' }).waitFor()
    }
  })

  it('enableLogoutDetection off: sends no requests, and the session ends with its token', async () => {
    const page = await open({ enableLogoutDetection: false })
    await page.clock.install()
    const email = await signIn(page)
    await wallet.pool.query('delete from wallet_auth.sessions')
    const before = requested.length
    await page.evaluate('document.dispatchEvent(new Event("visibilitychange"))')
    await page.clock.runFor(120_000)
    await roundTrip(page)
    expect(requested.slice(before)).to.deep.equal([`${hostUrl('app')}/health`])
    await page.getByText(`Signed in as ${email}`).waitFor()
    // The access token is renewed a minute before it expires, which detects the sign-out.
    await page.clock.runFor(3_600_000)
    await page.getByRole('heading', { name: 'Signed out' }).waitFor()
  })

  it('propagates a sign-out to other tabs of the host regardless of the option', async () => {
    const page = await open({ enableLogoutDetection: false })
    const email = await signIn(page)
    const other = await open({ enableLogoutDetection: false })
    await other.getByText(`Signed in as ${email}`).waitFor()
    await other.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Signed out' }).waitFor()
  })

  it('enableRoles: returns the roles that the operator assigned, or none', async () => {
    const page = await open()
    const email = await signIn(page)
    await page.getByText('Roles: none').waitFor()
    await wallet.pool.query(
      `update wallet_auth.users set app_metadata = '{"role": "Admin", "teams": ["blue"]}', user_metadata = '{"role": "owner"}' where email = $1`,
      [email],
    )
    await page.reload()
    await page.getByText('Roles: admin blue', { exact: true }).waitFor()
    const without = await open({ enableRoles: false })
    await without.getByText('Roles: none').waitFor()
  })

  it('callbackPath: returns there after sign-in with GitHub and Google, using PKCE', async () => {
    const ways = [
      { name: 'GitHub', email: newEmail(), options: { callbackPath: '/welcome/back' }, path: '/welcome/back' },
      { name: 'Google', email: newEmail(), options: {}, path: '/developer/callback' },
    ]
    for (const { name, email, options, path } of ways) {
      mock.world = {
        github: { user: { id: 77, login: 'octo', name: 'Octo' }, emails: [{ email, primary: true, verified: true }] },
        google: { email, email_verified: true, sub: `sub of ${email}` },
      }
      await context.clearCookies()
      requested.length = 0
      const page = await open(options)
      await page.getByRole('button', { name: `Sign in with ${name}` }).click()
      await page.getByText(`Signed in as ${email}`).waitFor()
      const started = new URL(requested.find((url) => url.includes('/auth/v1/authorize')) ?? '')
      expect(started.searchParams.get('redirect_to')).to.equal(`${hostUrl('app')}${path}`)
      expect(started.searchParams.get('code_challenge_method')).to.equal('s256')
      const back = new URL(requested.find((url) => url.startsWith(`${hostUrl('app')}${path}?`)) ?? '')
      expect([...back.searchParams.keys()]).to.deep.equal(['code'])
      expect(requested.join(' ')).to.not.match(/refresh_token=[^r]|access_token/)
    }
  })

  it('explains a rejection by the provider, and does not sign in', async () => {
    mock.world = {
      github: { user: { id: 78, login: 'octo' }, emails: [{ email: newEmail(), primary: true, verified: false }] },
    }
    const page = await open()
    await page.getByRole('button', { name: 'Sign in with GitHub' }).click()
    await page.waitForURL(/error_code=provider_email_needs_verification/)
    expect(await context.cookies(hostUrl('app'))).to.deep.equal([])
  })
})
