import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { bytesOfHex, hexOf } from '../../clients/signing/bytes.ts'
import { verifyAccountProof } from '../../clients/signing/fcl-account-proof.ts'
import { sendFlow } from '../../clients/signing/transactions/make-transaction.ts'
import { verifyUserMessage } from '../../clients/signing/sign-transaction.ts'
import { startLedgerNode } from '../../simnode/ledger/ledger-node.ts'
import type { LedgerNode } from '../../simnode/ledger/ledger-node.ts'
import { publishedPayer, publishedPayerSetting } from '../../simnode/ledger/world/account.ts'
import { browserOrSkip } from '../support/browser.ts'
import type { TestBrowser } from '../support/browser.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { FlowfarmProcess } from '../support/flowfarm-process.ts'
import { createMailFolder } from '../support/mail-folder.ts'
import type { MailFolder } from '../support/mail-folder.ts'
import { testPayer } from '../support/node-client.ts'
import { newEmail } from '../support/fake-wallet.ts'
import { openFclApp, startFclApp, withPopup } from './fcl-app.ts'
import type { FclApp } from './fcl-app.ts'
import { addAuthenticator } from './virtual-authenticator.ts'
import type { VirtualAuthenticator } from './virtual-authenticator.ts'
import { makeFirstPasskey, openWallet, signInByCode } from './wallet-session.ts'

interface Signature {
  readonly f_type: string
  readonly addr: string
  readonly keyId: number
  readonly signature: string
  readonly extensionData: string
}
interface User {
  readonly addr: string | null
  readonly loggedIn: boolean | null
  readonly services: readonly {
    readonly type: string
    readonly method: string
    readonly endpoint?: string
    readonly data?: { readonly signatures?: readonly Signature[] }
  }[]
}

describe('an FCL application on the simulated chain', function (this: Mocha.Suite) {
  let running: TestBrowser | undefined
  let database: TestDatabase | undefined
  let node: LedgerNode | undefined
  let mails: MailFolder | undefined
  let program: FlowfarmProcess | undefined
  let app: FclApp | undefined
  let context: BrowserContext | undefined
  let device: VirtualAuthenticator
  let page: Page
  let address = ''
  let publicKey = new Uint8Array()

  before(async function (this: Mocha.Context) {
    running = await browserOrSkip(this)
    database = await createTestDatabase()
    node = await startLedgerNode({ seed: 11, head: 330, hasPayer: true, hasRest: true, intervalMs: 200 })
    mails = await createMailFolder()
    app = await startFclApp()
    program = new FlowfarmProcess(['wallet'], {
      DB_URL: database.url,
      CHAIN_ACCESS_NODE: node.endpoint,
      HOST: '127.0.0.1',
      WALLET_PORT: '0',
      MAIL_FOLDER: mails.path,
      WALLET_TESTNET_PAYER: publishedPayerSetting,
      WALLET_TESTNET_FUNDS: '100',
    })
    const url = String((await program.logged(/Wallet listening/))['url'])
    const visit = await openWallet(running, { url })
    context = visit.context
    device = visit.authenticator
    await signInByCode(visit.page, mails, newEmail())
    address = await makeFirstPasskey(visit.page)
    const {
      keys: [key],
    } = (await (await fetch(`${url}/chain/testnet/accounts/${address}`)).json()) as {
      readonly keys: readonly { readonly public_key: string }[]
    }
    publicKey = bytesOfHex(key?.public_key ?? '', 'key')
    page = await openFclApp(context, app, {
      'accessNode.api': node.restUrl,
      'discovery.wallet': `${url}/fcl/authn`,
      'discovery.wallet.method': 'POP/RPC',
    })
  })

  after(async () => {
    await context?.close()
    await running?.close()
    await program?.end('SIGTERM')
    await Promise.all([app?.stop(), node?.stop(), database?.drop(), mails?.remove()])
  })

  /** Triggers an action that opens a window, and adds the device's passkeys to it. */
  async function ask<Answer>(call: string): Promise<{ readonly popup: Page; readonly answer: Promise<Answer> }> {
    const opened = await withPopup<Answer>(page, call)
    await device.copyTo(await addAuthenticator(opened.popup))
    await opened.popup.getByText(app?.origin ?? '').waitFor()
    return opened
  }

  it("receives the user's account with a proof", async () => {
    const nonce = 'ab'.repeat(32)
    const { popup, answer } = await ask<User>(`application.connect('${nonce}')`)
    await popup.getByRole('button', { name: 'Connect' }).click()
    const user = await answer
    expect(user).to.include({ addr: address, loggedIn: true })
    expect(user.services.map(({ type, method }) => [type, method])).to.deep.equal([
      ['authn', 'POP/RPC'],
      ['authz', 'POP/RPC'],
      ['user-signature', 'POP/RPC'],
      ['account-proof', 'DATA'],
    ])
    const [proof] = user.services.find(({ type }) => type === 'account-proof')?.data?.signatures ?? []
    await verifyAccountProof({ appIdentifier: app?.origin ?? '', address, nonce }, signatureOf(proof), publicKey)
    if (!popup.isClosed()) await popup.waitForEvent('close')
  })

  it('receives a signed message', async () => {
    const message = Buffer.from('Log in to the heron house')
    const { popup, answer } = await ask<readonly Signature[]>(`application.signMessage('${message.toString('hex')}')`)
    await popup.getByText('Log in to the heron house').waitFor()
    await popup.getByRole('button', { name: 'Sign' }).click()
    const [signature] = await answer
    expect(signature).to.include({ f_type: 'CompositeSignature', addr: address, keyId: 0 })
    await verifyUserMessage(message, signatureOf(signature), publicKey)
  })

  it('sends a transaction that the chain accepts', async () => {
    const { script } = sendFlow('emulator', { amount: 1n, to: publishedPayer.address })
    const { popup, answer } = await ask<{ readonly id?: string; readonly error?: string }>(
      `application.send(${JSON.stringify(script)}, [{ type: 'UFix64', value: '12.50000000' }, { type: 'Address', value: '${publishedPayer.address}' }])`,
    )
    await popup.getByRole('heading', { name: 'Send FLOW?' }).waitFor()
    await popup.getByText('12.5 FLOW').first().waitFor()
    await popup.getByRole('button', { name: 'Approve' }).click()
    const { id, error } = await answer
    expect(error).to.equal(undefined)
    expect(await page.evaluate(`application.sealed('${id ?? ''}')`)).to.equal('SEALED')
  })

  it('sends a transaction that it pays for', async () => {
    const payer = testPayer(1)
    await page.exposeFunction('signAsPayer', async (message: string) =>
      hexOf((await payer.key.sign(Buffer.from(message, 'hex').subarray(32))).signature),
    )
    const { script } = sendFlow('emulator', { amount: 1n, to: publishedPayer.address })
    const { popup, answer } = await ask<{ readonly id?: string; readonly error?: string }>(
      `application.send(${JSON.stringify(script)}, [{ type: 'UFix64', value: '1.00000000' }, { type: 'Address', value: '${publishedPayer.address}' }], ${JSON.stringify({ address: payer.address, keyIndex: payer.keyIndex })})`,
    )
    await popup.getByText(`paid by ${payer.address}`).waitFor()
    await popup.getByRole('button', { name: 'Approve' }).click()
    const { id, error } = await answer
    expect(error).to.equal(undefined)
    expect(await page.evaluate(`application.sealed('${id ?? ''}')`)).to.equal('SEALED')
  })

  it('receives an error if the user declines or closes the window', async () => {
    const declined = await ask<{ readonly error?: string }>(`application.signMessage('6869')`)
    await declined.popup.getByRole('button', { name: 'Decline' }).click()
    expect(await declined.answer).to.deep.equal({ error: 'Declined: The user declined to sign the message.' })
    const closed = await ask<{ readonly error?: string }>(
      `application.send('transaction { prepare(a: &Account) {} }', [])`,
    )
    await closed.popup.getByRole('heading', { name: 'Approve this transaction?' }).waitFor()
    await closed.popup.close()
    expect((await closed.answer).error).to.include('Externally Halted')
  })
})

function signatureOf(reported: Signature | undefined): {
  readonly address: string
  readonly keyIndex: number
  readonly signature: Uint8Array
  readonly extensionData: Uint8Array
} {
  if (reported === undefined) throw new Error('no signature')
  return {
    address: reported.addr,
    keyIndex: reported.keyId,
    signature: bytesOfHex(reported.signature, 'signature'),
    extensionData: bytesOfHex(reported.extensionData, 'extensionData'),
  }
}
