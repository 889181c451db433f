import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { bytesOfHex } from '../../clients/signing/bytes.ts'
import { encodeEnvelope } from '../../clients/signing/encode-transaction.ts'
import { sendFlow } from '../../clients/signing/transactions/make-transaction.ts'
import { verifyUserMessage } from '../../clients/signing/sign-transaction.ts'
import { verifyPasskeySignature } from '../../clients/signing/verify-signature.ts'
import { newEmail, otherAddress } from '../support/fake-wallet.ts'
import { answerIn, signRequest, openWindow, ownTransaction, signableOf, startAppPages } from './fcl-windows.ts'
import type { AppPages } from './fcl-windows.ts'
import { expectUsable } from './page-checks.ts'
import { addAuthenticator } from './virtual-authenticator.ts'
import { makeFirstPasskey, signInByCode, useWalletSession } from './wallet-session.ts'

describe('wallet windows and hostile applications', () => {
  const session = useWalletSession()
  let pages: AppPages

  before(async () => {
    pages = await startAppPages()
  })
  after(() => pages.stop())

  interface Ready {
    readonly app: Page
    readonly address: string
    readonly publicKey: Uint8Array
    readonly open: (path: string, body: unknown, network?: string) => Promise<Page>
  }

  /** Opens the page of an application for a user with an account. */
  async function begin(): Promise<Ready> {
    const { page, context, authenticator } = await session.visit()
    await signInByCode(page, session.wallet)
    const address = await makeFirstPasskey(page)
    const app = await context.newPage()
    await app.goto(pages.origin)
    const publicKey = bytesOfHex(session.wallet.accounts.get(address)?.keys[0]?.publicKey ?? '', 'key')
    return {
      app,
      address,
      publicKey,
      open: async (path, body, network) => {
        const popup = await openWindow(app, `${session.wallet.url}/fcl/${path}`, body, network)
        await authenticator.copyTo(await addAuthenticator(popup))
        return popup
      },
    }
  }

  it('signs the displayed transaction, and ignores later messages', async () => {
    const { app, address, publicKey, open } = await begin()
    const popup = await open('authz', signableOf(ownTransaction(address)))
    await popup.getByText('12.5 FLOW').first().waitFor()
    const more = ownTransaction(address, sendFlow('emulator', { amount: 9_900_000_000n, to: otherAddress() }))
    await app.evaluate(`popup.postMessage(${JSON.stringify(signRequest(signableOf(more)))}, '*')`)
    await popup.getByText('sent another request').waitFor()
    await expectUsable(popup, 'a second request')
    await popup.getByText('12.5 FLOW').first().waitFor()
    await popup.getByRole('button', { name: 'Approve' }).click()
    const { status, data } = await answerIn(app)
    expect(status).to.equal('APPROVED')
    const signature = {
      signature: bytesOfHex(String(data?.['signature']), 'signature'),
      extensionData: bytesOfHex(String(data?.['extensionData']), 'extensionData'),
    }
    await verifyPasskeySignature({
      domain: 'transaction',
      message: encodeEnvelope(ownTransaction(address)),
      publicKey,
      ...signature,
    })
    expect(
      await verifyPasskeySignature({
        domain: 'transaction',
        message: encodeEnvelope(more),
        publicKey,
        ...signature,
      }).then(
        () => 'good',
        () => 'bad',
      ),
    ).to.equal('bad')
  })

  it('rejects a message that does not match the displayed transaction', async () => {
    const { app, address, open } = await begin()
    const other = ownTransaction(address, sendFlow('emulator', { amount: 9_900_000_000n, to: otherAddress() }))
    const popup = await open('authz', signableOf(other, ownTransaction(address)))
    await popup.getByRole('heading', { name: 'Could not sign the' }).waitFor()
    expect(await popup.getByRole('button', { name: 'Approve' }).count()).to.equal(0)
    await expectUsable(popup, 'a message that lies')
    await popup.getByRole('button', { name: 'Back to the app' }).click()
    expect(await answerIn(app)).to.include({
      status: 'DECLINED',
      reason:
        'Could not sign the transaction. The message to sign is not the transaction that the app sent. The message ' +
        'must be the encoding of its voucher.',
      data: null,
    })
  })

  it('warns of scripts that can take over the account, and shows all of their code', async () => {
    const { address, open } = await begin()
    const script =
      'transaction(key: String) {\n  prepare(signer: auth(BorrowValue, AddKey) &Account) {\n    log(key)\n  }\n}'
    const popup = await open(
      'authz',
      signableOf(
        ownTransaction(address, { script, arguments: [JSON.stringify({ type: 'String', value: 'pay\u202E001' })] }),
      ),
    )
    await popup.getByText('The code can add keys to the account').waitFor()
    await popup.getByText('for example send tokens').waitFor()
    await popup.getByText('"pay⟨U+202E⟩001"').first().waitFor()
    expect(await popup.getByText('Your bank').count()).to.equal(0)
    await popup.getByText('Show the code').click()
    await popup.getByLabel('Cadence').getByText('log').waitFor()
    await expectUsable(popup, 'a dangerous script')
  })

  it('shows text of an application in full within the window, however long its words are', async () => {
    const { app, address, open } = await begin()
    const long = 'W'.repeat(300)
    const script = `import ${long} from 0x01\ntransaction(${long}: String, b: Int) { prepare(signer: auth(Storage, ${long}) &Account) { log("${long}") } }`
    const code = {
      script,
      arguments: [
        JSON.stringify({ type: 'String', value: long }),
        JSON.stringify({ type: 'Int', value: '9'.repeat(300) }),
      ],
    }
    const filters = [
      ['authz', signableOf(ownTransaction(address, code))],
      ['authn', { appIdentifier: long, nonce: 'ab'.repeat(32) }],
      ['user-signature', { message: Buffer.from(long).toString('hex') }],
    ] as const
    for (const [path, body] of filters) {
      const popup = await open(path, body)
      await popup.setViewportSize({ width: 320, height: 568 })
      await popup.getByText(long).first().waitFor()
      await expectUsable(popup, path)
      await popup.close()
      await app.reload()
    }
  })

  it('ignores messages from all windows except its opener', async () => {
    const { app, address, open } = await begin()
    await app.evaluate(
      `window.frame = document.body.appendChild(Object.assign(document.createElement('iframe'), { src: '${pages.origin}/frame' })); 0`,
    )
    const popup = await open('authz', signableOf(ownTransaction(address)))
    await popup.getByText('12.5 FLOW').first().waitFor()
    const frame = app.frames().find((one) => one.url().endsWith('/frame'))
    await popup.evaluate(
      'window.heard = []; window.last = new Promise((done) => { addEventListener("message", ({ data }) => heard.push(data) && data === "last" && done()) }); 0',
    )
    await frame?.evaluate(
      `for (const message of [${JSON.stringify(signRequest({ message: 'ab' }))}, 'last']) parent.popup.postMessage(message, '*')`,
    )
    await popup.evaluate('last')
    expect(await popup.evaluate('heard.length')).to.equal(2)
    await app.evaluate(`popup.postMessage({ type: 'FCL:VIEW:CLOSE' }, '*')`)
    expect(await popup.getByText('sent another request').count()).to.equal(0)
    await popup.getByText(pages.origin).waitFor()
  })

  it('does not respond to a page that replaced the opener', async () => {
    const { app, open } = await begin()
    const popup = await open('authn', {})
    await popup.getByRole('button', { name: 'Connect' }).waitFor()
    // The opener itself navigates, so that the next page has the same window.
    await Promise.all([app.waitForURL(`${pages.otherOrigin}/`), app.evaluate(`location.href = '${pages.otherOrigin}'`)])
    await popup.getByRole('button', { name: 'Connect' }).click()
    await popup.getByRole('heading', { name: 'Done' }).waitFor()
    await popup.evaluate('opener.postMessage("last", "*")')
    await app.waitForFunction('heard.includes("last")')
    expect(await app.evaluate('heard')).to.deep.equal(['last'])
  })

  it('reports an error without an opener, or with one without HTTPS', async () => {
    const { app } = await begin()
    const alone = await app.context().newPage()
    await alone.goto(`${session.wallet.url}/fcl/authz`)
    await alone.getByRole('heading', { name: 'No app opened this window' }).waitFor()
    await expectUsable(alone, 'no application')
    await app.context().route('http://app.example/', (route) =>
      route.fulfill({
        contentType: 'text/html',
        body: '<h1>Plain</h1><script>window.heard = []; addEventListener("message", ({ data }) => heard.push(data))</script>',
      }),
    )
    await app.goto('http://app.example/')
    const popup = await openWindow(app, `${session.wallet.url}/fcl/authn`, {})
    await popup.getByRole('heading', { name: 'Requests from this page are not accepted' }).waitFor()
    expect((await answerIn(app)).status).to.equal('DECLINED')
  })

  it('ignores a click that was meant for another window', async () => {
    const { open } = await begin()
    const popup = await open('user-signature', { message: Buffer.from('hello').toString('hex') })
    const sign = popup.getByRole('button', { name: 'Sign' })
    await sign.and(popup.locator(':enabled')).waitFor()
    const after = (event: string): Promise<boolean> =>
      popup.evaluate(`new Promise((done) => {
      dispatchEvent(new Event('${event}'))
      setTimeout(() => setTimeout(() => done(document.querySelector('.fcl-decision .strong').disabled)))
    })`)
    expect(await after('blur')).to.equal(true)
    expect(await after('focus')).to.equal(true)
    await sign.and(popup.locator(':enabled')).waitFor()
  })

  it('signs only for accounts of the user, and only with passkeys', async () => {
    const { app, address, open } = await begin()
    const popup = await open('authz', signableOf(ownTransaction(otherAddress())))
    await popup.getByRole('heading', { name: 'This is not one of your accounts' }).waitFor()
    await expectUsable(popup, 'another account')
    await popup.getByRole('button', { name: 'Back to the app' }).click()
    expect((await answerIn(app)).reason).to.include(otherAddress())
    await startAgain(app, popup)
    const again = await open('authz', { ...signableOf(ownTransaction(address)), keyId: 1 })
    await again.getByText('none of your passkeys is that key').waitFor()
  })

  it('signs in the user before it shows the request', async () => {
    const { app, address, publicKey, open } = await begin()
    const message = Buffer.from('Wire\u202Eeriw\nGrüße')
    const context = app.context()
    await context.clearCookies()
    // Chrome would offer the passkey by autofill, and the virtual authenticator would accept it,
    // before or during the click.
    await context.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = () => Promise.resolve(false)')
    const popup = await open('user-signature', { message: message.toString('hex'), data: { addr: address, keyId: 0 } })
    await popup.getByText(pages.origin).waitFor()
    await popup.getByRole('button', { name: 'Sign in with a passkey' }).click()
    await popup.getByText('Wire⟨U+202E⟩eriw').waitFor()
    await expectUsable(popup, 'a message that hides')
    await popup.getByRole('button', { name: 'Sign', exact: true }).click()
    const { data } = await answerIn(app)
    await verifyUserMessage(
      message,
      {
        address,
        keyIndex: 0,
        signature: bytesOfHex(String(data?.['signature']), 's'),
        extensionData: bytesOfHex(String(data?.['extensionData']), 'e'),
      },
      publicKey,
    )
  })

  it('creates no account proof for another site, and rejects unknown networks', async () => {
    const { app, address, open } = await begin()
    const popup = await open('authn', { nonce: 'ab'.repeat(32), appIdentifier: 'https://bank.example' })
    await popup.getByText('which is another site').waitFor()
    await expectUsable(popup, 'a proof for another page')
    await popup.getByRole('button', { name: 'Connect' }).click()
    const { data } = await answerIn(app)
    expect(data?.['addr']).to.equal(address)
    expect(
      (data?.['services'] as readonly { readonly type: string }[] | undefined)?.map(({ type }) => type),
    ).to.deep.equal(['authn', 'authz', 'user-signature'])
    await startAgain(app, popup)
    const elsewhere = await open('authn', {}, 'previewnet')
    await elsewhere.getByText('This wallet does not support the network previewnet').waitFor()
    expect(await elsewhere.getByRole('button', { name: 'Connect' }).count()).to.equal(0)
    await elsewhere.getByRole('button', { name: 'Decline' }).click()
  })

  it('reports a declined connection of a user without an account', async () => {
    const { page, context } = await session.visit()
    await signInByCode(page, session.wallet, newEmail())
    const app = await context.newPage()
    await app.goto(pages.origin)
    const popup = await openWindow(app, `${session.wallet.url}/fcl/authn`, {})
    await popup.getByText('You have no account on this network yet').waitFor()
    await expectUsable(popup, 'no account')
    await popup.getByRole('button', { name: 'Decline' }).click()
    expect(await answerIn(app)).to.include({ status: 'DECLINED', reason: 'The user declined to connect.' })
  })
})

/** Resets what the application opened and received. */
async function startAgain(app: Page, popup: Page): Promise<void> {
  await popup.close()
  await app.reload()
}
