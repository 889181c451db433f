import { expect } from 'chai'
import { isForData, useEmptyExplorer, useExplorerSession } from './explorer-session.ts'
import { horizontalOverflow, expectUsable, untilLoaded } from './page-checks.ts'

const phone = { viewport: { width: 360, height: 740 } } as const
const flow = '/token/A.0ae53cb6e3f42a79.FlowToken'
const stones = '/nft/A.179b6b1cb6755e31.RiverStones'
const crossroads = '/contract/A.f3fcd2c1a78f5eee.Crossroads'

const lists = ['/tokens', '/nfts', '/contracts', '/nodes', '/charts', '/search?q=flow']
const things = [flow, stones, `${stones}/item/1`, crossroads, `/node/${'ab'.repeat(32)}`]

describe('explorer tokens, NFTs, contracts and staking', () => {
  const session = useExplorerSession()
  const empty = useEmptyExplorer()

  it('have empty states for an empty index and for unknown items', async () => {
    const page = await session.open('/tokens', { ...phone, of: empty.api })
    const titles: Readonly<Record<string, string>> = {
      '/tokens': 'No tokens',
      '/nfts': 'No collections',
      '/contracts': 'No contracts',
      '/nodes': 'No nodes',
      '/nodes?tab=epochs': 'No epochs',
      '/nodes?tab=rewards': 'No rewards',
      '/charts': 'No daily statistics yet',
      '/search?q=flow': 'No results',
      '/search': 'Enter a search term',
      [flow]: 'Could not find this token',
      [stones]: 'Could not find this collection',
      [`${stones}/item/1`]: 'Could not find this NFT',
      // Contracts that are not indexed are loaded from an access node, which this test lacks.
      [crossroads]: 'Could not load this contract',
      [`/node/${'ab'.repeat(32)}`]: 'Could not find this node',
    }
    for (const [path, text] of Object.entries(titles)) {
      await page.goto(`http://${empty.api.host}${path}`)
      await page.getByText(text, { exact: true }).waitFor()
      await untilLoaded(page)
      await expectUsable(page, path)
    }
    expect(session.consoleMessages.filter((text) => !/status of (?:404|503)/.test(text))).to.deep.equal([])
  })

  it('show API errors and stay usable', async () => {
    const problem = {
      status: 500,
      contentType: 'application/problem+json',
      json: { code: 'internal', detail: 'Internal error, request 7.' },
    }
    const page = await session.open('/tokens', {
      ...phone,
      prepare: (opened) => opened.route(isForData, (route) => route.fulfill(problem)),
    })
    for (const path of [...lists, ...things]) {
      await page.goto(`http://${session.api.host}${path}`)
      await page.getByRole('alert').getByText('Internal error, request 7.').first().waitFor()
      expect(await horizontalOverflow(page), path).to.equal(0)
    }
    await expectUsable(page, 'a page with an error')
    expect(session.consoleMessages.filter((text) => !text.includes('status of 500'))).to.deep.equal([])
  })

  it('show placeholders while loading', async () => {
    const page = await session.open('/tokens', {
      ...phone,
      prepare: (opened) => opened.route(isForData, () => undefined),
    })
    for (const path of [...lists, ...things]) {
      await page.goto(`http://${session.api.host}${path}`)
      await page.locator('main .skeleton').first().waitFor()
      expect(await horizontalOverflow(page), path).to.equal(0)
    }
    await expectUsable(page, 'a loading page')
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('explain invalid URLs', async () => {
    const page = await session.open('/token/xyz')
    for (const path of [
      '/token/xyz',
      '/nft/xyz',
      '/nft/A.179b6b1cb6755e31.RiverStones/item/one',
      '/contract/..%2f',
      '/node/xyz',
    ]) {
      await page.goto(`http://${session.api.host}${path}`)
      await untilLoaded(page)
      expect(await page.locator('main .state .title').first().innerText(), path).to.match(/^Could not (?:find|open) /)
    }
    expect(session.consoleMessages.filter((text) => !/status of 40[04]/.test(text))).to.deep.equal([])
  })

  it('show the share of each holder', async () => {
    const page = await session.open(`${stones}?tab=holders`)
    const { data } = await session.api.json<{ data: readonly { count: number }[] }>(
      '/flow/nft/A.179b6b1cb6755e31.RiverStones/holding?limit=100',
    )
    const total = data.reduce((sum, { count }) => sum + count, 0)
    await page.locator('.share').first().waitFor()
    const shown = await page.locator('.share').allInnerTexts()
    expect(shown).to.have.lengthOf(data.length)
    for (const [i, { count }] of data.entries())
      expect(Number.parseFloat(shown[i] ?? '')).to.be.closeTo((count / total) * 100, 0.01)
  })

  it('find tokens, collections and contracts by name', async () => {
    const page = await session.open('/tokens')
    await page.getByRole('searchbox', { name: 'Name or symbol' }).fill('pebb')
    // Wait for the filtered list.
    await page.waitForURL((url) => url.search === '?search=pebb')
    await page.getByRole('rowheader').nth(1).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: /Pebble/ }).waitFor()
    await page.getByRole('searchbox', { name: 'Name or symbol' }).fill('no such name')
    await page.getByText('No tokens match').waitFor()
    await page.goto(`http://${session.api.host}/nfts?search=river`)
    await page.getByRole('link', { name: /RiverStones/ }).waitFor()
    await page.goto(`http://${session.api.host}/contracts?search=cross`)
    await page.getByRole('link', { name: 'Crossroads' }).waitFor()
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('contain long and hostile names', async () => {
    const name = '<b>x</b>\u202E'.repeat(500)
    const page = await session.open('/tokens', {
      ...phone,
      prepare: (opened) =>
        opened.route(
          ({ pathname }) => /^\/flow\/(?:ft|nft|contract)(?:\/A\.[\w.]+)?$/.test(pathname),
          async (route) => {
            const response = await route.fetch()
            const body = (await response.json()) as { data: Record<string, unknown>[] }
            const data = body.data.map((each) => ({
              ...each,
              name,
              symbol: name,
              display_name: name,
              description: name,
              external_url: `https://example.org/${'x'.repeat(2000)}`,
              minted: `${'9'.repeat(70)}.1`,
              total_supply: `${'9'.repeat(70)}.1`,
            }))
            await route.fulfill({ json: { ...body, data } })
          },
        ),
    })
    for (const path of ['/tokens', flow, `${flow}?tab=about`, '/nfts', stones, `${stones}?tab=about`, '/contracts']) {
      await page.goto(`http://${session.api.host}${path}`)
      await untilLoaded(page)
      expect(await page.locator('main b:has-text("x")').count(), path).to.equal(0)
      await expectUsable(page, path)
    }
    expect(session.consoleMessages).to.deep.equal([])
  })
})
