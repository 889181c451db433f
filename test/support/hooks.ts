import { stopTestServer } from './database.ts'
import { endSharedThings } from './end-of-tests.ts'

/** Root hooks of mocha: whatever the tests share ends with them. The server itself starts when first asked for. */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    await endSharedThings()
    await stopTestServer()
  },
}
