import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { isListed, isLoopback } from './client-address.ts'
import { plainAddress } from './client-network.ts'
import { ApiError } from './errors.ts'

/**
 * Refuses what a browser of this machine sends for a page of another site that has its own name lead here (DNS rebinding): nothing but
 * that name tells it from our page. Only where no token is asked for, which such a page does not have.
 * @param ownName HOST, by which the service may be called whatever it is
 * @param trustedProxies TRUSTED_PROXIES: these may call by any name
 * @throws ApiError 403 `host-not-allowed`
 */
export function refuseRebound(request: IncomingMessage, ownName: string, trustedProxies = new BlockList()): void {
  const peer = plainAddress(request.socket.remoteAddress ?? '')
  if (!isLoopback(peer) || isListed(trustedProxies, peer) || isOfProxy(request)) return
  const name = (request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase()
  if (name === ownName.toLowerCase() || !canBeOfASite(name)) return
  throw new ApiError(403, 'host-not-allowed', `Call this service as localhost, and not as ${name}; or set API_TOKEN, with which it has any name. A proxy on this machine goes into TRUSTED_PROXIES.`)
}

/** Addresses lead where they say, and sites have no names without a dot. */
function canBeOfASite(name: string): boolean {
  return name.includes('.') && isIP(name.replaceAll(/[[\]]/g, '')) === 0 && !name.endsWith('.localhost')
}

/** What proxies say and no script of a page can: browsers let none set `Via`, and speak no HTTP/1.0. They do let it set `X-Forwarded-For`. */
function isOfProxy(request: IncomingMessage): boolean {
  return request.httpVersion === '1.0' || request.headers.via !== undefined
}
