import { pino } from 'pino'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { createDashboardPages } from '../../src/services/dashboard-pages.ts'
import type { DashboardPages } from '../../src/services/dashboard-pages.ts'
import { createRootPage } from '../../src/services/root-page.ts'
import { startBrowser } from '../support/browser.ts'
import type { TestBrowser } from '../support/browser.ts'
import { startChatStandIn } from '../support/chat-stand-in.ts'
import type { ChatStandIn, ChatWorld } from '../support/chat-stand-in.ts'
import { chatWorld } from '../support/chat-worlds.ts'
import { watchConsole } from './page-checks.ts'

export interface ChatOpenOptions extends BrowserContextOptions {
  /** Before the page is gone to. */
  readonly prepare?: (page: Page) => Promise<unknown>
}

export interface ChatSession {
  /** What the page talks to. */
  readonly service: ChatStandIn
  /** What the page said on the console. */
  readonly said: string[]
  /** The address of every request that the browser made. */
  readonly requests: string[]
  /** Opens the page, over the usual answers but for those that are given. */
  open(world?: Partial<ChatWorld>, options?: ChatOpenOptions): Promise<Page>
}

/** Has the tests of a suite look at the page of the chat in a browser. They are skipped where this machine has none. */
export function useChatSession(): ChatSession {
  let running: TestBrowser | undefined
  let pages: DashboardPages | undefined
  let service: ChatStandIn | undefined
  let said: string[] = []
  let requests: string[] = []

  before(async function (this: Mocha.Context) {
    try {
      running = await startBrowser()
    } catch (error) {
      process.stderr.write(`The tests of pages are skipped: no browser can be started here. ${String(error).split('\n')[0]}\n`)
      this.skip()
    }
    pages = createDashboardPages({ page: 'chat', log: pino({ level: 'silent' }) })
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
    get requests() {
      return requests
    },
    open: async (world = {}, { prepare, ...options } = {}) => {
      service = await startChatStandIn({ ...chatWorld(), ...world }, createRootPage(ready(pages)))
      const context = await ready(running).browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce', ...options })
      const page = await context.newPage()
      page.setDefaultTimeout(20_000)
      said = watchConsole(page)
      requests = []
      context.on('request', (request) => requests.push(request.url()))
      await prepare?.(page)
      await page.goto(service.url)
      await page.getByRole('textbox', { name: 'Question' }).waitFor()
      return page
    },
  }
}

function ready<Thing>(thing: Thing | undefined): Thing {
  if (thing === undefined) throw new Error('The session has not begun.')
  return thing
}
