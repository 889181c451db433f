import { expect } from 'chai'
import type { BrowserContextOptions } from 'playwright-core'
import { useEmptyExplorer, useExplorerSession } from './explorer-session.ts'
import { expectAccessible, horizontalOverflow } from './page-checks.ts'

const looks: readonly (readonly [name: string, options: BrowserContextOptions])[] = [
  ['wide', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['phone', { viewport: { width: 360, height: 740 }, colorScheme: 'light' }],
  ['dark phone', { viewport: { width: 360, height: 740 }, colorScheme: 'dark' }],
]

describe('explorer gas page', function () {
  this.timeout(120_000)
  const session = useExplorerSession()
  const empty = useEmptyExplorer()

  for (const [name, options] of looks) {
    it(`shows prices, fees and contracts: ${name}`, async () => {
      const page = await session.open('/evm/gas', options)
      await page.locator('.key-numbers').getByText('1 wei').waitFor()
      await page.getByRole('region', { name: 'Fees', exact: true }).getByText('21,000').waitFor()
      await page.getByRole('region', { name: 'Contracts by gas' }).getByRole('link').first().waitFor()
      for (const chart of ['Gas by block', 'Gas by day']) await page.getByRole('region', { name: chart }).waitFor()
      expect(await horizontalOverflow(page)).to.equal(0)
      expect(session.consoleMessages).to.deep.equal([])
      await expectAccessible(page, name)
    })
  }

  it('is linked from the EVM page', async () => {
    const page = await session.open('/evm')
    await page.getByRole('link', { name: 'Gas prices' }).click()
    await page.getByRole('heading', { level: 1, name: 'EVM Gas' }).waitFor()
  })

  it('says what will appear without transactions', async () => {
    const page = await session.open('/evm/gas', { of: empty.api })
    await page.getByText('No EVM transactions yet').waitFor()
    await expectAccessible(page, 'empty')
  })
})
