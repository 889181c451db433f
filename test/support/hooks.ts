import { stopTestServer } from './database.ts'

/** Root hooks of mocha: whatever the tests share ends with them. The server itself starts when first asked for. */
export const mochaHooks = {
  async afterAll(): Promise<void> {
    await stopTestServer()
  }
}
