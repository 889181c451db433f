import { expect } from 'chai'
import type { Locator } from 'playwright-core'
import { useExplorerSession } from './explorer-session.ts'
import { beyondWindow, expectAccessible, tabTo, untilLoaded } from './page-checks.ts'

const account = '/account/0xe03daebed8ca0615'
const transaction = '/transaction/3ef0ef21d3f3dc615c36f930d83ae0c9367d1816f061849c76f1af06e8d355a7'

/** A balance of each of the last days, growing. */
function balances(days: number): object {
  const data = Array.from({ length: days }, (_, i) => {
    const date = new Date(Date.UTC(2026, 2, 1) - (days - i) * 86_400_000)
    return { date: date.toISOString().slice(0, 10), balance: `${1000 + i}.50000000` }
  })
  return { data }
}

describe('the explorer page as people use it', () => {
  const session = useExplorerSession()

  it('leaves out of the list what the chain does by itself, until one wants to see it', async () => {
    const page = await session.open('/transactions')
    const rows = page.getByRole('row')
    await rows.nth(5).waitFor()
    expect(await page.getByText('The chain does this by itself.').count()).to.equal(0)
    await page.getByRole('checkbox', { name: /the chain makes by itself/ }).check()
    await page.getByText('The chain does this by itself.').first().waitFor()
    expect(new URL(page.url()).search).to.equal('?show=all')
    await page.getByRole('cell', { name: 'the chain itself' }).first().waitFor()
    await page.reload()
    await page.getByText('The chain does this by itself.').first().waitFor()
    expect(await page.getByRole('checkbox', { name: /the chain makes by itself/ }).isChecked()).to.equal(true)
    expect(session.said).to.deep.equal([])
  })

  it('links each system transaction, whose id many blocks have, by the height of its block', async () => {
    const page = await session.open('/transactions?show=all')
    await page
      .getByRole('row', { name: /The chain does this by itself/ })
      .nth(3)
      .waitFor()
    const linksOf = async (part: Locator): Promise<readonly string[]> =>
      Promise.all(
        (await part.locator('a[href^="/transaction/"]').all()).map(
          async (link) => (await link.getAttribute('href')) ?? '',
        ),
      )
    const links = await linksOf(page.getByRole('row', { name: /The chain does this by itself/ }))
    expect(links.filter((link) => !/^\/transaction\/[0-9a-f]{64}\?height=\d+$/.test(link))).to.deep.equal([])
    const idOf = (link: string): string => link.replace(/\?.*/, '')
    // One of an earlier block: without its height the newest would be opened.
    const link = links.findLast((one) => links.some((newer) => newer !== one && idOf(newer) === idOf(one))) ?? ''
    const height = Number(new URLSearchParams(link.replace(/.*\?/, '')).get('height'))
    await page.locator(`a[href="${link}"]`).first().click()
    const story = page.getByText('This is the one in block')
    await story.getByRole('link', { name: height.toLocaleString('en'), exact: true }).waitFor()
    expect(new URL(page.url()).search).to.equal(`?height=${height}`)
    const others = await linksOf(story)
    expect(others).to.not.be.empty.and.not.include(link)
    expect(others.filter((other) => !other.startsWith(`${idOf(link)}?height=`))).to.deep.equal([])
    // The same from the page of the block.
    await story.getByRole('link', { name: height.toLocaleString('en'), exact: true }).click()
    await page.getByRole('heading', { level: 1, name: /^Block / }).waitFor()
    await page.locator(`a[href="${link}"]`).first().waitFor()
    expect(session.said).to.deep.equal([])
  })

  it('puts accounts in the order that one wants, and keeps it in the link', async () => {
    const page = await session.open('/accounts?sort=flow_balance')
    await page.getByRole('button', { name: 'Most FLOW', pressed: true }).waitFor()
    const first = page.getByRole('rowheader').first()
    await first.getByRole('link', { name: 'Account 0xf8d6…20c7' }).waitFor()
    await page.getByRole('button', { name: 'Newest' }).click()
    await first.getByRole('link', { name: 'Account 0x10c4…c807' }).waitFor()
    expect(new URL(page.url()).search).to.equal('?sort=first_seen')
    await page.getByRole('button', { name: 'Last active' }).click()
    await page.getByRole('button', { name: 'Last active', pressed: true }).waitFor()
    expect(new URL(page.url()).search).to.equal('')
  })

  it('leads back to the lines that were left', async () => {
    const page = await session.open('/blocks')
    await page.getByRole('button', { name: 'More blocks' }).click()
    await page.getByRole('rowheader').nth(49).waitFor()
    const link = page.getByRole('rowheader').nth(40).getByRole('link')
    await link.scrollIntoViewIfNeeded()
    const before = await page.evaluate<number>('scrollY')
    expect(before).to.be.above(300)
    await link.click()
    await page.locator('h1:focus', { hasText: 'Block' }).waitFor()
    expect(await page.evaluate<number>('scrollY')).to.equal(0)
    await page.goBack()
    await page.getByRole('rowheader').nth(49).waitFor()
    await page.waitForFunction(`scrollY === ${before}`)
    await page.goForward()
    await page.getByRole('heading', { level: 1, name: /^Block / }).waitFor()
  })

  it('moves through what the search suggests with the arrow keys, around the ends, and closes it with Escape', async () => {
    const page = await session.open('/blocks')
    const field = page.getByRole('combobox', { name: 'Search' })
    await page.keyboard.press('/')
    await page.keyboard.type('pa')
    const options = page.getByRole('option')
    await options.nth(1).waitFor()
    const isAt = (i: number): Promise<void> =>
      page.locator(`[role=option]:nth-child(${i + 1})[aria-selected=true]`).waitFor()
    await page.keyboard.press('ArrowUp')
    await isAt((await options.count()) - 1)
    await page.keyboard.press('ArrowDown')
    expect(await page.locator('[role=option][aria-selected=true]').count()).to.equal(0)
    expect(await field.getAttribute('aria-activedescendant')).to.equal(null)
    await page.keyboard.press('ArrowDown')
    await isAt(0)
    await expectAccessible(page, 'the suggestions')
    await page.keyboard.press('Escape')
    await options.first().waitFor({ state: 'hidden' })
    await page.keyboard.press('End')
    await page.keyboard.type('p')
    await options.first().click()
    await page.getByRole('heading', { level: 1, name: /PaperBoats/ }).waitFor()
    expect(await field.inputValue()).to.equal('')
    expect(session.said).to.deep.equal([])
  })

  it('goes straight to what a number or an id can only be', async () => {
    const page = await session.open('/')
    await page.keyboard.press('/')
    await page.keyboard.type('141\n')
    await page.getByRole('heading', { level: 1, name: 'Block 141' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'The Flow blockchain, live' }).waitFor()
  })

  it('holds the live lists still under the mouse and for the keyboard', async () => {
    const page = await session.open('/')
    const list = page.getByRole('region', { name: 'Latest transactions' })
    await list.getByRole('link').nth(3).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await list.getByRole('link').nth(3).hover()
    await page.getByText('Held while you look').waitFor()
    await page.getByRole('heading', { level: 1 }).hover()
    await page.getByText('Held while you look').waitFor({ state: 'detached' })
    await tabTo(page, list.getByRole('link', { name: 'All transactions' }))
    await page.getByText('Held while you look').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused', { exact: true }).waitFor()
  })

  it('tells which accounts a transaction made', async () => {
    const page = await session.open(transaction)
    const story = page.getByRole('region', { name: 'What happened' })
    await story.getByText('5 accounts were created').waitFor()
    await story.getByText('each of them').nth(1).click()
    await story.getByText('The account 0xe03d…0615 was created').waitFor()
    await story.getByText('0xf8d6…20c7 paid a fee of 0.00001 FLOW.').waitFor()
    await page.getByRole('tab', { name: /^Events/ }).click()
    await page.getByRole('searchbox', { name: 'Show events with' }).fill('AccountCreated')
    await page.getByRole('status').getByText('5 events').waitFor()
  })

  it('shows how the balance of an account went, for as long as one wants, and says each day to the keyboard', async () => {
    const page = await session.open(account, {
      viewport: { width: 360, height: 740 },
      prepare: (opened) =>
        opened.route('**/balance/history?**', (route) =>
          route.fulfill({ json: balances(Number(new URL(route.request().url()).searchParams.get('days'))) }),
        ),
    })
    const chart = page.getByRole('region', { name: 'Balance over time' })
    await chart.getByText('1,029.5 FLOW').first().waitFor()
    await chart.getByRole('button', { name: '90 days' }).click()
    await chart.getByText('1,089.5 FLOW').first().waitFor()
    expect(new URL(page.url()).searchParams.get('days')).to.equal('90')
    await tabTo(page, chart.getByRole('slider'))
    await page.keyboard.press('Home')
    expect(await chart.getByRole('slider').getAttribute('aria-valuetext')).to.include('1,000.5 FLOW')
    expect(await beyondWindow(page)).to.equal(0)
    await expectAccessible(page, 'the chart of a balance')
  })

  it('shows what an account does in the EVM', async () => {
    const page = await session.open(account)
    await page.getByRole('tab', { name: 'EVM' }).click()
    await page.getByText('In the EVM this account acts as').waitFor()
    await page.getByRole('table', { name: 'EVM transactions' }).getByRole('rowheader').first().getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: /^EVM transaction/ }).waitFor()
    await untilLoaded(page)
    expect(session.said).to.deep.equal([])
  })
})
