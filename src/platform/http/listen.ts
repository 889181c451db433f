import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Listening {
  readonly server: Server
  readonly port: number
}

/**
 * Starts an HTTP server that is patient with nobody who sends slowly.
 * @param port 0 picks a free one
 * @throws what the system says when the port cannot be bound
 */
export async function listen(
  handle: RequestListener,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> {
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 65_000, maxHeaderSize: 16 * 1024 },
    handle,
  )
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen({ host, port }, resolve)
  await promise
  server.off('error', reject)
  return { server, port: (server.address() as AddressInfo).port }
}

/** How often connections are looked for whose request has been answered meanwhile, ms. Node closes those alone that are idle at first. */
const lookMs = 20

/** Takes no more requests, waits for those that run, and ends the rest after `graceMs`. */
export async function closeServer(server: Server, graceMs: number): Promise<void> {
  const closed = Promise.withResolvers<void>()
  server.close(() => closed.resolve())
  const look = setInterval(() => server.closeIdleConnections(), lookMs)
  const force = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed.promise
  clearTimeout(force)
  clearInterval(look)
}

/** Where a server on this machine is reached that binds this address. */
export function localHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
