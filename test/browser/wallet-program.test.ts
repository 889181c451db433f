import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'chai'
import { payerChains } from '../support/payer-chains.ts'
import { startProgramWorld } from '../support/program-world.ts'
import type { ProgramWorld } from '../support/program-world.ts'
import { newEmail } from '../support/fake-wallet.ts'
import { watchConsole } from './page-checks.ts'
import { fillPayment, makeFirstPasskey, openWallet, signInByCode } from './wallet-session.ts'

interface Transfer {
  readonly transaction_hash: string
  readonly amount: string
  readonly direction: string
  readonly address: string
  readonly sender: string
  readonly receiver: string
}

for (const { name, start } of payerChains) {
  describe(`the wallet of the running program, on ${name}`, function (this: Mocha.Suite) {
    let world: ProgramWorld | undefined
    before(async function (this: Mocha.Context) {
      world = await startProgramWorld(this, start)
    })
    after(() => world?.stop())

    it('leads from an e-mail code to a payment that the explorer shows', async () => {
      if (world === undefined) throw new Error('the suite has not begun')
      const { chain, browser, mails } = world
      const program = world.run(['ingest', 'farm', 'api', 'wallet'], {
        PORT: '0',
        WALLET_PORT: '0',
        WALLET_TESTNET_PAYER: chain.payerSetting,
        WALLET_TESTNET_FUNDS: '100',
        ...chain.variables,
      })
      const url = String((await program.logged(/Wallet listening/))['url'])
      const { page, context, authenticator, output: consoleMessages } = await openWallet(browser, { url })
      await signInByCode(page, mails, newEmail())

      const address = await makeFirstPasskey(page)
      expect(await authenticator.count()).to.equal(1)
      // The minimum balance of an account plus the payer's deposit.
      await page.getByText('100.001 FLOW').waitFor()

      await page.getByRole('link', { name: 'Send', exact: true }).first().click()
      await fillPayment(page, '12.5', chain.payer.address)
      await page.getByRole('button', { name: 'Send with your passkey' }).click()
      await page.getByRole('heading', { name: 'Sent' }).waitFor()
      const link = new URL((await page.getByRole('link', { name: 'View in the explorer' }).getAttribute('href')) ?? '')
      const id = link.pathname.split('/').at(-1) ?? ''
      expect(link.pathname).to.match(/\/transaction\/[0-9a-f]{64}$/)

      const transfer = await transferOf(link.origin, address, id)
      expect(transfer).to.deep.include({
        amount: '12.50000000',
        direction: 'withdraw',
        sender: address,
        receiver: chain.payer.address,
      })
      const [explorer] = await Promise.all([
        context.waitForEvent('page'),
        page.getByRole('link', { name: 'View in the explorer' }).click(),
      ])
      const seen = watchConsole(explorer)
      await explorer.getByText(id.slice(0, 8)).first().waitFor()
      await explorer.getByText('12.5').first().waitFor()
      expect(seen).to.deep.equal([])

      await page.getByRole('button', { name: 'Back to accounts' }).click()
      await page.getByText(/^87\.\d+ FLOW$/).waitFor()
      await page.getByRole('link', { name: 'Activity' }).click()
      await page.getByText('−12.5 FLOW').waitFor()
      expect(consoleMessages).to.deep.equal([])
      expect(program.log.filter(({ level }) => ['warn', 'error', 'fatal'].includes(level))).to.deep.equal([])
    })
  })
}

/** Waits until the API has derived the transfers of a transaction. */
async function transferOf(api: string, address: string, id: string): Promise<Transfer> {
  for (;;) {
    const response = await fetch(`${api}/flow/account/${address}/ft/transfer?limit=50`)
    const { data } = response.ok ? ((await response.json()) as { readonly data: readonly Transfer[] }) : { data: [] }
    const found = data.find(
      ({ transaction_hash: hash, direction }) => hash.replace(/^0x/, '') === id && direction === 'withdraw',
    )
    if (found !== undefined) return found
    await delay(100)
  }
}
