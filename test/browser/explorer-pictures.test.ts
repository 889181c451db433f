import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { explorerPage } from '../support/explorer-page.ts'
import { exploredChain } from '../support/explored-chain.ts'
import { runApi } from '../support/running-api.ts'
import { useExplorerSession } from './explorer-session.ts'
import { expectAccessible, untilLoaded } from './page-checks.ts'

const boats = '/nft/A.179b6b1cb6755e31.PaperBoats'
const drawn = `data:image/svg+xml;base64,${Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" onload="document.title=\'broken\'"><script>document.title="broken"</script><image href="https://pictures.example/inside.png"/><rect width="9" height="9" fill="red"/></svg>',
).toString('base64')}`

/** Sets the thumbnails of a collection's items. */
async function mockThumbnails(page: Page, sources: readonly (string | null)[]): Promise<void> {
  await page.route(
    (url) => url.pathname.endsWith('/item'),
    async (route) => {
      const response = await route.fetch()
      const body = (await response.json()) as { data: Record<string, unknown>[] }
      await route.fulfill({
        json: { ...body, data: body.data.map((item, i) => ({ ...item, thumbnail: sources[i] ?? null })) },
      })
    },
  )
}

/** Records requests to other hosts with their referrers. Only URLs that start with one of `has` succeed. */
async function watchHosts(page: Page, has: readonly string[] = []): Promise<string[]> {
  const requests: string[] = []
  await page.route(
    (url) => url.protocol === 'https:',
    (route) => {
      const address = route.request().url()
      requests.push(`${address} ${String(route.request().headers()['referer'])}`)
      const isThere = has.some((start) => address.startsWith(start))
      return isThere
        ? route.fulfill({
            contentType: 'image/svg+xml',
            body: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
          })
        : route.abort()
    },
  )
  return requests
}

describe('explorer pictures', () => {
  const session = useExplorerSession()

  it('are requested from each gateway in turn, over HTTPS only and without a referrer, with identicons as fallback', async () => {
    let requests: string[] = []
    const page = await session.open(boats, {
      prepare: async (opened) => {
        requests = await watchHosts(opened, ['https://dweb.link/ipfs/bafytwo/'])
        await mockThumbnails(opened, [
          'https://pictures.example/1.png',
          'http://pictures.example/2.png',
          'ipfs://bafyone/3.png',
          'javascript:alert(1)',
          'ipfs://bafytwo/4.png',
        ])
      },
    })
    await page.locator('.card .picture.none').nth(4).waitFor()
    await page.locator('.card img[src^="https://dweb.link/"]').waitFor()
    expect(requests.toSorted()).to.deep.equal([
      'https://dweb.link/ipfs/bafyone/3.png undefined',
      'https://dweb.link/ipfs/bafytwo/4.png undefined',
      'https://ipfs.io/ipfs/bafyone/3.png undefined',
      'https://ipfs.io/ipfs/bafytwo/4.png undefined',
      'https://pictures.example/1.png undefined',
    ])
  })

  it('use the gateways that the server configures', async () => {
    const { database } = await exploredChain()
    const own = await runApi(database.url, {
      server: { page: explorerPage({ ipfsGateways: ['https://own.example/of"us/'] }) },
    })
    try {
      let requests: string[] = []
      const page = await session.open(boats, {
        of: own,
        prepare: async (opened) => {
          requests = await watchHosts(opened)
          await mockThumbnails(opened, ['ipfs://bafyone/3.png'])
        },
      })
      await page.locator('.card .picture.none').nth(5).waitFor()
      expect(requests).to.deep.equal(['https://own.example/of%22us/bafyone/3.png undefined'])
    } finally {
      await own.stop()
    }
  })

  it('are shown from data URLs without running scripts or sending requests', async () => {
    let requests: string[] = []
    const page = await session.open(boats, {
      prepare: async (opened) => {
        requests = await watchHosts(opened)
        await mockThumbnails(opened, [drawn])
      },
    })
    const picture = page.locator('.card img').first()
    await picture.waitFor()
    await page.waitForFunction('document.querySelector(".card img").naturalWidth > 0')
    expect(await page.title()).to.not.equal('broken')
    expect(requests).to.deep.equal([])
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('are loaded lazily', async () => {
    let requests: string[] = []
    const page = await session.open(boats, {
      viewport: { width: 360, height: 500 },
      prepare: async (opened) => {
        requests = await watchHosts(opened, ['https://pictures.example/'])
        await opened.route(
          (url) => url.pathname.endsWith('/item'),
          async (route) => {
            const response = await route.fetch()
            const body = (await response.json()) as { data: Record<string, unknown>[] }
            const data = Array.from({ length: 100 }, (_, i) => ({
              ...body.data[0],
              nft_id: String(i),
              thumbnail: `https://pictures.example/${i}.png`,
            }))
            await route.fulfill({ json: { ...body, data } })
          },
        )
      },
    })
    await untilLoaded(page)
    const frame = (): Promise<unknown> => page.evaluate('new Promise(requestAnimationFrame)')
    while (requests.length === 0) await frame()
    await frame()
    expect(requests.length).to.be.within(1, 60)
  })

  it('are reported missing on item pages, also to screen readers', async () => {
    const { data } = await session.api.json<{ data: readonly { nft_id: string }[] }>(
      '/flow/nft/A.179b6b1cb6755e31.PaperBoats/item',
    )
    const page = await session.open(`${boats}/item/${data[0]?.nft_id ?? ''}`)
    await page.getByText('No picture available. This pattern is generated from the ID.').waitFor()
    await page.getByRole('img', { name: /: no picture$/ }).waitFor()
    await expectAccessible(page, 'an item without a picture')
  })
})
