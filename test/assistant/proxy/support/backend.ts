import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A service behind the proxy with scripted responses. */
export interface Backend {
  readonly url: URL
  readonly server: Server
  /** In order of arrival. */
  readonly requests: readonly IncomingMessage[]
  /** Number of connections so far. */
  readonly connections: number
  stop(): Promise<void>
}

/** @param answer default: its name and the target */
export async function startBackend(name: string, answer?: RequestListener, port = 0): Promise<Backend> {
  const requests: IncomingMessage[] = []
  let connections = 0
  const server = createServer((request, response) => {
    requests.push(request)
    if (answer !== undefined) {
      answer(request, response)
      return
    }
    request.resume()
    response.writeHead(200, { 'Content-Type': 'text/plain' }).end(`${name} ${request.method} ${request.url}`)
  })
  server.on('connection', () => connections++)
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    server,
    requests,
    get connections() {
      return connections
    },
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
