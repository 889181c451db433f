import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { listenLocally } from '../../../support/listen-locally.ts'

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
  })
  const { url, stop } = await listenLocally(server)
  return {
    url,
    requested,
    stop,
  }
}
