import type { BrowserContextOptions, Page } from 'playwright-core'
import { browserOrSkip } from '../support/browser.ts'
import type { TestBrowser } from '../support/browser.ts'
import { createTestDatabase } from '../support/database.ts'
import type { TestDatabase } from '../support/database.ts'
import { exploredChain } from '../support/explored-chain.ts'
import { explorerPage } from '../support/explorer-page.ts'
import { runApi } from '../support/running-api.ts'
import type { RunningApi } from '../support/running-api.ts'
import { watchConsole } from './page-checks.ts'

export interface OpenOptions extends BrowserContextOptions {
  /** Default: the API over the recording. */
  readonly of?: RunningApi
  /** Before the page is gone to: what it is answered, for example. */
  readonly prepare?: (page: Page) => Promise<unknown>
}

export interface ExplorerSession {
  /** The API over the recording, with the page. */
  readonly api: RunningApi
  /** Goes to a path of the page in a browser window of its own. */
  open(path: string, options?: OpenOptions): Promise<Page>
  /** What the page that was opened last said on the console. */
  readonly said: string[]
}

/** Has the tests of a suite look at the page in a browser. They are skipped where this machine has none. */
export function useExplorerSession(): ExplorerSession {
  let running: TestBrowser | undefined
  let api: RunningApi | undefined
  let said: string[] = []

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
    get said() {
      return said
    },
    open: async (path, { of = ready(api), prepare, ...options } = {}) => {
      const context = await ready(running).browser.newContext({
        viewport: { width: 1280, height: 900 },
        reducedMotion: 'reduce',
        ...options,
      })
      const page = await context.newPage()
      said = watchConsole(page)
      await prepare?.(page)
      await page.goto(`http://${of.host}${path}`)
      // Not the heading of "Building pages…", which reloads until the page is built: half a minute on a busy machine.
      await page.locator('#root').getByRole('heading', { level: 1 }).waitFor()
      return page
    },
  }
}

/** Runs the API, with the page, over a database in which nothing is indexed, for the tests of a suite. */
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
  return runApi(url, { server: { network: () => 'emulator', page: explorerPage() } })
}

function ready<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error('The session has not begun.')
  return thing
}

/** Whether a request is for data, and not for a part of the page. */
export function isForData({ pathname }: URL): boolean {
  return /^\/(?:flow|status|staking|insights|defi)(?:\/|$)/.test(pathname)
}
