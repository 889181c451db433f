import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { listenLocally } from '../../../support/listen-locally.ts'

/** A received JSON-RPC call. */
export interface RpcCall {
  readonly method: string
  readonly params: readonly unknown[]
}

export interface EvmNode {
  readonly url: string
  readonly requested: RpcCall[]
  stop(): Promise<void>
}

/** Returns the result of a call, or writes the response itself. */
export type Answer = (call: RpcCall, response: ServerResponse, request: IncomingMessage) => unknown

/** Marks a response that was already written. */
export const answered = Symbol('answered')

/** A JSON-RPC error. */
export class RpcRefusal {
  readonly message: string
  readonly data: unknown

  constructor(message: string, data?: unknown) {
    this.message = message
    this.data = data
  }
}

export async function startEvmNode(answer: Answer): Promise<EvmNode> {
  const requested: RpcCall[] = []
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = (await json(request)) as RpcCall & { readonly id: unknown }
    requested.push({ method: call.method, params: call.params })
    const result = await answer(call, response, request)
    if (result === answered) return
    const reported =
      result instanceof RpcRefusal ? { error: { code: 3, message: result.message, data: result.data } } : { result }
    response
      .writeHead(200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify({ jsonrpc: '2.0', id: call.id, ...reported }))
  }
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  const { url, stop } = await listenLocally(server)
  return {
    url: `${url}/key-in-path`,
    requested,
    stop,
  }
}
