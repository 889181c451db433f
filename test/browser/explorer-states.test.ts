import { expect } from 'chai'
import type { Page, Route } from 'playwright-core'
import { isForData, useEmptyExplorer, useExplorerSession } from './explorer-session.ts'
import { expectUsable, untilLoaded } from './page-checks.ts'

const phone = { viewport: { width: 360, height: 740 } } as const
const transaction = '/transaction/3ef0ef21d3f3dc615c36f930d83ae0c9367d1816f061849c76f1af06e8d355a7'

/** Pages that are one thing, and pages that are lists. */
const paths = [
  '/',
  '/blocks',
  '/block/141',
  '/transactions',
  transaction,
  '/accounts',
  '/account/0xe03daebed8ca0615',
  '/evm',
  '/scheduled',
]

const answers =
  (handle: (route: Route) => Promise<void> | undefined) =>
  (page: Page): Promise<unknown> =>
    page.route(isForData, handle)
const breaks = answers((route) =>
  route.fulfill({
    status: 500,
    contentType: 'application/problem+json',
    json: { code: 'internal', detail: 'It broke, request 7.' },
  }),
)

describe('the explorer page where something is missing', () => {
  const session = useExplorerSession()
  const empty = useEmptyExplorer()

  it('says what will show up where nothing is indexed yet', async () => {
    const page = await session.open('/', { ...phone, of: empty.api })
    const told: Readonly<Record<string, string>> = {
      '/': 'No transactions so far',
      '/blocks': 'No blocks',
      '/transactions': 'No transactions',
      '/accounts': 'No accounts',
      '/evm': 'No EVM transactions',
      '/evm?tab=tokens': 'No tokens',
      '/scheduled': 'No scheduled transactions',
    }
    for (const [path, text] of Object.entries(told)) {
      await page.goto(`http://${empty.api.host}${path}`)
      await page.getByText(text, { exact: true }).waitFor()
      await page.getByText('flow-mainnet, nothing is indexed yet').waitFor()
      await expectUsable(page, path)
    }
    expect(session.said).to.deep.equal([])
  })

  it('says on lists and on pages of one thing that the API broke, in its words, and stays usable', async () => {
    const page = await session.open('/', { ...phone, prepare: breaks })
    for (const path of ['/', '/transactions', transaction, '/evm']) {
      await page.goto(`http://${session.api.host}${path}`)
      await page.getByRole('alert').getByText('It broke, request 7.').first().waitFor()
      await expectUsable(page, path)
    }
    expect(session.said.filter((text) => !text.includes('status of 500'))).to.deep.equal([])
  })

  it('shows what is asked for before there is an answer', async () => {
    const page = await session.open('/', { ...phone, prepare: answers(() => undefined) })
    for (const path of paths.slice(1)) {
      await page.goto(`http://${session.api.host}${path}`)
      await page.locator('main .skeleton').first().waitFor()
      await expectUsable(page, path)
    }
    expect(session.said).to.deep.equal([])
  })

  it('loads a page after all when it is tried again', async () => {
    const page = await session.open(transaction, { prepare: breaks })
    await page.getByRole('alert').waitFor()
    await page.unroute(isForData)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('region', { name: 'What happened' }).waitFor()
  })

  for (const path of ['/', '/blocks', transaction]) {
    it(`says that the server cannot be reached, and loads ${path.slice(0, 13)} by itself once it can`, async () => {
      const page = await session.open(path, {
        ...phone,
        prepare: async (opened) => {
          await opened.route(
            (url) => isForData(url) || url.pathname === '/health',
            (route) => route.abort(),
          )
        },
      })
      await page.getByRole('alert').getByText('Retrying automatically.').first().waitFor()
      await expectUsable(page, path)
      await page.unrouteAll()
      await page.locator('main [role=alert]').first().waitFor({ state: 'detached' })
      await untilLoaded(page)
      expect(await page.locator('main').getByText('Could not load').count()).to.equal(0)
    })
  }

  it('loads the start also where its requests fail before the feed is open', async () => {
    const failed = Promise.withResolvers<void>()
    const page = await session.open('/', {
      prepare: async (opened) => {
        await opened.routeWebSocket('**/ws', async (socket) => {
          await failed.promise
          socket.connectToServer()
        })
        await opened.route('**/flow/block?**', (route) => route.abort(), { times: 1 })
        opened.on('requestfailed', () => failed.resolve())
      },
    })
    await untilLoaded(page)
  })

  it('says that something else answered in place of the API, and retries', async () => {
    const page = await session.open(transaction, {
      prepare: (opened) => opened.route(isForData, (route) => route.fulfill({ body: '<html>' })),
    })
    await page.getByRole('alert').getByText('The response is not JSON.').first().waitFor()
    await page.unroute(isForData)
    await page.getByRole('region', { name: 'What happened' }).waitFor()
  })

  it('does not say that nothing is called so where the search does not answer', async () => {
    const page = await session.open('/blocks', {
      prepare: (opened) => opened.route('**/flow/search?**', (route) => route.abort()),
    })
    await page.getByRole('combobox', { name: 'Search' }).fill('moss')
    await page.getByText('The search does not answer.').waitFor()
    await page.unroute('**/flow/search?**')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Search for “moss”' }).waitFor()
    await page.getByRole('link', { name: 'MossPoints' }).first().waitFor()
  })

  it('leads on from what is not there', async () => {
    const page = await session.open(`/transaction/${'ab'.repeat(32)}`)
    await page.getByText('Nobody here knows this transaction').waitFor()
    await expectUsable(page, 'an unknown transaction')
    await page.goto(`http://${session.api.host}/evm/transaction/0x${'ab'.repeat(32)}`)
    await page.getByText('Nobody here knows this EVM transaction').waitFor()
    await page.goto(`http://${session.api.host}/block/abc`)
    await page.getByText('This address does not lead to block abc').waitFor()
    await untilLoaded(page)
    expect(session.said.filter((text) => !/status of 40[04]/.test(text))).to.deep.equal([])
  })
})
