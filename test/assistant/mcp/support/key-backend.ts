import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const goodKey = 'fs_live_good'

export interface KeyBackend {
  readonly url: string
  /** `POST /auth/verify-key <key>` each. */
  readonly requested: string[]
  stop(): Promise<void>
}

/**
 * An indexer backend that accepts one key and counts requests. @param answer overrides the response
 */
export async function startKeyBackend(
  answer?: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<KeyBackend> {
  const requested: string[] = []
  const server = createServer((request, response) => {
    const key = String(request.headers['x-api-key'])
    requested.push(`${request.method} ${request.url} ${key}`)
    if (answer !== undefined) answer(request, response)
    else response.writeHead(key === goodKey ? 200 : 401).end(JSON.stringify({ valid: key === goodKey }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requested,
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
