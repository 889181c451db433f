import { clientHeader, servedClient } from '../../base/mcp/client-header.ts'
import { LeadsElsewhere, providerFetch } from '../../llm/provider-fetch.ts'
import { ConnectionFault } from './connection-fault.ts'
import { readAnswer } from './read-answer.ts'

/** How long the end of a session may take to be told, ms. */
const goodbyeMs = 1000

/**
 * How the client of the AI SDK calls an MCP server. One request, one answer: a stream of events is read until the answer is in it and left then, so that a
 * server that breaks off fails the call at once rather than when its time is over. No stream is opened for what servers say by themselves, since nothing of
 * it is wanted. Redirects are refused: the key would go along.
 * @param mostBytes of an answer, decoded
 * @param tellsClient whether the server is one of ours, which shares its slots by the client
 */
export function mcpFetch(mostBytes: number, tellsClient = false): typeof fetch {
  const call = providerFetch(mostBytes)
  return async (input, init) => {
    if (init?.method === 'GET') return new Response(null, { status: 405 })
    if (init?.method === 'DELETE') return call(input, { ...init, signal: AbortSignal.timeout(goodbyeMs) })
    const response = await call(input, tellsClient ? withClient(init) : init).catch((error: unknown) => {
      throw error instanceof LeadsElsewhere ? new ConnectionFault(error.message, { cause: error }) : error
    })
    if (response.body === null || !(response.headers.get('content-type') ?? '').includes('text/event-stream'))
      return response
    const id = idOf(init?.body)
    if (id === undefined) {
      await response.body.cancel()
      return new Response(null, { status: 202, headers: response.headers })
    }
    const answer = await readAnswer(response.body, id)
    if (answer === undefined) throw new ConnectionFault('it broke off in the middle of an answer')
    const headers = new Headers(response.headers)
    headers.set('Content-Type', 'application/json')
    return new Response(answer, { status: response.status, headers })
  }
}

function withClient(init: RequestInit | undefined): RequestInit | undefined {
  const client = servedClient.getStore()
  if (client === undefined) return init
  const headers = new Headers(init?.headers)
  headers.set(clientHeader, client)
  return { ...init, headers }
}

/** Of the request; a notification has none. */
function idOf(body: unknown): string | undefined {
  const message: unknown = typeof body === 'string' ? JSON.parse(body) : undefined
  const id: unknown = typeof message === 'object' && message !== null ? Reflect.get(message, 'id') : undefined
  return typeof id === 'string' || typeof id === 'number' ? String(id) : undefined
}
