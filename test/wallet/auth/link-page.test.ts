import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { githubProvider } from '../../../src/wallet/auth/providers.ts'
import { expectUsable } from '../../browser/page-checks.ts'
import { startBrowser } from '../../support/browser.ts'
import type { TestBrowser } from '../../support/browser.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { TestDatabase } from '../../support/database.ts'
import { startMockProviders } from './support/mock-providers.ts'
import type { MockProviders } from './support/mock-providers.ts'
import { runAuth } from './support/running-auth.ts'
import type { RunningAuth } from './support/running-auth.ts'

describe('sign-in pages in a browser', () => {
  let db: TestDatabase
  let auth: RunningAuth
  let mock: MockProviders
  let browser: TestBrowser
  let app: Server
  let appOrigin = ''
  /** Content of the application's page. */
  let content = ''
  const output: string[] = []
  before(async () => {
    db = await createTestDatabase()
    mock = await startMockProviders()
    app = createServer((_, response) =>
      response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<title>app</title>${content}`),
    )
    app.listen(0, '127.0.0.1')
    await once(app, 'listening')
    // Browsers treat this as another site than 127.0.0.1.
    appOrigin = `http://localhost:${(app.address() as AddressInfo).port}`
    auth = await runAuth(db, {
      isAllowedOrigin: (origin) => origin === appOrigin,
      providers: () => [
        githubProvider({ clientId: 'github-app', clientSecret: 'the-secret-of-the-application' }, mock.github),
      ],
    })
    browser = await startBrowser()
  })
  beforeEach(() => {
    content = ''
    output.length = 0
  })
  after(async () => {
    await browser.close()
    await auth.stop()
    await mock.close()
    app.close()
    app.closeAllConnections()
    await once(app, 'close')
    await db.drop()
  })

  async function open(options: Parameters<TestBrowser['browser']['newContext']>[0] = {}): Promise<Page> {
    const page = await (await browser.browser.newContext(options)).newPage()
    page.on('console', (message) => output.push(message.text()))
    page.on('pageerror', (error) => output.push(String(error)))
    return page
  }

  async function linkFor(email: string, redirectTo = `${appOrigin}/back`): Promise<string> {
    await auth.call('POST', `/otp?redirect_to=${encodeURIComponent(redirectTo)}`, { body: { email } })
    return (await auth.mailTo(email)).link
  }

  it("signs in by the button, and returns to an application's page on another site", async () => {
    const page = await open({ viewport: { width: 360, height: 640 } })
    await page.goto(await linkFor('button@example.com'))
    await page.getByText('button@example.com').waitFor()
    await expectUsable(page, 'the page of a link')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${appOrigin}/back?*`)
    const parameters = new URL(page.url()).searchParams
    const { status } = await auth.call('POST', '/verify', {
      body: { type: parameters.get('type'), token_hash: parameters.get('token_hash') },
    })
    expect(status).to.equal(200)
    expect(output).to.deep.equal([])
  })

  it('reports a used link on a readable page', async () => {
    const link = await linkFor('used@example.com')
    await auth.press(link)
    const page = await open({ colorScheme: 'dark' })
    await page.goto(link)
    await page.getByText('Request a new e-mail').waitFor()
    await expectUsable(page, 'the page of a used link')
  })

  it('rejects sign-in requests from other sites', async () => {
    const token = new URL(await linkFor('attacker@example.com')).searchParams.get('token') ?? ''
    content = `<form method="post" action="${auth.url}/verify"><input name="token" value="${token}"></form><script>document.forms[0].submit()</script>`
    const page = await open()
    await page.goto(appOrigin)
    await page.waitForURL(`${auth.url}/verify`)
    await page.getByText('press the button on its page').waitFor()
    expect((await auth.call('POST', '/verify', { body: { type: 'email', token_hash: token } })).status).to.equal(200)
  })

  it('returns from a provider with a code, only in the browser that started the sign-in', async () => {
    mock.world = {
      github: {
        user: { id: 9, login: 'octo' },
        emails: [{ email: 'nine@example.com', primary: true, verified: true }],
      },
    }
    const page = await open()
    const client = auth.client()
    const {
      data: { url },
    } = await client.signInWithOAuth({
      provider: 'github',
      options: { redirectTo: `${appOrigin}/developer/callback`, skipBrowserRedirect: true },
    })
    content = `<a href="${String(url).replaceAll('&', '&amp;')}">GitHub</a>`
    await page.goto(appOrigin)
    await page.getByText('GitHub').click()
    await page.waitForURL(`${appOrigin}/developer/callback?*`)
    expect(
      (await client.exchangeCodeForSession(new URL(page.url()).searchParams.get('code') ?? '')).data.user?.email,
    ).to.equal('nine@example.com')
    expect(await page.context().cookies()).to.deep.equal([])

    const {
      data: { url: other },
    } = await auth.client().signInWithOAuth({ provider: 'github', options: { skipBrowserRedirect: true } })
    const back = mock.agree((await auth.call('GET', other ?? '')).headers.get('location') ?? '')
    await page.goto(back)
    await page.getByText('not started in this browser').waitFor()
  })
})
