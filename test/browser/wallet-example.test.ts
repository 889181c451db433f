import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import type { LedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { publishedPayer, publishedPayerSetting } from '../../simnode/ledger/world/account.ts'
import { browserOrSkip } from '../support/browser.ts'
import type { TestBrowser } from '../support/browser.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { newEmail } from '../support/fake-wallet.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { listenLocally } from '../support/listen-locally.ts'
import type { LocalServer } from '../support/listen-locally.ts'
import { createMailFolder } from '../support/mail-folder.ts'
import type { MailFolder } from '../support/mail-folder.ts'
import { repositoryRoot } from '../support/repository.ts'
import { expectUsable } from './page-checks.ts'
import { addAuthenticator } from './virtual-authenticator.ts'
import type { VirtualAuthenticator } from './virtual-authenticator.ts'
import { makeFirstPasskey, openWallet, signInByCode } from './wallet-session.ts'

const contentTypes: Readonly<Record<string, string>> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript' }

describe('the example of an application', function (this: Mocha.Suite) {
  let running: TestBrowser | undefined
  let database: TestDatabase | undefined
  let node: LedgerNode | undefined
  let mails: MailFolder | undefined
  let program: FlowfarmProcess | undefined
  let app: LocalServer | undefined
  let context: BrowserContext | undefined
  let library = ''
  let device: VirtualAuthenticator
  let page: Page
  let address = ''

  before(async function (this: Mocha.Context) {
    running = await browserOrSkip(this)
    database = await createTestDatabase()
    node = await startLedgerNode({ seed: 11, head: 330, hasPayer: true, hasRest: true, intervalMs: 200 })
    mails = await createMailFolder()
    library = await mkdtemp(join(tmpdir(), 'flowfarm-signing-'))
    const compiler = join(repositoryRoot, 'node_modules/typescript/bin/tsc')
    const project = join(repositoryRoot, 'clients/signing/tsconfig.package.json')
    await promisify(execFile)(process.execPath, [compiler, '--project', project, '--outDir', library])
    app = await listenLocally(
      createServer(({ url = '/' }, response) => {
        const { pathname } = new URL(url, 'http://localhost')
        const file = pathname.startsWith('/clients/signing/dist/')
          ? join(library, pathname.slice('/clients/signing/dist/'.length))
          : join(repositoryRoot, 'examples/wallet-app/index.html')
        readFile(file).then(
          (text) => response.writeHead(200, { 'content-type': contentTypes[extname(file)] ?? '' }).end(text),
          () => response.writeHead(404).end(),
        )
      }),
    )
    program = new FlowfarmProcess(['wallet'], {
      DB_URL: database.url,
      CHAIN_ACCESS_NODE: node.endpoint,
      HOST: '127.0.0.1',
      WALLET_PORT: '0',
      MAIL_FOLDER: mails.path,
      WALLET_TESTNET_PAYER: publishedPayerSetting,
      WALLET_TESTNET_FUNDS: '100',
    })
    const wallet = String((await program.logged(/Wallet listening/))['url'])
    const visit = await openWallet(running, { url: wallet })
    context = visit.context
    device = visit.authenticator
    await signInByCode(visit.page, mails, newEmail())
    address = await makeFirstPasskey(visit.page)
    page = await context.newPage()
    await page.goto(`${app.url}/examples/wallet-app/?${new URLSearchParams({ wallet, node: node.restUrl }).toString()}`)
  })

  after(async () => {
    await context?.close()
    await running?.close()
    await program?.end('SIGTERM')
    await Promise.all([app?.stop(), node?.stop(), database?.drop(), mails?.remove()])
    await rm(library, { recursive: true, force: true })
  })

  /** Presses a button of the page, and one in the window that opens. */
  async function press(name: string, then: string): Promise<void> {
    const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByRole('button', { name }).click()])
    await device.copyTo(await addAuthenticator(popup))
    await popup.getByRole('button', { name: then }).click()
  }

  it('connects an account and shows its balance', async () => {
    await press('Connect', 'Connect')
    await page.getByText(/^100\.0\d+$/).waitFor({ timeout: 20_000 })
    expect(await page.getByText(address).count()).to.equal(1)
    await expectUsable(page, 'the connected example')
  })

  it('sends FLOW', async () => {
    await page.getByRole('textbox', { name: 'To' }).fill(publishedPayer.address)
    await page.getByRole('textbox', { name: 'Amount in FLOW' }).fill('12.5')
    await press('Send', 'Approve')
    await page.getByText('Sealed: 12.5 FLOW sent.').waitFor({ timeout: 30_000 })
    await page.getByText(/^87\.[45]\d+$/).waitFor({ timeout: 20_000 })
  })

  it('shows that the user declined', async () => {
    await press('Send', 'Decline')
    await page.getByText('The user declined the transaction.').waitFor({ timeout: 20_000 })
  })
})
