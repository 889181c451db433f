import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { Locator } from 'playwright-core'
import { useExplorerSession } from './explorer-session.ts'
import { horizontalOverflow, expectAccessible, expectUsable, tabTo, untilLoaded } from './page-checks.ts'

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

const portfolio = {
  data: [
    {
      usd_value: '1234.567',
      as_of: '2026-03-15T00:00:00.000Z',
      priced_count: 1,
      unpriced_count: 2,
      days: [
        { date: '2026-03-14', usd_value: '1000', is_complete: true },
        { date: '2026-03-15', usd_value: '1234.567', is_complete: false },
      ],
    },
  ],
}

describe('explorer interaction', () => {
  const session = useExplorerSession()

  it('hides system transactions by default', async () => {
    const page = await session.open('/transactions')
    const rows = page.getByRole('row')
    await rows.nth(5).waitFor()
    expect(await page.getByText('System transaction', { exact: true }).count()).to.equal(0)
    await page.getByRole('checkbox', { name: 'Include system transactions' }).check()
    await page.getByText('System transaction', { exact: true }).first().waitFor()
    expect(new URL(page.url()).search).to.equal('?show=all')
    await page.getByRole('cell', { name: 'System', exact: true }).first().waitFor()
    await page.reload()
    await page.getByText('System transaction', { exact: true }).first().waitFor()
    expect(await page.getByRole('checkbox', { name: 'Include system transactions' }).isChecked()).to.equal(true)
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('links system transactions with their block height, since several blocks share their IDs', async () => {
    const page = await session.open('/transactions?show=all')
    await page
      .getByRole('row', { name: /System transaction/ })
      .nth(3)
      .waitFor()
    const linksOf = async (part: Locator): Promise<readonly string[]> =>
      Promise.all(
        (await part.locator('a[href^="/transaction/"]').all()).map(
          async (link) => (await link.getAttribute('href')) ?? '',
        ),
      )
    const links = await linksOf(page.getByRole('row', { name: /System transaction/ }))
    expect(links.filter((link) => !/^\/transaction\/[0-9a-f]{64}\?height=\d+$/.test(link))).to.deep.equal([])
    const idOf = (link: string): string => link.replace(/\?.*/, '')
    // One from an earlier block: without its height the newest would open.
    const link = links.findLast((one) => links.some((newer) => newer !== one && idOf(newer) === idOf(one))) ?? ''
    const height = Number(new URLSearchParams(link.replace(/.*\?/, '')).get('height'))
    await page.locator(`a[href="${link}"]`).first().click()
    const note = page.getByText('This one is in block')
    await note.getByRole('link', { name: height.toLocaleString('en'), exact: true }).waitFor()
    expect(new URL(page.url()).search).to.equal(`?height=${height}`)
    const others = await linksOf(note)
    expect(others).to.not.be.empty.and.not.include(link)
    expect(others.filter((other) => !other.startsWith(`${idOf(link)}?height=`))).to.deep.equal([])
    // The link from the block page is the same.
    await note.getByRole('link', { name: height.toLocaleString('en'), exact: true }).click()
    await page.getByRole('heading', { level: 1, name: /^Block / }).waitFor()
    await page.locator(`a[href="${link}"]`).first().waitFor()
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('sorts accounts by column and stores the order in the URL', async () => {
    const page = await session.open('/accounts?sort=flow_balance')
    const header = (name: string): Locator => page.getByRole('columnheader', { name })
    await page.locator('th[aria-sort=descending]', { hasText: 'Balance in FLOW' }).waitFor()
    const first = page.getByRole('rowheader').first()
    await first.getByRole('link', { name: 'Account 0xf8d6…20c7' }).waitFor()
    await header('Created in block').getByRole('button').click()
    await first.getByRole('link', { name: 'Account 0x10c4…c807' }).waitFor()
    expect(new URL(page.url()).search).to.equal('?sort=first_seen')
    await header('Last active').getByRole('button').click()
    await page.locator('th[aria-sort=descending]', { hasText: 'Last active' }).waitFor()
    expect(new URL(page.url()).search).to.equal('')
    await page.setViewportSize({ width: 360, height: 740 })
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Highest balance')
    await first.getByRole('link', { name: 'Account 0xf8d6…20c7' }).waitFor()
  })

  it('filters a list, stores the filters in the URL and removes them', async () => {
    const page = await session.open('/transactions')
    const filters = page.getByRole('group', { name: 'Filters' })
    await filters.getByRole('button', { name: 'Type' }).click()
    await page.getByRole('dialog', { name: 'Filter by type' }).getByRole('button', { name: 'EVM', exact: true }).click()
    await filters.getByRole('button', { name: 'Type EVM' }).waitFor()
    await filters.getByRole('button', { name: 'Payer' }).click()
    await page.getByRole('textbox', { name: 'Payer' }).fill('045a1763c93006ca')
    await page.keyboard.press('Enter')
    await filters.getByRole('button', { name: 'Remove filter Payer' }).waitFor()
    expect(new URL(page.url()).search).to.equal('?tag=EVM&payer=045a1763c93006ca')
    await page.reload()
    await page.getByRole('rowheader').first().waitFor()
    await filters.getByRole('button', { name: 'Date' }).click()
    await page.getByLabel('Last day (UTC)').fill('2001-01-01')
    await expectAccessible(page, 'a filter')
    await page.keyboard.press('Enter')
    await page.getByText('No transactions match these filters').waitFor()
    await filters.getByRole('button', { name: 'Remove filter Date' }).click()
    await page.getByRole('rowheader').first().waitFor()
    await filters.getByRole('button', { name: 'Clear filters' }).click()
    expect(new URL(page.url()).search).to.equal('')
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('filters EVM transactions by status, method and type', async () => {
    const page = await session.open('/evm', { viewport: { width: 360, height: 740 } })
    const filters = page.getByRole('group', { name: 'Filters' })
    await filters.getByRole('button', { name: 'Method' }).click()
    await page.getByRole('textbox', { name: 'Method' }).fill('transfer(address,uint256)')
    await page.keyboard.press('Enter')
    await filters.getByRole('button', { name: 'Remove filter Method' }).waitFor()
    await filters.getByRole('button', { name: 'Status' }).click()
    await page.getByRole('dialog', { name: 'Filter by status' }).getByRole('button', { name: 'Succeeded' }).click()
    await filters.getByRole('button', { name: 'Status Succeeded' }).waitFor()
    expect(new URL(page.url()).search).to.equal('?method=transfer%28address%2Cuint256%29&status=ok')
    await page.getByText('transfer', { exact: true }).first().waitFor()
    await filters.getByRole('button', { name: 'Type' }).click()
    await expectAccessible(page, 'types')
    await page.getByRole('button', { name: 'Set code (EIP-7702)' }).click()
    await page.getByText('No EVM transactions match these filters').waitFor()
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('suggests names for the filter of a contract', async () => {
    const page = await session.open('/transactions', { viewport: { width: 360, height: 740 } })
    await page.getByRole('button', { name: 'Contract' }).click()
    await page.getByRole('searchbox', { name: 'Contract' }).fill('moss')
    await page.getByRole('button', { name: /MossPoints/ }).click()
    await page.getByRole('button', { name: 'Contract MossPoints' }).waitFor()
    await page.getByRole('rowheader').first().waitFor()
    expect(await horizontalOverflow(page)).to.equal(0)
  })

  it('saves a whole list as CSV', async () => {
    const page = await session.open('/accounts')
    await page.getByText('14 in total').waitFor()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download accounts as CSV' }).click(),
    ])
    expect(file.suggestedFilename()).to.equal('flowfarm-accounts.csv')
    const lines = (await readFile(await file.path(), 'utf8')).split('\r\n')
    expect(lines).to.have.length(16)
    expect(lines[0]).to.include('address,')
  })

  it('restores the scroll position on going back', async () => {
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

  it('moves through search suggestions with the arrow keys, wraps around, and closes them with Escape', async () => {
    const page = await session.open('/blocks')
    const field = page.getByRole('combobox', { name: 'Search' })
    await page.keyboard.press('/')
    await page.keyboard.type('pa')
    const options = page.getByRole('option')
    await options.nth(1).waitFor()
    const isAt = (i: number): Promise<void> => options.nth(i).and(page.locator('[aria-selected=true]')).waitFor()
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
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('opens a single exact match directly', async () => {
    const page = await session.open('/')
    await page.keyboard.press('/')
    await page.keyboard.type('141\n')
    await page.getByRole('heading', { level: 1, name: 'Block 141' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'The Flow blockchain, live' }).waitFor()
  })

  it('pauses the live lists on hover and focus', async () => {
    const page = await session.open('/')
    const list = page.getByRole('region', { name: 'Latest transactions' })
    await list.getByRole('link').nth(3).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    await list.getByRole('link').nth(3).hover()
    await page.getByText('Paused', { exact: true }).waitFor()
    await page.getByRole('heading', { level: 1 }).hover()
    await page.getByText('Paused', { exact: true }).waitFor({ state: 'detached' })
    await tabTo(page, list.getByRole('link', { name: 'All transactions' }))
    await page.getByText('Paused', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused', { exact: true }).waitFor()
  })

  it('lists the accounts that a transaction created', async () => {
    const page = await session.open(transaction)
    const overview = page.getByRole('region', { name: 'Overview' })
    await overview.getByText('5 accounts were created').waitFor()
    await overview.getByText('Show each').nth(1).click()
    await overview.getByText('Account 0xe03d…0615 was created').waitFor()
    await overview.getByText('0xf8d6…20c7 paid a fee of 0.00001 FLOW.').waitFor()
    await page.getByRole('tab', { name: /^Events/ }).click()
    await page.getByRole('searchbox', { name: 'Filter events' }).fill('AccountCreated')
    await page.getByRole('status').getByText('5 events').waitFor()
  })

  it('shows the newest events and the types of events before a search', async () => {
    const page = await session.open('/events', { viewport: { width: 390, height: 844 } })
    const newest = page.getByRole('table', { name: 'events', exact: true })
    await newest.getByRole('rowheader').first().waitFor()
    await page.getByText('25 shown, more available').waitFor()
    await expectUsable(page, 'the newest events')
    await page.getByRole('tab', { name: 'Types' }).click()
    const types = page.getByRole('table', { name: 'event types of the newest 1,000 blocks' })
    await types.getByRole('row').filter({ hasText: 'AccountCreated' }).getByText('Protocol').waitFor()
    await expectUsable(page, 'the types of events')
    await types.getByRole('link', { name: 'AccountCreated', exact: true }).click()
    await newest.getByRole('rowheader', { name: 'AccountCreated' }).first().waitFor()
    expect(new URL(page.url()).searchParams.get('name')).to.equal('flow.AccountCreated')
    await page.getByRole('searchbox', { name: 'Event type or part of its name' }).fill('NoSuchEvent')
    await page.keyboard.press('Enter')
    await page.getByText('No indexed event has this type').waitFor()
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('opens a block by its height', async () => {
    const page = await session.open('/blocks', { viewport: { width: 390, height: 844 } })
    await page.getByRole('textbox', { name: 'Block height' }).fill('1 41')
    await page.getByRole('button', { name: 'Go to block' }).click()
    await page.getByRole('heading', { level: 1, name: 'Block 141' }).waitFor()
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('shares a transaction by link, badge and card', async () => {
    const page = await session.open(transaction)
    await page.getByRole('button', { name: 'Share' }).click()
    const dialog = page.getByRole('dialog', { name: 'Share' })
    const { origin } = new URL(page.url())
    await dialog.getByText(origin + transaction, { exact: true }).waitFor()
    await dialog.getByText(`${origin}/badge${transaction}.svg`).first().waitFor()
    await dialog.getByText(`<iframe src="${origin}/embed${transaction}"`).waitFor()
    await expectAccessible(page, 'the share dialog')
    await dialog.getByRole('img', { name: 'Preview of the badge' }).waitFor()
    await page.waitForFunction("document.querySelector('.share-dialog img').naturalWidth > 50")
  })

  it('reports the transfers of an account in a period', async () => {
    const page = await session.open('/tax-report', { viewport: { width: 390, height: 844 } })
    await page.getByRole('textbox', { name: 'Account' }).fill('0xe03daebed8ca0615')
    await page.getByLabel('First day (UTC)').fill('2026-01-01')
    await page.getByLabel('Last day (UTC)').fill('2026-12-31')
    await page.getByRole('button', { name: 'Create report' }).click()
    const report = page.getByRole('region', { name: 'Report' })
    await report.getByRole('row').filter({ hasText: 'FLOW' }).first().waitFor()
    await expectUsable(page, 'a tax report')
    const csv = await report.getByRole('link', { name: 'Download CSV' }).getAttribute('href')
    const text = await (await session.api.get(csv ?? '')).text()
    expect(text.split('\n').length).to.be.above(3)
  })

  it('opens pairs, handlers and scripts from their lists', async () => {
    const page = await session.open('/pairs')
    await page.getByRole('table', { name: 'pairs' }).getByRole('rowheader').first().getByRole('link').first().click()
    await page.getByRole('heading', { level: 1, name: /^Pair / }).waitFor()
    await page.getByRole('table', { name: 'swaps and liquidity changes' }).getByRole('rowheader').first().waitFor()
    await page.goto(`http://${session.api.host}/scheduled?tab=handlers`)
    await page.getByRole('rowheader').first().getByRole('link').click()
    await page.getByRole('button', { name: /^Handler / }).waitFor()
    await page.getByRole('rowheader').first().waitFor()
    await page.goto(`http://${session.api.host}/contract/A.f3fcd2c1a78f5eee.Crossroads?tab=scripts`)
    await page.getByRole('table', { name: 'scripts' }).getByRole('rowheader').first().getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: /^Script/ }).waitFor()
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('charts the balance history for the selected period, readable by keyboard', async () => {
    const page = await session.open(account, {
      viewport: { width: 360, height: 740 },
      prepare: async (opened) => {
        await opened.route('**/balance/history?**', (route) =>
          route.fulfill({ json: balances(Number(new URL(route.request().url()).searchParams.get('days'))) }),
        )
        await opened.route('**/portfolio?**', (route) => route.fulfill({ json: portfolio }))
      },
    })
    await page.getByText('$1,234.57', { exact: true }).waitFor()
    await page.getByText('without 2 tokens of unknown price').waitFor()
    await page.getByText('$1,234.57 or more now').first().waitFor()
    const chart = page.getByRole('region', { name: 'Balance history' })
    await chart.getByText('1,029.5 FLOW').first().waitFor()
    await chart.getByRole('button', { name: '90 days' }).click()
    await chart.getByText('1,089.5 FLOW').first().waitFor()
    expect(new URL(page.url()).searchParams.get('days')).to.equal('90')
    await tabTo(page, chart.getByRole('slider', { name: 'Balance', exact: true }))
    await page.keyboard.press('Home')
    expect(await chart.getByRole('slider', { name: 'Balance', exact: true }).getAttribute('aria-valuetext')).to.include(
      '1,000.5 FLOW',
    )
    expect(await horizontalOverflow(page)).to.equal(0)
    await expectAccessible(page, 'a balance chart')
  })

  it('lists the counterparties of an account', async () => {
    const page = await session.open('/account/0xf8d6e0586b0a20c7?tab=counterparties')
    const list = page.getByRole('region', { name: 'Counterparties' })
    await list.getByRole('row', { name: /Flow Fees/ }).waitFor()
    await list.getByText(/^All \d+ transfers of this account$/).waitFor()
  })

  it('shows the EVM transactions of an account', async () => {
    const page = await session.open(account)
    await page.getByRole('tab', { name: 'EVM' }).click()
    await page.getByText('EVM address of this account').waitFor()
    await page.getByRole('table', { name: 'EVM transactions' }).getByRole('rowheader').first().getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: /^EVM transaction/ }).waitFor()
    await untilLoaded(page)
    expect(session.consoleMessages).to.deep.equal([])
  })
})
