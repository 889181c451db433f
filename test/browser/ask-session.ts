import type { BrowserContextOptions, Page } from 'playwright-core'
import { createRootPage } from '../../src/platform/pages/serve-page.ts'
import { startAskStandIn } from '../support/ask-stand-in.ts'
import type { AskStandIn, AskWorld } from '../support/ask-stand-in.ts'
import { askWorld } from '../support/ask-worlds.ts'
import { watchConsole } from './page-checks.ts'
import { usePageSession } from './page-session.ts'

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
  const session = usePageSession<AskStandIn>('ask')
  let said: string[] = []
  return {
    get service() {
      return session.service
    },
    get said() {
      return said
    },
    open: async (world = {}, options = {}) => {
      const context = await session.begin(
        (pages) => startAskStandIn({ ...askWorld(), ...world }, createRootPage(pages)),
        options,
      )
      const page = await context.newPage()
      said = watchConsole(page)
      await page.goto(session.service.url)
      await page.getByRole('textbox', { name: 'SQL' }).waitFor()
      return page
    },
  }
}
