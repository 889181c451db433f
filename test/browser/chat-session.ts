import type { BrowserContextOptions, Page } from 'playwright-core'
import { createRootPage } from '../../src/platform/pages/serve-page.ts'
import { startFakeChat } from '../support/fake-chat.ts'
import type { FakeChat, ChatWorld } from '../support/fake-chat.ts'
import { chatWorld } from '../support/chat-worlds.ts'
import { watchConsole } from './page-checks.ts'
import { usePageSession } from './page-session.ts'

export interface ChatOpenOptions extends BrowserContextOptions {
  /** Called before navigation. */
  readonly prepare?: (page: Page) => Promise<unknown>
}

export interface ChatSession {
  /** The server of the page. */
  readonly service: FakeChat
  /** Console messages of the page. */
  readonly consoleMessages: string[]
  /** URLs of all requests of the browser. */
  readonly requests: string[]
  /** Opens the page over the default responses with the given overrides. */
  open(world?: Partial<ChatWorld>, options?: ChatOpenOptions): Promise<Page>
}

/** Starts a browser for a suite of the chat page; skips the suite without a browser. */
export function useChatSession(): ChatSession {
  const session = usePageSession<FakeChat>('chat')
  let consoleMessages: string[] = []
  let requests: string[] = []
  return {
    get service() {
      return session.service
    },
    get consoleMessages() {
      return consoleMessages
    },
    get requests() {
      return requests
    },
    open: async (world = {}, { prepare, ...options } = {}) => {
      const context = await session.begin(
        (pages) => startFakeChat({ ...chatWorld(), ...world }, createRootPage(pages, ['share'])),
        options,
      )
      const page = await context.newPage()
      consoleMessages = watchConsole(page)
      requests = []
      context.on('request', (request) => requests.push(request.url()))
      await prepare?.(page)
      await page.goto(session.service.url)
      await page.getByRole('textbox', { name: 'Question' }).waitFor()
      return page
    },
  }
}
