import { pino } from 'pino'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { createRootPage } from '../../src/services/root-page.ts'
import { createDashboardPages } from '../../src/services/dashboard-pages.ts'
import type { DashboardPages } from '../../src/services/dashboard-pages.ts'
import { startAskStandIn } from '../support/ask-stand-in.ts'
import type { AskStandIn, AskWorld } from '../support/ask-stand-in.ts'
import { askWorld } from '../support/ask-worlds.ts'
import { startBrowser } from '../support/browser.ts'
import type { TestBrowser } from '../support/browser.ts'
import { watchConsole } from './page-checks.ts'

export interface AskSession {
  /** What the page talks to. */
  readonly service: AskStandIn
  /** What the page said on the console. */
  readonly said: string[]
  /** Opens the page, over the usual answers but for those that are given. */
  open(world?: Partial<AskWorld>, options?: BrowserContextOptions): Promise<Page>
}

/** Has the tests of a suite look at the query page in a browser. They are skipped where this machine has none. */
export function useAskSession(): AskSession {
  let running: TestBrowser | undefined
  let pages: DashboardPages | undefined
  let service: AskStandIn | undefined
  let said: string[] = []

  before(async function (this: Mocha.Context) {
    try {
      running = await startBrowser()
    } catch (error) {
      process.stderr.write(`The tests of pages are skipped: no browser can be started here. ${String(error).split('\n')[0]}\n`)
      this.skip()
    }
    pages = createDashboardPages({ page: 'ask', log: pino({ level: 'silent' }) })
    await pages.file('')
  })

  after(async () => {
    pages?.stop()
    await running?.close()
  })

  afterEach(async () => {
    for (const context of running?.browser.contexts() ?? []) await context.close()
    await service?.stop()
    service = undefined
  })

  return {
    get service() {
      return ready(service)
    },
    get said() {
      return said
    },
    open: async (world = {}, options = {}) => {
      service = await startAskStandIn({ ...askWorld(), ...world }, createRootPage(ready(pages)))
      const context = await ready(running).browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options })
      const page = await context.newPage()
      page.setDefaultTimeout(20_000)
      said = watchConsole(page)
      await page.goto(service.url)
      await page.getByRole('textbox', { name: 'SQL' }).waitFor()
      return page
    },
  }
}

function ready<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error('The session has not begun.')
  return thing
}
