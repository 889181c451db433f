import type { BrowserContextOptions, Page } from 'playwright-core'
import { browserOrSkip } from '../support/browser.ts'
import type { TestBrowser } from '../support/browser.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { exploredChain } from '../support/explored-chain.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'
import { watchConsole } from './page-checks.ts'

export interface OpenOptions extends BrowserContextOptions {
  /** Default: the API of the recording. */
  readonly of?: RunningApi
  /** Called before navigation, e.g. to mock responses. */
  readonly prepare?: (page: Page) => Promise<unknown>
}

export interface ExplorerSession {
  /** API of the recording; serves the page. */
  readonly api: RunningApi
  /** Opens a path in a new browser context. */
  open(path: string, options?: OpenOptions): Promise<Page>
  /** Console messages of the page that was opened last. */
  readonly consoleMessages: string[]
}

/** Starts a browser and the API for a suite; skips the suite without a browser. */
export function useExplorerSession(): ExplorerSession {
  let running: TestBrowser | undefined
  let api: RunningApi | undefined
  let consoleMessages: string[] = []

  before(async function (this: Mocha.Context) {
    running = await browserOrSkip(this)
    const { database } = await exploredChain()
    api = await runExplorer(database)
  })

  after(async () => {
    await api?.stop()
    await running?.close()
  })

  afterEach(async () => {
    for (const context of running?.browser.contexts() ?? []) await context.close()
  })

  return {
    get api() {
      return ready(api)
    },
    get consoleMessages() {
      return consoleMessages
    },
    open: async (path, { of = ready(api), prepare, ...options } = {}) => {
      const context = await ready(running).browser.newContext({
        viewport: { width: 1280, height: 900 },
        reducedMotion: 'reduce',
        ...options,
      })
      const page = await context.newPage()
      consoleMessages = watchConsole(page)
      await prepare?.(page)
      await page.goto(`http://${of.host}${path}`)
      // Skips the "Building pages…" page, which reloads until the build is complete.
      await page.locator('#root').getByRole('heading', { level: 1 }).waitFor()
      return page
    },
  }
}

/** Starts the API with an empty database for a suite. */
export function useEmptyExplorer(): { readonly api: RunningApi } {
  let database: TestDatabase | undefined
  let api: RunningApi | undefined

  before(async () => {
    database = await createTestDatabase()
    api = await runExplorer(database)
  })

  after(async () => {
    await api?.stop()
    await database?.drop()
  })

  return {
    get api() {
      return ready(api)
    },
  }
}

function runExplorer({ url }: Pick<TestDatabase, 'url'>): Promise<RunningApi> {
  return runApi(url, { page: {}, server: { network: () => 'emulator' } })
}

function ready<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error('The session has not started.')
  return thing
}

/** Whether a URL is an API path. */
export function isForData({ pathname }: URL): boolean {
  return /^\/(?:flow|status|staking|insights|defi)(?:\/|$)/.test(pathname)
}
