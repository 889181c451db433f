import { expect } from 'chai'
import type { Page, Route } from 'playwright-core'
import { isForData, useEmptyExplorer, useExplorerSession } from './explorer-session.ts'
import { expectUsable, untilLoaded } from './page-checks.ts'

const phone = { viewport: { width: 360, height: 740 } } as const
const transaction = '/transaction/3ef0ef21d3f3dc615c36f930d83ae0c9367d1816f061849c76f1af06e8d355a7'

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

const onData =
  (handle: (route: Route) => Promise<void> | undefined) =>
  (page: Page): Promise<unknown> =>
    page.route(isForData, handle)
const fails = onData((route) =>
  route.fulfill({
    status: 500,
    contentType: 'application/problem+json',
    json: { code: 'internal', detail: 'Internal error, request 7.' },
  }),
)

describe('explorer states', () => {
  const session = useExplorerSession()
  const empty = useEmptyExplorer()

  it('has empty states for an empty index', async () => {
    const page = await session.open('/', { ...phone, of: empty.api })
    const titles: Readonly<Record<string, string>> = {
      '/': 'No transactions yet',
      '/blocks': 'No blocks',
      '/transactions': 'No transactions',
      '/accounts': 'No accounts',
      '/evm': 'No EVM transactions',
      '/evm?tab=tokens': 'No tokens',
      '/scheduled': 'No scheduled transactions',
      '/pairs': 'No pairs',
      '/events': 'No events',
      '/events?tab=types': 'No event types of the newest 1,000 blocks',
    }
    for (const [path, text] of Object.entries(titles)) {
      await page.goto(`http://${empty.api.host}${path}`)
      await page.getByText(text, { exact: true }).waitFor()
      await page.getByText('Mainnet, no blocks indexed yet').waitFor()
      await expectUsable(page, path)
    }
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('shows API errors and stays usable', async () => {
    const page = await session.open('/', { ...phone, prepare: fails })
    for (const path of ['/', '/transactions', transaction, '/evm']) {
      await page.goto(`http://${session.api.host}${path}`)
      await page.getByRole('alert').getByText('Internal error, request 7.').first().waitFor()
      await expectUsable(page, path)
    }
    expect(session.consoleMessages.filter((text) => !text.includes('status of 500'))).to.deep.equal([])
  })

  it('shows placeholders while loading', async () => {
    const page = await session.open('/', { ...phone, prepare: onData(() => undefined) })
    for (const path of paths.slice(1)) {
      await page.goto(`http://${session.api.host}${path}`)
      await page.locator('main .skeleton').first().waitFor()
      await expectUsable(page, path)
    }
    expect(session.consoleMessages).to.deep.equal([])
  })

  it('loads a page on retry', async () => {
    const page = await session.open(transaction, { prepare: fails })
    await page.getByRole('alert').waitFor()
    await page.unroute(isForData)
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('region', { name: 'Overview' }).waitFor()
  })

  for (const path of ['/', '/blocks', transaction]) {
    it(`reports an unreachable server and loads ${path.slice(0, 13)} automatically once it is back`, async () => {
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

  it('loads the home page if its requests fail before the feed opens', async () => {
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

  it('reports a response that is not from the API, and retries', async () => {
    const page = await session.open(transaction, {
      prepare: (opened) => opened.route(isForData, (route) => route.fulfill({ body: '<html>' })),
    })
    await page.getByRole('alert').getByText('The response is not JSON.').first().waitFor()
    await page.unroute(isForData)
    await page.getByRole('region', { name: 'Overview' }).waitFor()
  })

  it('distinguishes a failed search from no results', async () => {
    const page = await session.open('/blocks', {
      prepare: (opened) => opened.route('**/flow/search?**', (route) => route.abort()),
    })
    await page.getByRole('combobox', { name: 'Search' }).fill('moss')
    await page.getByText('Search failed.').waitFor()
    await page.unroute('**/flow/search?**')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Search for “moss”' }).waitFor()
    await page.getByRole('link', { name: 'MossPoints' }).first().waitFor()
  })

  it('explains unknown items', async () => {
    const page = await session.open(`/transaction/${'ab'.repeat(32)}`)
    await page.getByText('Could not find this transaction').waitFor()
    await expectUsable(page, 'an unknown transaction')
    await page.goto(`http://${session.api.host}/evm/transaction/0x${'ab'.repeat(32)}`)
    await page.getByText('Could not find this EVM transaction').waitFor()
    await page.goto(`http://${session.api.host}/block/abc`)
    await page.getByText('Could not open block abc').waitFor()
    await untilLoaded(page)
    expect(session.consoleMessages.filter((text) => !/status of 40[04]/.test(text))).to.deep.equal([])
  })
})
