import { pino } from 'pino'
import type { BrowserContext, BrowserContextOptions } from 'playwright-core'
import type { Applications } from '../../src/platform/pages/applications.ts'
import { createDashboardPages } from '../../src/platform/pages/dashboard-pages.ts'
import type { DashboardPages } from '../../src/platform/pages/dashboard-pages.ts'
import type { PageName } from '../../src/platform/pages/build-dashboards.ts'
import { browserOrSkip } from '../support/browser.ts'
import type { TestBrowser } from '../support/browser.ts'

/** A mock service for one test, which serves the page. */
interface Service {
  stop(): Promise<void>
}

export interface PageSession<Made extends Service> {
  /** The service of the page that was opened last. */
  readonly service: Made
  readonly browser: TestBrowser
  /** The service of this test; started over the built page on first use. */
  serve(start: (pages: DashboardPages) => Promise<Made>): Promise<Made>
  /** Starts the service over the built page, and opens a new browser window. */
  begin(start: (pages: DashboardPages) => Promise<Made>, options?: BrowserContextOptions): Promise<BrowserContext>
}

/**
 * Starts a browser for a suite over a built page and mock services; skips the suite without a browser.
 */
export function usePageSession<Made extends Service>(name: PageName): PageSession<Made> {
  let running: TestBrowser | undefined
  let pages: DashboardPages | undefined
  let service: Made | undefined

  before(async function (this: Mocha.Context) {
    running = await browserOrSkip(this)
    const urls = { explorer: 'https://explorer.example/', ask: 'https://ask.example/' }
    const applications = (): Applications => ({ own: [], ports: {}, urls })
    pages = createDashboardPages({ page: name, log: pino({ level: 'silent' }), applications })
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
