import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { isLoopback, proxyHeaders } from './client-address.ts'
import { plainAddress } from './client-network.ts'
import { ApiError } from './errors.ts'

/**
 * Refuses what a browser of this machine sends for a page of another site that has its own name lead here (DNS rebinding): nothing but
 * that name tells it from our page. Only where no token is asked for, which such a page does not have.
 * @param ownName HOST, by which the service may be called whatever it is
 * @param isOfProxy whether a proxy sends it, which may call by any name. Default: what it says of itself, as such a page can too
 * @throws ApiError 403 `host-not-allowed`
 */
export function refuseRebound(request: IncomingMessage, ownName: string, isOfProxy = isProxied(request)): void {
  if (!isLoopback(plainAddress(request.socket.remoteAddress ?? '')) || isOfProxy) return
  const name = (request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase()
  if (name === ownName.toLowerCase() || !canBeOfASite(name)) return
  throw new ApiError(403, 'host-not-allowed', `Call this service as localhost, and not as ${name}; or set API_TOKEN, with which it has any name.`)
}

/** Addresses lead where they say, and sites have no names without a dot. */
function canBeOfASite(name: string): boolean {
  return name.includes('.') && isIP(name.replaceAll(/[[\]]/g, '')) === 0 && !name.endsWith('.localhost')
}

/** Proxies that tell nothing of themselves ask in HTTP/1.0. */
function isProxied(request: IncomingMessage): boolean {
  return request.httpVersion === '1.0' || proxyHeaders.some((name) => request.headers[name] !== undefined)
}
