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

/** Has the items of a collection say where their pictures are. */
async function namePictures(page: Page, sources: readonly (string | null)[]): Promise<void> {
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

/** What the page asks other hosts for, and with which referrer. None of them answers but those in `has`. */
async function watchHosts(page: Page, has: readonly string[] = []): Promise<string[]> {
  const asked: string[] = []
  await page.route(
    (url) => url.protocol === 'https:',
    (route) => {
      const address = route.request().url()
      asked.push(`${address} ${String(route.request().headers()['referer'])}`)
      const isThere = has.some((start) => address.startsWith(start))
      return isThere
        ? route.fulfill({
            contentType: 'image/svg+xml',
            body: '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
          })
        : route.abort()
    },
  )
  return asked
}

describe('pictures on the explorer page', () => {
  const session = useExplorerSession()

  it('are looked for at each gateway in turn, by HTTPS alone, and are told nothing of the page; a sign stands for those that cannot be had', async () => {
    let asked: string[] = []
    const page = await session.open(boats, {
      prepare: async (opened) => {
        asked = await watchHosts(opened, ['https://dweb.link/ipfs/bafytwo/'])
        await namePictures(opened, [
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
    expect(asked.toSorted()).to.deep.equal([
      'https://dweb.link/ipfs/bafyone/3.png undefined',
      'https://dweb.link/ipfs/bafytwo/4.png undefined',
      'https://ipfs.io/ipfs/bafyone/3.png undefined',
      'https://ipfs.io/ipfs/bafytwo/4.png undefined',
      'https://pictures.example/1.png undefined',
    ])
  })

  it('are had from the gateways that the server names', async () => {
    const { database } = await exploredChain()
    const own = await runApi(database.url, {
      server: { page: explorerPage({ ipfsGateways: ['https://own.example/of"us/'] }) },
    })
    try {
      let asked: string[] = []
      const page = await session.open(boats, {
        of: own,
        prepare: async (opened) => {
          asked = await watchHosts(opened)
          await namePictures(opened, ['ipfs://bafyone/3.png'])
        },
      })
      await page.locator('.card .picture.none').nth(5).waitFor()
      expect(asked).to.deep.equal(['https://own.example/of%22us/bafyone/3.png undefined'])
    } finally {
      await own.stop()
    }
  })

  it('are shown out of the source itself, where nothing of them runs or asks', async () => {
    let asked: string[] = []
    const page = await session.open(boats, {
      prepare: async (opened) => {
        asked = await watchHosts(opened)
        await namePictures(opened, [drawn])
      },
    })
    const picture = page.locator('.card img').first()
    await picture.waitFor()
    await page.waitForFunction('document.querySelector(".card img").naturalWidth > 0')
    expect(await page.title()).to.not.equal('broken')
    expect(asked).to.deep.equal([])
    expect(session.said).to.deep.equal([])
  })

  it('are not asked for before they come into sight', async () => {
    let asked: string[] = []
    const page = await session.open(boats, {
      viewport: { width: 360, height: 500 },
      prepare: async (opened) => {
        asked = await watchHosts(opened, ['https://pictures.example/'])
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
    while (asked.length === 0) await frame()
    await frame()
    expect(asked.length).to.be.within(1, 60)
  })

  it('are said to be missing on the page of an item, in words that a screen reader finds too', async () => {
    const { data } = await session.api.json<{ data: readonly { nft_id: string }[] }>(
      '/flow/nft/A.179b6b1cb6755e31.PaperBoats/item',
    )
    const page = await session.open(`${boats}/item/${data[0]?.nft_id ?? ''}`)
    await page.getByText('No picture of it is known; this sign is made of its id.').waitFor()
    await page.getByRole('img', { name: /: no picture$/ }).waitFor()
    await expectAccessible(page, 'an item without a picture')
  })
})
