import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { otherAddress } from '../support/fake-wallet.ts'
import { expectUsable } from './page-checks.ts'
import { fillPayment, makeFirstPasskey, signInByCode, useWalletSession } from './wallet-session.ts'

const transactions = '**/chain/testnet/transactions'

describe('payments with a lost response', () => {
  const session = useWalletSession()

  const readyToPay = async (): Promise<Page> => {
    const { page } = await session.visit()
    await signInByCode(page, session.wallet)
    await makeFirstPasskey(page)
    session.wallet.balances.set(otherAddress(), 0n)
    await page.goto(`${session.wallet.url}/send`)
    await fillPayment(page, '1')
    return page
  }

  it('are paid once, with their result shown', async () => {
    const page = await readyToPay()
    const bodies: (string | null)[] = []
    await page.route(transactions, async (route) => {
      bodies.push(route.request().postData())
      const response = await route.fetch()
      if (bodies.length === 1) await route.abort('connectionreset')
      else await route.fulfill({ response })
    })
    await page.getByRole('button', { name: 'Send with your passkey' }).click()
    await page.getByRole('heading', { name: 'Sent' }).waitFor()
    expect(bodies).to.have.length(2)
    expect(bodies[1]).to.equal(bodies[0])
    expect(session.wallet.balances.get(otherAddress())).to.equal(100_000_000n)
  })

  it('are not offered again if their status is unknown', async () => {
    const page = await readyToPay()
    let count = 0
    await page.route(transactions, async (route) => {
      count++
      if (count === 1) {
        await route.fetch()
        return route.abort('connectionreset')
      }
      return route.fulfill({
        status: 422,
        contentType: 'application/problem+json',
        body: JSON.stringify({ code: 'transaction-refused', detail: 'invalid transaction: the payer has too little' }),
      })
    })
    await page.getByRole('button', { name: 'Send with your passkey' }).click()
    await page.getByRole('heading', { name: 'Outcome unknown' }).waitFor()
    await page.getByText('before you send it again').waitFor()
    expect(await page.getByRole('button', { name: 'Retry' }).count()).to.equal(0)
    await expectUsable(page, 'a payment with an unknown outcome')
    expect(session.wallet.balances.get(otherAddress())).to.equal(100_000_000n)
  })
})
