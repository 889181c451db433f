import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { createTestDatabase } from '../support/database.ts'
import { explorerPage } from '../support/explorer-page.ts'
import { explorerRoutes } from '../support/explorer-routes.ts'
import { runIngest, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'
import { runApi } from '../support/running-api.ts'
import { useExplorerSession } from './explorer-session.ts'
import { horizontalOverflow, expectAccessibleIn, phoneRules, tabTo, untilLoaded } from './page-checks.ts'

const account = '0xe03daebed8ca0615'

/** Loaded scripts with their compressed sizes in bytes. */
const scriptSizes = `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).map(({ name, encodedBodySize }) => [name, encodedBodySize])`

/** Navigates as a link does: a new load of scripts and axe for each page takes twice the CPU time. */
async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  )
}

describe('the explorer page in a browser', function () {
  const session = useExplorerSession()

  it('shows every page without console output or overflow, accessible wide in light and on a phone in dark', async () => {
    const page = await session.open('/')
    const faults: string[] = []
    const scripts = new Map<string, number>()
    await page.evaluate('performance.setResourceTimingBufferSize(10000)')
    for (const { path, heading } of await explorerRoutes(session.api)) {
      await page.setViewportSize({ width: 1280, height: 900 })
      await follow(page, path)
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      const tab = new URL(path, 'http://localhost').searchParams.get('tab')
      if (tab !== null) await page.locator(`[role=tab][aria-selected=true][id$="-${tab}"]`).waitFor()
      await untilLoaded(page)
      for (const alert of await page.locator('main [role=alert]').allInnerTexts()) faults.push(`${path}: ${alert}`)
      // Widths change the layout and themes the colors, so two of the four combinations test all.
      for (const { theme, ...viewport } of [
        { width: 1280, height: 900, theme: 'light' },
        { width: 360, height: 740, theme: 'dark' },
      ] as const) {
        await page.setViewportSize(viewport)
        // Charts follow the new width in the next frames.
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
        const state = `${path} at ${viewport.width} px`
        const beyond = await horizontalOverflow(page)
        if (beyond > 0) faults.push(`${state} is ${beyond} px too wide`)
        const rules = viewport.width < 400 ? phoneRules : {}
        await expectAccessibleIn(theme, page, state, rules).catch((error: unknown) => faults.push(String(error)))
      }
      faults.push(...session.consoleMessages.splice(0).map((text) => `${path}: ${text}`))
      for (const [file, bytes] of await page.evaluate<[string, number][]>(scriptSizes)) scripts.set(file, bytes)
    }
    expect(faults).to.deep.equal([])
    const kilobytes = [...scripts.values()].reduce((sum, bytes) => sum + bytes, 0) / 1024
    expect(kilobytes, 'all scripts of all parts, compressed').to.be.within(50, 250)
  })

  it('renders before the API responds', async () => {
    const page = await session.open('/')
    // Requests stay pending.
    await page.route(
      (url) => !url.pathname.startsWith('/assets/') && url.pathname !== '/charts',
      () => undefined,
    )
    await page.goto(`http://${session.api.host}/charts`)
    await page.getByRole('heading', { level: 1, name: 'Daily statistics' }).waitFor()
  })

  it('summarizes a transaction with links', async () => {
    const page = await session.open('/transaction/3ef0ef21d3f3dc615c36f930d83ae0c9367d1816f061849c76f1af06e8d355a7')
    const overview = page.getByRole('region', { name: 'Overview' })
    await overview.getByText('0xf8d6…20c7 sent 4,000.005 FLOW to 5 accounts').waitFor()
    await overview.getByText('Show each').first().click()
    await overview.getByText('0xf8d6…20c7 sent 800.001 FLOW to 0xe03d…0615').waitFor()
    await overview.getByText('0xf8d6…20c7 paid a fee of 0.00001 FLOW.').waitFor()
    await page.getByRole('tab', { name: /^Arguments/ }).click()
    await page.locator('dt', { hasText: 'weight' }).waitFor()
    await page.getByRole('tab', { name: 'Script' }).click()
    await page.locator('.t-keyword', { hasText: 'transaction' }).first().waitFor()
    expect(new URL(page.url()).search).to.equal('?tab=script')
    const editor = await page.getByRole('link', { name: 'Open in editor' }).getAttribute('href')
    expect(editor).to.match(/^https:\/\/editor\.example\/#code=import%20/)
    await page.getByRole('tab', { name: 'Balance changes' }).click()
    await page.getByRole('row', { name: '0xe03d…0615 FLOW +800.001' }).waitFor()
    await page.getByRole('row', { name: '0xf8d6…20c7 FLOW (fee) −0.00001' }).waitFor()
    await page.getByRole('tab', { name: 'Raw' }).click()
    await page.getByRole('group', { name: 'JSON' }).getByText('"block_height"').waitFor()
    await page.getByRole('tab', { name: 'Script' }).click()
    await overview.getByRole('link', { name: '0xe03d…0615' }).first().click()
    await page.getByRole('heading', { level: 1, name: `Account ${account}` }).waitFor()
    await page.goBack()
    await page.getByRole('tab', { name: 'Script', selected: true }).waitFor()
    await page.getByRole('region', { name: 'Script' }).getByRole('heading').getByRole('link').click()
    await page.getByRole('region', { name: 'Template' }).getByText('Parameters').waitFor()
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('suggests results while typing, using the keyboard only', async () => {
    const page = await session.open('/')
    await page.keyboard.press('/')
    await page.keyboard.type(account)
    await page.getByRole('option', { name: /Account 0xe03daebed8ca0615/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    const heading = page.getByRole('heading', { level: 1, name: `Account ${account}` })
    await heading.waitFor()
    await tabTo(page, page.getByRole('tab', { name: 'Transactions' }))
    await page.keyboard.press('ArrowRight')
    await page.getByRole('tab', { name: 'Transfers', selected: true }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('no such name')
    await page.getByText('No matches').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('No results').waitFor()
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('moves the focus to the heading on navigation, and has a skip link', async () => {
    const page = await session.open('/')
    await tabTo(page, page.getByRole('link', { name: 'Skip to content' }))
    await page.getByRole('navigation', { name: 'Explorer' }).getByRole('link', { name: 'Blocks' }).click()
    await page.locator('h1:focus', { hasText: 'Blocks' }).waitFor()
    expect(await page.title()).to.equal('Blocks – flowfarm')
  })

  it('loads more of a list until it is complete', async () => {
    const page = await session.open('/accounts')
    await page.getByRole('rowheader').nth(13).waitFor()
    expect(await page.getByRole('rowheader').count()).to.equal(14)
    await page.goto(`http://${session.api.host}/blocks`)
    await page.getByRole('button', { name: 'More blocks' }).click()
    await page.getByRole('rowheader').nth(49).waitFor()
    expect(await page.getByRole('rowheader').first().innerText()).to.equal('280')
    expect(await page.getByRole('rowheader').nth(49).innerText()).to.equal('231')
  })

  it('links to the other applications', async () => {
    const page = await session.open('/')
    const button = page.getByRole('button', { name: 'Applications: Explorer' })
    await button.click()
    const links = page.getByRole('navigation', { name: 'Applications' }).getByRole('link')
    await links.first().waitFor()
    const urls = await Promise.all((await links.all()).map((link) => link.getAttribute('href')))
    expect(urls).to.deep.equal(['/', 'https://ask.example/', 'https://chat.example/', 'https://editor.example/'])
    await page.keyboard.press('Escape')
    await links.first().waitFor({ state: 'hidden' })
  })

  it('documents the API, with samples and requests', async () => {
    const page = await session.open('/docs')
    for (const name of ['Pagination', 'Errors', 'Changelog']) await page.getByRole('heading', { name }).waitFor()
    const contents = page.getByRole('navigation', { name: 'Endpoints' })
    await contents.getByRole('searchbox').fill('/flow/block highest')
    await contents.getByRole('link', { name: 'Blocks, highest first' }).click()
    await page.getByRole('heading', { level: 1, name: 'Blocks, highest first' }).waitFor()
    expect(new URL(page.url()).pathname).to.equal('/docs/listBlocks')
    const request = page.getByRole('complementary', { name: 'Try it' })
    await request.getByLabel('limit').fill('2')
    await request.getByText(`curl 'http://${session.api.host}/flow/block?limit=2'`).waitFor()
    await request.getByRole('tab', { name: 'Python' }).click()
    await request.getByText('params={"limit": "2"}').waitFor()
    await request.getByRole('button', { name: 'Send request' }).click()
    const response = request.getByRole('region', { name: 'Response' })
    await response.getByText('200 OK').waitFor()
    await response.getByText('"height": 280').waitFor()
    await response.getByRole('button', { name: 'Next page' }).click()
    await response.getByText('"height": 278').waitFor()
    await request.getByLabel('limit').fill('5000')
    await request.getByRole('button', { name: 'Send request' }).click()
    await response.getByText('400 Bad Request').waitFor()
    await response.getByText('"field": "limit"').waitFor()
    // Required parameters have values of this chain.
    await page.goto(`http://${session.api.host}/docs#getTransaction`)
    await page.getByRole('heading', { level: 1, name: 'Transaction with its events' }).waitFor()
    await request.getByText(/flow\/transaction\/[0-9a-f]{64}/).waitFor()
    expect(session.consoleMessages.filter((text) => !text.includes('status of 400'))).to.deep.equal([])
  })

  it('explains unknown items and invalid URLs', async () => {
    const page = await session.open('/block/99999999')
    await page.getByText('Could not find block 99999999').waitFor()
    await page.goto(`http://${session.api.host}/account/xyz`)
    await page.getByText('Could not open this account').waitFor()
    const response = await page.goto(`http://${session.api.host}/no/such/page`)
    expect(response?.status()).to.equal(404)
    await page.getByRole('link', { name: 'Go to home page' }).click()
    await page.getByRole('heading', { name: 'Latest blocks' }).waitFor()
    expect(session.consoleMessages.filter((text) => !/status of 40[04]/.test(text))).to.deep.equal([])
  })

  it('reports an unreachable API and retries', async () => {
    const page = await session.open('/')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.route('**/flow/contract?**', (route) => route.abort())
    await page.getByRole('navigation', { name: 'Explorer' }).getByRole('link', { name: 'Contracts' }).click()
    await page.getByRole('alert').getByText('The API is not reachable.').waitFor()
    await page.unroute('**/flow/contract?**')
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('link', { name: 'MossPoints' }).waitFor()
  })

  it('shows new blocks, pauses on request, and has no gap after a reconnect', async () => {
    const database = await createTestDatabase()
    const node = await startRecordedNode('base', { head: 100 })
    const ingest = await runIngest(database, {
      CHAIN_ACCESS_NODE: node.endpoint,
      ENABLE_HISTORY_INGESTER: 'false',
      START_BLOCK: '90',
    })
    await untilStored(database, 90, 100, ingest)
    let own = await runApi(database.url, { server: { page: explorerPage() } })
    try {
      const page = await session.open('/', { of: own })
      const blocks = page.getByRole('region', { name: 'Latest blocks' })
      await blocks.getByRole('link', { name: '100', exact: true }).waitFor()
      await page.getByText('Live', { exact: true }).waitFor()
      node.advance(1)
      await blocks.getByRole('link', { name: '101', exact: true }).waitFor()
      await page.getByRole('button', { name: 'Pause' }).click()
      node.advance(1)
      await untilStored(database, 90, 102, ingest)
      await page.getByText('Paused', { exact: true }).waitFor()
      expect(await page.locator('.key-numbers .value').first().innerText()).to.equal('101')
      expect(await blocks.getByRole('link', { name: '102', exact: true }).count()).to.equal(0)
      await page.getByRole('button', { name: 'Resume' }).click()
      await blocks.getByRole('link', { name: '102', exact: true }).waitFor()
      const { port } = own.server
      await own.stop()
      await page.getByText('Reconnecting…').waitFor()
      node.advance(3)
      await untilStored(database, 90, 105, ingest)
      own = await runApi(database.url, { server: { page: explorerPage(), port } })
      await page.getByText('Live', { exact: true }).waitFor()
      for (const height of [103, 104, 105])
        await blocks.getByRole('link', { name: String(height), exact: true }).waitFor()
      expect(session.consoleMessages.filter((text) => !/WebSocket|Failed to load resource/.test(text))).to.deep.equal(
        [],
      )
    } finally {
      await own.stop()
      await ingest.stop()
      await node.stop()
      await database.drop()
    }
  })
})
