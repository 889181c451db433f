import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { exploredChain } from '../support/explored-chain.ts'
import { useEmptyExplorer, useExplorerSession } from './explorer-session.ts'
import { expectUsable, untilLoaded } from './page-checks.ts'

const phone = { viewport: { width: 360, height: 740 } } as const
const looks = {
  wide: {},
  dark: { colorScheme: 'dark' },
  phone,
  'dark phone': { ...phone, colorScheme: 'dark' },
} as const

describe('explorer search', () => {
  const session = useExplorerSession()
  const empty = useEmptyExplorer()

  async function type(page: Page, text: string): Promise<void> {
    await page.getByRole('combobox', { name: 'Search' }).fill(text)
  }

  for (const [look, options] of Object.entries(looks)) {
    it(`suggests groups and lists results: ${look}`, async () => {
      const page = await session.open('/blocks', options)
      await type(page, 'paper')
      const suggestions = page.getByRole('listbox', { name: 'Suggestions' })
      await suggestions.getByRole('group', { name: 'NFT collections' }).getByRole('option').first().waitFor()
      await suggestions.getByRole('group', { name: 'contracts' }).getByRole('option').first().waitFor()
      await expectUsable(page, `suggestions, ${look}`)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Search for “paper”' }).waitFor()
      await page.getByRole('region', { name: 'NFT collections' }).getByRole('link').first().waitFor()
      await untilLoaded(page)
      await expectUsable(page, `results, ${look}`)
      await page.getByRole('region', { name: 'Contracts' }).getByRole('link', { name: 'PaperBoats' }).click()
      await page.getByRole('heading', { level: 1, name: /PaperBoats/ }).waitFor()
      expect(session.consoleMessages).to.deep.equal([])
    })
  }

  it('opens the only exact match of a height, shortened id or link', async () => {
    const { database } = await exploredChain()
    const { rows } = await database.pool.query<{ id: string; address: string }>(`
      select encode(id, 'hex') as id, payer_address as address from raw.transactions
      where payer_address is not null order by block_height desc limit 1`)
    const [{ id, address } = { id: '', address: '' }] = rows
    const titles: Readonly<Record<string, RegExp>> = {
      '#141': /^Block 141$/,
      [`${id.slice(0, 8)}…${id.slice(-8)}`]: /^Transaction /,
      [`https://www.flowscan.io/tx/${id}?tab=events`]: /^Transaction /,
      [`https://www.flowdiver.io/account/${address}`]: /^Account /,
    }
    const page = await session.open('/')
    for (const [text, title] of Object.entries(titles)) {
      await type(page, text)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
    }
  })

  it('lists the first and the newest block of a day', async () => {
    const page = await session.open('/')
    await page
      .getByRole('link', { name: /^[\d,]+$/ })
      .first()
      .waitFor()
    const { database } = await exploredChain()
    const { rows } = await database.pool.query<{ day: string }>(
      `select to_char(max(timestamp at time zone 'UTC'), 'YYYY-MM-DD') as day from raw.blocks`,
    )
    await type(page, rows[0]?.day ?? '')
    await page.getByRole('option', { name: /first block of/ }).waitFor()
    await page.getByRole('option', { name: /newest block of/ }).click()
    await page.getByRole('heading', { level: 1, name: /^Block / }).waitFor()
  })

  it('offers similar names for a typing error', async () => {
    const page = await session.open('/search?q=paprebaots')
    await page.getByText('No name contains “paprebaots”. These are spelled similarly.').waitFor()
    await page
      .getByRole('region', { name: 'Similar NFT collections' })
      .getByRole('link', { name: 'PaperBoats' })
      .waitFor()
    await expectUsable(page, 'similar names')
  })

  it('gives examples of this database if nothing is found, each of which finds something', async () => {
    const page = await session.open('/search?q=no+such+thing')
    await page.getByText('No results', { exact: true }).waitFor()
    const examples = page.getByRole('region', { name: 'Results' }).getByRole('link')
    await examples.first().waitFor()
    await expectUsable(page, 'no results')
    const texts = await examples.allInnerTexts()
    expect(texts.length).to.be.above(5)
    for (const text of texts) {
      await page.goto(`http://${session.api.host}/search?q=no+such+thing`)
      await examples.getByText(text, { exact: true }).click()
      await untilLoaded(page)
      expect(await page.getByText('No results', { exact: true }).count(), text).to.equal(0)
    }
  })

  it('names the network of a link to another one', async () => {
    const page = await session.open(
      `/search?q=${encodeURIComponent(`https://testnet.flowscan.io/tx/${'0'.repeat(64)}`)}`,
    )
    await page.getByText('The link is of Flow testnet, and this explorer has flow-').waitFor()
    await page.goto(`http://${session.api.host}/search?q=https%3A%2F%2Fwww.flowscan.io%2Ftx%2F${'0'.repeat(64)}`)
    await page.getByText('No results', { exact: true }).waitFor()
    await untilLoaded(page)
    expect(await page.getByText('The link is of Flow').count()).to.equal(0)
  })

  it('explains what can be searched in an empty database', async () => {
    const page = await session.open('/search', { ...phone, of: empty.api })
    await page.getByText('Enter a search term', { exact: true }).waitFor()
    await untilLoaded(page)
    expect(await page.getByRole('region', { name: 'Results' }).getByRole('link').count()).to.equal(0)
    await expectUsable(page, 'an empty database')
  })
})
