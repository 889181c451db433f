import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An MCP message from a client. */
export interface ReceivedCall {
  readonly id?: number
  readonly method: string
  readonly params?: Readonly<Record<string, unknown>>
}

export interface McpRequest {
  readonly call: ReceivedCall
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Responds with a JSON result. */
  reply(result: object): void
}

export interface FaultyMcpServer {
  readonly url: string
  readonly port: number
  /** MCP methods in order of arrival, and HTTP `GET` and `DELETE`. */
  readonly requested: readonly string[]
  /** Received requests. */
  readonly requests: readonly IncomingMessage[]
  /** Resolves when a message with this method has arrived. */
  came(method: string): Promise<void>
  /** Open connections. */
  connections(): Promise<number>
  stop(): Promise<void>
}

export interface FaultyMcpOptions {
  /** Handles a message itself; `false`: the default response is sent. */
  readonly handle?: (odd: McpRequest) => boolean | Promise<boolean>
  /** Result of `tools/list`. Default: one tool named `script_check`. */
  readonly tools?: readonly object[]
  /** Default 0. */
  readonly port?: number
  /** Whether it speaks the 2026 revision. Default true; else 2025, with a session. */
  readonly isModern?: boolean
}

export const anyObject = { type: 'object', properties: { text: { type: 'string' } } } as const

/** A hand-written MCP server that can misbehave. */
export async function startFaultyMcpServer({
  handle,
  tools = [{ name: 'script_check', description: 'Theirs.', inputSchema: anyObject }],
  port = 0,
  isModern = true,
}: FaultyMcpOptions = {}): Promise<FaultyMcpServer> {
  const requested: string[] = []
  const requests: IncomingMessage[] = []
  const waiting: { method: string; tell: () => void }[] = []
  let session = 0
  const note = (method: string): void => {
    requested.push(method)
    for (const each of waiting) if (each.method === method) each.tell()
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests.push(request)
    if (request.method !== 'POST') {
      note(request.method ?? '')
      response.writeHead(405).end()
      return
    }
    const body = await text(request)
    if (body === undefined) return
    const message = JSON.parse(body) as ReceivedCall
    const reply = (result: object): void => {
      response.writeHead(200, {
        'Content-Type': 'application/json',
        ...(isModern ? {} : { 'Mcp-Session-Id': String(session) }),
      })
      response.end(
        JSON.stringify({
          jsonrpc: '2.0',
          id: message.id,
          result: { ...(isModern ? { resultType: 'complete' } : {}), ...result },
        }),
      )
    }
    const isHandled = await handle?.({ call: message, request, response, reply })
    note(message.method)
    if (isHandled === true) return
    if (message.id === undefined) {
      response.writeHead(202).end()
      return
    }
    switch (message.method) {
      case 'server/discover':
        if (isModern) reply({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } })
        else
          response
            .writeHead(400, { 'Content-Type': 'application/json' })
            .end(JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'no such method' } }))
        break
      case 'initialize':
        session++
        reply({ protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'odd', version: '0' } })
        break
      case 'tools/list':
        reply({ tools })
        break
      default:
        reply({ content: [{ type: 'text', text: 'fine' }] })
    }
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error instanceof Error ? error : undefined))
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const { port: own } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${own}/mcp`,
    port: own,
    requested,
    requests,
    came: async (method) => {
      if (requested.includes(method)) return
      await new Promise<void>((tell) => waiting.push({ method, tell }))
    },
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
      ),
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

/** Undefined: the client disconnected first. */
async function text(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer)
  } catch {
    return undefined
  }
  return Buffer.concat(chunks).toString()
}
