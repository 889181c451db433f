import type { BrowserContextOptions, Page } from 'playwright-core'
import { createRootPage } from '../../src/platform/pages/serve-page.ts'
import { startFakeAsk } from '../support/fake-ask.ts'
import type { FakeAsk, AskWorld } from '../support/fake-ask.ts'
import { askWorld } from '../support/ask-worlds.ts'
import { untilLoaded, watchConsole } from './page-checks.ts'
import { usePageSession } from './page-session.ts'

export interface AskSession {
  /** The server of the page. */
  readonly service: FakeAsk
  /** Console messages of the page. */
  readonly consoleMessages: string[]
  /** Opens the page over the default responses with the given overrides. */
  open(world?: Partial<AskWorld>, options?: BrowserContextOptions, path?: string): Promise<Page>
}

/** Starts a browser for a suite of the query page; skips the suite without a browser. */
export function useAskSession(): AskSession {
  const session = usePageSession<FakeAsk>('ask')
  let consoleMessages: string[] = []
  return {
    get service() {
      return session.service
    },
    get consoleMessages() {
      return consoleMessages
    },
    open: async (world = {}, options = {}, path = '') => {
      const context = await session.begin(
        (pages) => startFakeAsk({ ...askWorld(), ...world }, createRootPage(pages, ['docs', 'dashboards', 'd'])),
        options,
      )
      const page = await context.newPage()
      consoleMessages = watchConsole(page)
      await page.goto(`${session.service.url}${path}`)
      if (path === '') await page.getByRole('textbox', { name: 'SQL' }).waitFor()
      else await untilLoaded(page)
      return page
    },
  }
}
