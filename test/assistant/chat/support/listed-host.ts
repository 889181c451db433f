import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { OutboundNetwork } from '../../../../src/assistant/chat/tools/fetch-api.ts'
import { targetPolicy } from '../../../../src/platform/outbound/target-policy.ts'
import { listedCertificate, listedRoot } from './listed-host-certificate.ts'

/** A received request. */
export interface ListedCall {
  /** `GET https://api.listed.test/path?query` */
  readonly target: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/**
 * A TLS web API on 127.0.0.1 that serves every host name, so that only the tool's own checks
 * prevent calls.
 */
export interface ListedHost extends AsyncDisposable {
  /** For the tool: routes requests here and trusts the certificate. */
  readonly network: OutboundNetwork
  readonly calls: readonly ListedCall[]
  /** Looked-up names, with repetitions. */
  readonly names: readonly string[]
  /** Connections so far, including those without a request. */
  readonly connections: number
  /** Open connections. */
  readonly open: number
  /** Resolves when all connections are closed. */
  untilAllClosed(): Promise<void>
}

export type AnswerListed = (call: ListedCall, response: ServerResponse) => void | Promise<void>

/** @param addressesOf addresses of a name; default 127.0.0.1 */
export async function startListedHost(
  answer: AnswerListed,
  addressesOf: (host: string) => readonly string[] = () => ['127.0.0.1'],
): Promise<ListedHost> {
  const calls: ListedCall[] = []
  const names: string[] = []
  const sockets = new Set<Duplex>()
  let connections = 0
  const server = createServer(listedCertificate, (request, response) => {
    void text(request)
      .then((body) => {
        const path = request.url ?? ''
        const call: ListedCall = {
          target: `${request.method} https://${request.headers.host}${path}`,
          path,
          headers: request.headers,
          body,
        }
        calls.push(call)
        return answer(call, response)
      })
      .catch(() => response.destroy())
  })
  server.on('connection', (socket: Duplex) => {
    connections++
    sockets.add(socket)
    socket.once('close', () => {
      sockets.delete(socket)
      if (sockets.size === 0) server.emit('empty')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    network: {
      policy: targetPolicy(['127.0.0.1']),
      port: (server.address() as AddressInfo).port,
      ca: listedRoot,
      lookUp: (host) => {
        names.push(host)
        return Promise.resolve(addressesOf(host))
      },
    },
    calls,
    names,
    get connections() {
      return connections
    },
    get open() {
      return sockets.size
    },
    untilAllClosed: async () => {
      if (sockets.size > 0) await once(server, 'empty')
    },
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

export function json(response: ServerResponse, value: unknown, status = 200): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify(value))
}
