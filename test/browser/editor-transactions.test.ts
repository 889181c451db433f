import { expect } from 'chai'
import type { BrowserContext, Page } from 'playwright-core'
import { newEmail } from '../support/fake-wallet.ts'
import { payerChains } from '../support/payer-chains.ts'
import { startProgramWorld } from '../support/program-world.ts'
import type { ProgramWorld } from '../support/program-world.ts'
import { codeOf, openEditorPage, openFile } from './editor-session.ts'
import { expectUsable } from './page-checks.ts'
import { addAuthenticator } from './virtual-authenticator.ts'
import type { VirtualAuthenticator } from './virtual-authenticator.ts'
import { makeFirstPasskey, openWallet, signInByCode } from './wallet-session.ts'

for (const { name, start } of payerChains) {
  describe(`transactions of the editor, on ${name}`, function (this: Mocha.Suite) {
    let world: ProgramWorld | undefined
    let context: BrowserContext
    let device: VirtualAuthenticator
    let page: Page
    let output: string[]
    let address = ''
    let payer = ''

    before(async function (this: Mocha.Context) {
      world = await startProgramWorld(this, start)
      const { chain, browser, mails } = world
      payer = chain.payer.address
      const program = world.run(['wallet', 'editor'], {
        WALLET_PORT: '0',
        HTTP_PORT: '0',
        LSP_PORT: '0',
        EDITOR_LANGUAGE_SERVER: 'parser',
        EDITOR_NETWORKS: 'emulator',
        EDITOR_EMULATOR_API: chain.restUrl,
        WALLET_TESTNET_PAYER: chain.payerSetting,
        WALLET_TESTNET_FUNDS: '100',
      })
      const walletUrl = String((await program.logged(/Wallet listening/))['url'])
      const url = String((await program.logged(/Editor listening/))['url'])
      const visit = await openWallet(browser, { url: walletUrl })
      ;({ context, authenticator: device } = visit)
      await signInByCode(visit.page, mails, newEmail())
      address = await makeFirstPasskey(visit.page)
      ;({ page, output } = await openEditorPage(browser, { url }, { context }))
    })
    after(() => world?.stop())

    const result = () => page.getByRole('region', { name: 'Result', exact: true })
    const form = () => page.getByRole('tabpanel')

    /** Clicks a button that opens the wallet, and shares the device's passkeys with its window. */
    async function openWith(button: string): Promise<Page> {
      const [popup] = await Promise.all([
        page.waitForEvent('popup'),
        form().getByRole('button', { name: button, exact: true }).click(),
      ])
      await device.copyTo(await addAuthenticator(popup))
      return popup
    }

    it('are sent from an account of the wallet, with arguments of the signature', async () => {
      await page
        .getByRole('button', { name: 'transactions/send-flow.cdc' })
        .or(page.getByTitle('transactions/send-flow.cdc'))
        .first()
        .click()
      await openFile(page, 'transactions/send-flow.cdc').waitFor()
      await codeOf(page).press('ControlOrMeta+Enter')
      expect(await form().getByRole('button', { name: 'Send', exact: true }).isDisabled()).to.equal(true)
      await expectUsable(page, 'a transaction without an account')
      const connecting = await openWith('Connect wallet')
      await connecting.getByRole('button', { name: 'Connect' }).click()
      await form().getByText(address, { exact: true }).waitFor()

      await form().getByRole('button', { name: 'Send', exact: true }).click()
      await form().getByText('UFix64 must be a number').waitFor()
      await form().getByRole('textbox', { name: 'amount UFix64' }).fill('12.5')
      await form().getByRole('textbox', { name: 'to Address' }).fill(payer)
      const signing = await openWith('Send')
      await signing.getByRole('heading', { name: 'Send FLOW?' }).waitFor()
      await form().getByText('Waiting for your signature in the wallet').waitFor()
      await signing.getByRole('button', { name: 'Approve' }).click()
      await result().getByText('Sealed', { exact: true }).first().waitFor()
      await result().getByText('A.0ae53cb6e3f42a79.FlowToken.TokensWithdrawn').first().waitFor()
      const text = await result().innerText()
      expect(text).to.match(/[0-9a-f]{64}/)
      expect(text).to.match(/\d+ of 9,999/)
      expect(text).to.match(/0\.0+\d+ FLOW/)
      await result().getByText('12.50000000').first().waitFor()
      if (!signing.isClosed()) await signing.waitForEvent('close')
      await expectUsable(page, 'a sealed transaction')
    })

    it('report an error of the chain, a declined request and a closed window', async () => {
      await form().getByRole('textbox', { name: 'amount UFix64' }).fill('1000000')
      const failing = await openWith('Send')
      await failing.getByRole('button', { name: 'Approve' }).click()
      await result().getByText('Failed', { exact: true }).waitFor()
      await result()
        .getByText(/Cannot withdraw tokens|amount/i)
        .first()
        .waitFor()
      const declined = await openWith('Send')
      await declined.getByRole('button', { name: 'Decline' }).click()
      await result().getByText('The user declined the transaction.').waitFor()
      const closed = await openWith('Send')
      await closed.getByRole('heading', { name: 'Send FLOW?' }).waitFor()
      await closed.close()
      await result().getByText('The wallet window was closed.').waitFor()
    })

    it('deploy a contract, and update it after a comparison', async () => {
      await page.getByRole('navigation').getByTitle('contracts/Counter.cdc').click()
      await openFile(page, 'contracts/Counter.cdc').and(page.locator('[aria-current]')).waitFor()
      await result().getByText(`${address} has no contract Counter yet.`).waitFor()
      const adding = await openWith('Deploy Counter')
      await adding.getByText('Deploys the contract Counter').waitFor()
      await adding.getByRole('button', { name: 'Approve' }).click()
      await result().getByText('Sealed', { exact: true }).first().waitFor()
      await result().getByText('flow.AccountContractAdded').first().waitFor()
      await result().getByText('has this code of Counter.').waitFor()
      await codeOf(page).click()
      await page.keyboard.press('ControlOrMeta+End')
      await page.keyboard.press('ArrowUp')
      await page.keyboard.insertText('    access(all) fun twice(): Int { return self.count * 2 }\n')
      await result().getByText('+     access(all) fun twice()').waitFor()
      await expectUsable(page, 'the changes of an update')
      const updating = await openWith('Update Counter')
      await updating.getByText('Updates the contract Counter').waitFor()
      await updating.getByRole('button', { name: 'Approve' }).click()
      await result().getByText('flow.AccountContractUpdated').first().waitFor()
      await result().getByText('has this code of Counter.').waitFor()
      await codeOf(page).click()
      await page.keyboard.press('ControlOrMeta+End')
      await page.keyboard.press('ArrowUp')
      await page.keyboard.insertText('    access(all) var more: Int\n')
      await result().getByRole('alert').getByText('The field more is new').waitFor()
    })

    it('keep the account after a reload until it is disconnected', async () => {
      await page.reload()
      await page.getByRole('tab', { name: 'Run' }).click()
      await form().getByText(address, { exact: true }).waitFor()
      await form().getByRole('button', { name: 'Disconnect' }).click()
      await form().getByRole('button', { name: 'Connect wallet' }).waitFor()
      expect(output).to.deep.equal([])
    })
  })
}
