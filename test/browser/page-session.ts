import { pino } from 'pino'
import type { BrowserContext, BrowserContextOptions } from 'playwright-core'
import { createDashboardPages } from '../../src/platform/pages/dashboard-pages.ts'
import type { DashboardPages } from '../../src/platform/pages/dashboard-pages.ts'
import type { PageName } from '../../src/platform/pages/build-dashboards.ts'
import { browserOrSkip } from '../support/browser.ts'
import type { TestBrowser } from '../support/browser.ts'

/** A service that is made up for one test, and serves the page. */
interface Service {
  stop(): Promise<void>
}

export interface PageSession<Made extends Service> {
  /** What the page that was opened last talks to. */
  readonly service: Made
  readonly browser: TestBrowser
  /** The service of this test: started over the built page, unless it runs. */
  serve(start: (pages: DashboardPages) => Promise<Made>): Promise<Made>
  /** Starts the service over the built page, and opens a browser window of its own for it. */
  begin(start: (pages: DashboardPages) => Promise<Made>, options?: BrowserContextOptions): Promise<BrowserContext>
}

/**
 * Has the tests of a suite look at a built page in a browser, over services that are made up. They are skipped where
 * this machine has none.
 */
export function usePageSession<Made extends Service>(name: PageName): PageSession<Made> {
  let running: TestBrowser | undefined
  let pages: DashboardPages | undefined
  let service: Made | undefined

  before(async function (this: Mocha.Context) {
    running = await browserOrSkip(this)
    pages = createDashboardPages({ page: name, log: pino({ level: 'silent' }) })
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
    get browser() {
      return ready(running)
    },
    serve: async (start) => {
      service ??= await start(ready(pages))
      return service
    },
    begin: async (start, options = {}) => {
      service = await start(ready(pages))
      return ready(running).browser.newContext({
        viewport: { width: 1280, height: 900 },
        reducedMotion: 'reduce',
        ...options,
      })
    },
  }
}

function ready<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error('The session has not begun.')
  return thing
}
