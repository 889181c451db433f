import { stopTestServer } from './database.ts'
import { runCleanups } from './cleanups.ts'

/** Mocha root hooks that close shared resources. The server starts on first use. */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    await runCleanups()
    await stopTestServer()
  },
}
