import { expect } from 'chai'
import { browserOrSkip } from '../support/browser.ts'
import type { TestBrowser } from '../support/browser.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { newEmail } from '../support/fake-wallet.ts'
import { runAuth } from '../wallet/auth/support/running-auth.ts'
import type { RunningAuth } from '../wallet/auth/support/running-auth.ts'
import { openWallet, signInByCode } from './wallet-session.ts'

describe('the wallet of the running program with an external auth server on another origin', function (this: Mocha.Suite) {
  let running: TestBrowser | undefined
  let databases: readonly TestDatabase[] = []
  let auth: RunningAuth | undefined
  let program: FlowfarmProcess | undefined
  const allowed: string[] = []

  before(async function (this: Mocha.Context) {
    running = await browserOrSkip(this)
    databases = [await createTestDatabase(), await createTestDatabase()]
    const [database] = databases
    if (database !== undefined)
      auth = await runAuth(database, { isAllowedOrigin: (origin) => allowed.includes(origin) })
  })
  after(async () => {
    await running?.close()
    await program?.end('SIGTERM')
    await auth?.stop()
    for (const database of databases) await database.drop()
  })

  it('signs in there, stores the session in a local cookie, and allows only that origin in connect-src', async () => {
    if (running === undefined || auth === undefined) throw new Error('the suite has not begun')
    program = new FlowfarmProcess(['wallet'], {
      DB_URL: databases[1]?.url ?? '',
      HOST: '127.0.0.1',
      WALLET_PORT: '0',
      GOTRUE_URL: auth.url,
    })
    const url = String((await program.logged(/Wallet listening/))['url'])
    allowed.push(url)
    const { page, context, output: consoleMessages } = await openWallet(running, { url })
    const { mailTo } = auth
    const email = await signInByCode(page, { codeFor: async (to) => (await mailTo(to)).code }, newEmail())
    expect(await context.cookies(url)).to.have.length(1)
    await page.reload()
    await page.getByText(email).waitFor()
    await page.getByRole('heading', { name: 'Welcome' }).waitFor()
    expect(consoleMessages).to.deep.equal([])
    await page.getByRole('link', { name: 'Profile' }).click()
    await page.getByRole('button', { name: 'Sign out everywhere' }).waitFor()
    expect(
      await page.getByRole('button', { name: /^(?:Delete user|Change)$/ }).count(),
      'what that server does not offer',
    ).to.equal(0)
    expect(consoleMessages).to.deep.equal([])
    const policy = (await fetch(url)).headers.get('content-security-policy') ?? ''
    expect(policy).to.include(`connect-src 'self' ${auth.origin};`)
    const other = auth.origin.replace('127.0.0.1', 'localhost')
    expect(await page.evaluate(`fetch('${other}/auth/v1/health').then(() => 'called', () => 'refused')`)).to.equal(
      'refused',
    )
    expect(consoleMessages.join(' ')).to.include('Content Security Policy')
  })
})
