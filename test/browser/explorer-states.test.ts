import { expect } from 'chai'
import type { Page, Route } from 'playwright-core'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { explorerPage } from '../support/explorer-page.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'
import { isForData, useExplorerSession } from './explorer-session.ts'
import { beyondWindow, expectAccessible, untilLoaded } from './page-checks.ts'

const phone = { viewport: { width: 360, height: 740 } } as const
const transaction = '/transaction/3ef0ef21d3f3dc615c36f930d83ae0c9367d1816f061849c76f1af06e8d355a7'

/** Pages that are one thing, and pages that are lists. */
const paths = ['/', '/blocks', '/block/141', '/transactions', transaction, '/accounts', '/account/0xe03daebed8ca0615', '/evm', '/scheduled']

const answers = (handle: (route: Route) => Promise<void> | undefined) => (page: Page): Promise<unknown> => page.route(isForData, handle)
const breaks = answers((route) =>
  route.fulfill({ status: 500, contentType: 'application/problem+json', json: { code: 'internal', detail: 'It broke, request 7.' } }),
)

describe('the explorer page where something is missing', function () {
  this.timeout(120_000)
  const session = useExplorerSession()
  let database: TestDatabase
  let empty: RunningApi

  before(async () => {
    database = await createTestDatabase()
    empty = await runApi(database.url, { server: { network: () => 'emulator', page: explorerPage() } })
  })

  after(async () => {
    await empty?.stop()
    await database?.drop()
  })

  async function expectUsable(page: Page, what: string): Promise<void> {
    expect(await beyondWindow(page), what).to.equal(0)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await expectAccessible(page, `${what}, ${colorScheme}`)
    }
  }

  it('says what will show up where nothing is indexed yet', async () => {
    const page = await session.open('/', { ...phone, of: empty })
    const told: Readonly<Record<string, string>> = {
      '/': 'No transactions so far', '/blocks': 'No blocks', '/transactions': 'No transactions', '/accounts': 'No accounts',
      '/evm': 'No EVM transactions', '/evm?tab=tokens': 'No tokens', '/scheduled': 'No scheduled transactions',
    }
    for (const [path, text] of Object.entries(told)) {
      await page.goto(`http://${empty.host}${path}`)
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

  it('does not say that nothing is called so where the search does not answer', async () => {
    const page = await session.open('/blocks', { prepare: (opened) => opened.route('**/flow/search?**', (route) => route.abort()) })
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
