/**
 * `node test/browser/explorer-screenshots.ts [address]`: screenshots of all pages of the explorer
 * for manual review, into `screenshots/explorer`.
 * Runs on the recording `base`, or on a program that runs at the address, e.g. that of `npm run demo --
 * --recording test/recordings/base`: `node test/browser/explorer-screenshots.ts
 * http://127.0.0.1:8080`.
 */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import { startBrowser } from '../support/browser.ts'
import { createTestDatabase } from '../support/database.ts'
import { exploredChain } from '../support/explored-chain.ts'
import { explorerPage } from '../support/explorer-page.ts'
import { explorerRoutes } from '../support/explorer-routes.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'
import { untilLoaded } from './page-checks.ts'

const folder = resolve(import.meta.dirname, '../../screenshots/explorer')
const looks: Readonly<Record<string, BrowserContextOptions>> = {
  wide: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  dark: { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, colorScheme: 'light', deviceScaleFactor: 1.5 },
  'phone-dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark', deviceScaleFactor: 1.5 },
}

interface Place {
  readonly name: string
  readonly path: string
}

async function take(browser: Browser, address: string, look: string, places: readonly Place[]): Promise<void> {
  const context = await browser.newContext({ ...looks[look], reducedMotion: 'reduce' })
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') process.stderr.write(`${page.url()}: ${message.text()}\n`)
  })
  mkdirSync(join(folder, look), { recursive: true })
  for (const { name, path } of places) {
    await page.goto(`${address}${path}`)
    // Not "Building pages…", which would reload during the next step.
    await page.locator('#root').waitFor({ state: 'attached', timeout: 300_000 })
    await untilLoaded(page).catch((error: unknown) => process.stderr.write(`${path}: ${String(error)}\n`))
    const file = join(folder, look, `${name}.png`)
    await page.screenshot({ path: file, fullPage: true })
    process.stdout.write(`${file}\n`)
  }
  await context.close()
}

/** The pages with an empty index, and with an API that becomes unreachable. */
async function takeStates(browser: Browser, full: RunningApi): Promise<void> {
  const database = await createTestDatabase()
  const empty = await runApi(database.url, { server: { network: () => 'emulator', page: explorerPage() } })
  const paths = [
    '/',
    '/blocks',
    '/transactions',
    '/accounts',
    '/tokens',
    '/nfts',
    '/contracts',
    '/evm',
    '/nodes',
    '/charts',
    '/scheduled',
    '/search?q=flow',
    '/account/0xe03daebed8ca0615',
    '/token/A.0ae53cb6e3f42a79.FlowToken',
  ]
  const places = paths.map((path) => ({ name: `empty-${path.split(/[/?]/)[1] || 'home'}`, path }))
  for (const look of ['wide', 'phone']) await take(browser, `http://${empty.host}`, look, places)
  await empty.stop()
  await database.drop()
  const context = await browser.newContext({ ...looks['wide'] })
  const page = await context.newPage()
  await page.goto(`http://${full.host}/`)
  await untilLoaded(page)
  await page.route(
    (url) => !url.pathname.startsWith('/assets/'),
    (route) => route.abort(),
  )
  await page.getByRole('link', { name: 'Tokens', exact: true }).first().click()
  await page.getByRole('alert').first().waitFor()
  await page.screenshot({ path: join(folder, 'wide', 'away.png') })
  await context.close()
}

const [address] = process.argv.slice(2)
const started = await startBrowser()
try {
  const { database } = await exploredChain()
  const api = await runApi(database.url, { server: { network: () => 'emulator', page: explorerPage() } })
  const places = await explorerRoutes(api)
  for (const look of Object.keys(looks)) await take(started.browser, address ?? `http://${api.host}`, look, places)
  if (address === undefined) await takeStates(started.browser, api)
  await api.stop()
} finally {
  await started.close()
}
process.exit(0)
