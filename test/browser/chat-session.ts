import type { BrowserContextOptions, Page } from 'playwright-core'
import { createRootPage } from '../../src/platform/pages/serve-page.ts'
import { startChatStandIn } from '../support/chat-stand-in.ts'
import type { ChatStandIn, ChatWorld } from '../support/chat-stand-in.ts'
import { chatWorld } from '../support/chat-worlds.ts'
import { watchConsole } from './page-checks.ts'
import { usePageSession } from './page-session.ts'

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
  const session = usePageSession<ChatStandIn>('chat')
  let said: string[] = []
  let requests: string[] = []
  return {
    get service() {
      return session.service
    },
    get said() {
      return said
    },
    get requests() {
      return requests
    },
    open: async (world = {}, { prepare, ...options } = {}) => {
      const context = await session.begin(
        (pages) => startChatStandIn({ ...chatWorld(), ...world }, createRootPage(pages)),
        options,
      )
      const page = await context.newPage()
      said = watchConsole(page)
      requests = []
      context.on('request', (request) => requests.push(request.url()))
      await prepare?.(page)
      await page.goto(session.service.url)
      await page.getByRole('textbox', { name: 'Question' }).waitFor()
      return page
    },
  }
}
