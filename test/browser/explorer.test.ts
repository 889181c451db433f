import { expect } from 'chai'
import { createTestDatabase } from '../support/database.ts'
import { explorerPage } from '../support/explorer-page.ts'
import { explorerRoutes } from '../support/explorer-routes.ts'
import { runIngest, untilStored } from '../support/ingest.ts'
import { startRecordedNode } from '../support/replay.ts'
import { runApi } from '../support/running-api.ts'
import { useExplorerSession } from './explorer-session.ts'
import { beyondWindow, expectAccessible, tabTo, untilLoaded } from './page-checks.ts'

const account = '0xe03daebed8ca0615'

/** Files of script that the page has loaded, with their compressed bytes. */
const scriptSizes = `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).map(({ name, encodedBodySize }) => [name, encodedBodySize])`

describe('the explorer page in a browser', function () {
  const session = useExplorerSession()

  const sizes = { 'on a wide screen': { width: 1280, height: 900 }, 'on a phone': { width: 360, height: 740 } } as const

  for (const [where, viewport] of Object.entries(sizes)) {
    it(`shows every part by its address ${where}: no word on the console, nothing too wide, nothing that keeps people out, light and dark`, async () => {
      const page = await session.open('/', { viewport })
      const faults: string[] = []
      const scripts = new Map<string, number>()
      for (const { path, heading } of await explorerRoutes(session.api)) {
        await page.goto(`http://${session.api.host}${path}`)
        await page.getByRole('heading', { level: 1, name: heading }).waitFor()
        await untilLoaded(page)
        const beyond = await beyondWindow(page)
        if (beyond > 0) faults.push(`${path} is ${beyond} too wide`)
        for (const alert of await page.locator('main [role=alert]').allInnerTexts()) faults.push(`${path}: ${alert}`)
        faults.push(...session.said.splice(0).map((text) => `${path}: ${text}`))
        await expectAccessible(page, path).catch((error: unknown) => faults.push(String(error)))
        for (const [file, bytes] of await page.evaluate<[string, number][]>(scriptSizes)) scripts.set(file, bytes)
      }
      expect(faults).to.deep.equal([])
      const kilobytes = [...scripts.values()].reduce((sum, bytes) => sum + bytes, 0) / 1024
      expect(kilobytes, 'all scripts of all parts, compressed').to.be.within(50, 250)
    })
  }

  it('shows itself before the API answers', async () => {
    const page = await session.open('/')
    // One that never answers: its requests stay open.
    await page.route(
      (url) => !url.pathname.startsWith('/assets/') && url.pathname !== '/numbers',
      () => undefined,
    )
    await page.goto(`http://${session.api.host}/numbers`)
    await page.getByRole('heading', { level: 1, name: 'The chain day by day' }).waitFor()
  })

  it('tells a transaction in plain words, and leads from it to all that it speaks of', async () => {
    const page = await session.open('/transaction/3ef0ef21d3f3dc615c36f930d83ae0c9367d1816f061849c76f1af06e8d355a7')
    const story = page.getByRole('region', { name: 'What happened' })
    await story.getByText('0xf8d6…20c7 sent 4,000.005 FLOW to 5 accounts').waitFor()
    await story.getByText('each of them').first().click()
    await story.getByText('0xf8d6…20c7 sent 800.001 FLOW to 0xe03d…0615').waitFor()
    await story.getByText('0xf8d6…20c7 paid a fee of 0.00001 FLOW.').waitFor()
    await page.getByRole('tab', { name: /^Arguments/ }).click()
    await page.locator('dt', { hasText: 'weight' }).waitFor()
    await page.getByRole('tab', { name: 'Script' }).click()
    await page.locator('.t-keyword', { hasText: 'transaction' }).first().waitFor()
    expect(new URL(page.url()).search).to.equal('?tab=script')
    await story.getByRole('link', { name: '0xe03d…0615' }).first().click()
    await page.getByRole('heading', { level: 1, name: `Account ${account}` }).waitFor()
    await page.goBack()
    await page.getByRole('tab', { name: 'Script', selected: true }).waitFor()
    expect(session.said).to.deep.equal([])
  })

  it('finds things while one types, with the keyboard alone', async () => {
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
    await page.keyboard.type('nothing is called so')
    await page.getByText('Nothing of this name so far.').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('Nothing was found').waitFor()
    expect(session.said).to.deep.equal([])
  })

  it('moves the focus to the heading when one goes on, and lets one skip to the content', async () => {
    const page = await session.open('/')
    await tabTo(page, page.getByRole('link', { name: 'Skip to the content' }))
    await page.getByRole('navigation', { name: 'Parts of the explorer' }).getByRole('link', { name: 'Blocks' }).click()
    await page.locator('h1:focus', { hasText: 'Blocks' }).waitFor()
    expect(await page.title()).to.equal('Blocks – flowfarm')
  })

  it('loads more of a list until it has all', async () => {
    const page = await session.open('/accounts')
    await page.getByRole('rowheader').nth(13).waitFor()
    expect(await page.getByRole('rowheader').count()).to.equal(14)
    await page.goto(`http://${session.api.host}/blocks`)
    await page.getByRole('button', { name: 'More blocks' }).click()
    await page.getByRole('rowheader').nth(49).waitFor()
    expect(await page.getByRole('rowheader').first().innerText()).to.equal('280')
    expect(await page.getByRole('rowheader').nth(49).innerText()).to.equal('231')
  })

  it('says what to do where there is nothing, and where an address is none', async () => {
    const page = await session.open('/block/99999999')
    await page.getByText('Nobody here knows block 99999999').waitFor()
    await page.goto(`http://${session.api.host}/account/xyz`)
    await page.getByText('This address does not lead to this account').waitFor()
    const response = await page.goto(`http://${session.api.host}/no/such/page`)
    expect(response?.status()).to.equal(404)
    await page.getByRole('link', { name: 'To the start' }).click()
    await page.getByRole('heading', { name: 'Latest blocks' }).waitFor()
    expect(session.said.filter((text) => !/status of 40[04]/.test(text))).to.deep.equal([])
  })

  it('says so when the API does not answer, and tries again', async () => {
    const page = await session.open('/')
    await page.getByText('Live', { exact: true }).waitFor()
    await page.route('**/flow/contract?**', (route) => route.abort())
    await page
      .getByRole('navigation', { name: 'Parts of the explorer' })
      .getByRole('link', { name: 'Contracts' })
      .click()
    await page.getByRole('alert').getByText('The API is not reachable.').waitFor()
    await page.unroute('**/flow/contract?**')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('link', { name: 'MossPoints' }).waitFor()
  })

  it('shows blocks as they come, holds still when asked to, and has all of them after a break', async () => {
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
      expect(await blocks.getByRole('link', { name: '102', exact: true }).count()).to.equal(0)
      await page.getByRole('button', { name: 'Go on' }).click()
      await blocks.getByRole('link', { name: '102', exact: true }).waitFor()
      const { port } = own.server
      await own.stop()
      await page.getByText('Connecting again…').waitFor()
      node.advance(3)
      await untilStored(database, 90, 105, ingest)
      own = await runApi(database.url, { server: { page: explorerPage(), port } })
      await page.getByText('Live', { exact: true }).waitFor()
      for (const height of [103, 104, 105])
        await blocks.getByRole('link', { name: String(height), exact: true }).waitFor()
      expect(session.said.filter((text) => !/WebSocket|Failed to load resource/.test(text))).to.deep.equal([])
    } finally {
      await own.stop()
      await ingest.stop()
      await node.stop()
      await database.drop()
    }
  })
})
