import { stopTestServer } from './database.ts'
import { endSharedThings } from './end-of-tests.ts'

/** Mocha root hooks that close shared resources. The server starts on first use. */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    await endSharedThings()
    await stopTestServer()
  },
}
