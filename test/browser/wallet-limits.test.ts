import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { answerIn, openWindow, ownTransaction, signableOf, startAppPages } from './fcl-windows.ts'
import type { AppPages } from './fcl-windows.ts'
import { expectUsable } from './page-checks.ts'
import { addAuthenticator } from './virtual-authenticator.ts'
import { makeFirstPasskey, signInByCode, useWalletSession } from './wallet-session.ts'

describe('limits of an application in the wallet', function () {
  this.timeout(100_000)
  const session = useWalletSession()
  let apps: AppPages
  before(async () => void (apps = await startAppPages()))
  after(() => apps.stop())

  it('are set on a page, counted when the wallet signs, and refuse what is over them', async () => {
    const { page, context, authenticator } = await session.visit()
    context.setDefaultTimeout(20_000)
    await signInByCode(page, session.wallet)
    const address = await makeFirstPasskey(page)
    const other = { script: 'transaction { prepare(signer: auth(BorrowValue) &Account) {} }', arguments: [] }
    const open = async (code?: typeof other): Promise<{ readonly app: Page; readonly popup: Page }> => {
      const app = await context.newPage()
      await app.goto(apps.origin)
      const signable = signableOf(ownTransaction(address, code))
      const popup = await openWindow(app, `${session.wallet.url}/fcl/authz`, signable)
      await authenticator.copyTo(await addAuthenticator(popup))
      return { app, popup }
    }

    const { popup: free } = await open()
    const link = await free.getByRole('link', { name: 'Set limits for this app' }).getAttribute('href')
    await free.close()
    await page.goto(new URL(link ?? '', session.wallet.url).href)
    await page.getByText('No limits yet').waitFor()
    expect(await page.getByRole('textbox', { name: 'Address of the app' }).inputValue()).to.equal(apps.origin)
    await page.getByRole('textbox', { name: 'FLOW a day' }).fill('20.5.1')
    await page.getByRole('button', { name: 'Save limits' }).click()
    await page.getByText('Enter a number such as 12 or 12.5').waitFor()
    await page.getByRole('textbox', { name: 'FLOW a day' }).fill('20')
    await page.getByRole('button', { name: 'Save limits' }).click()
    await page.getByText('20 FLOW a day').waitFor()
    await expectUsable(page, 'the page of limits')

    // The script of `ownTransaction` sends 12.5 FLOW.
    const { app, popup } = await open()
    await popup.getByText('20 of 20 FLOW left today').waitFor()
    await popup.getByRole('button', { name: 'Approve' }).click()
    expect((await answerIn(app)).status).to.equal('APPROVED')

    const { popup: second } = await open()
    await second.getByText('7.5 of 20 FLOW left today').waitFor()
    expect(await second.getByRole('button', { name: 'Approve' }).count()).to.equal(0)
    await expectUsable(second, 'a payment over the limit')

    const { popup: asked } = await open(other)
    await asked.getByText('No limit covers this transaction').waitFor()
    expect(await asked.getByRole('button', { name: 'Approve' }).count()).to.equal(1)
    await expectUsable(asked, 'a transaction without a limit')

    await page.reload()
    await page.getByText('12.5 FLOW signed today').waitFor()
    await page.getByRole('button', { name: `Edit ${apps.origin}` }).click()
    await page.getByRole('combobox', { name: 'Other transactions' }).selectOption('refuse')
    await page.getByRole('button', { name: 'Save limits' }).click()
    await page.getByText('refuses other transactions').waitFor()
    const { popup: refused } = await open(other)
    await refused.getByText('Your limits refuse this transaction').waitFor()
    expect(await refused.getByRole('button', { name: 'Approve' }).count()).to.equal(0)
    await page.getByRole('button', { name: `Delete ${apps.origin}` }).click()
    await page.getByText('No limits yet').waitFor()
  })
})
