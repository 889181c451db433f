import type { Server } from 'node:net'
import { asError, FatalError } from '../../src/platform/errors.ts'

/**
 * @param port 0 for any free one
 * @throws FatalError when the address cannot be bound
 */
export async function listenOn(server: Server, host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(port, host, resolve)
  try {
    await promise
  } catch (thrown) {
    throw new FatalError('listen-failed', `Cannot listen on ${host}:${port}: ${asError(thrown).message}`, {
      cause: thrown,
    })
  } finally {
    server.off('error', reject)
  }
}
