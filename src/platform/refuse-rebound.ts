import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { isListed, isLoopback } from './client-address.ts'
import { plainAddress } from './client-network.ts'
import { ApiError } from './errors.ts'

/**
 * Refuses what a browser of this machine sends for a page of another site that has its own name lead here (DNS rebinding): nothing but
 * that name tells it from our page. Only where no token is asked for, which such a page does not have.
 * @param ownNames HOST and other names by which the service may be called
 * @param trustedProxies TRUSTED_PROXIES: these may call by any name
 * @param remedy what the operator can set instead, as the end of a sentence
 * @throws ApiError 403 `host-not-allowed`
 */
export function refuseRebound(
  request: IncomingMessage,
  ownNames: string | readonly string[],
  trustedProxies = new BlockList(),
  remedy = tokenRemedy,
): void {
  const { remoteAddress = '', localAddress } = request.socket
  const peer = plainAddress(remoteAddress)
  const isThisMachine = isLoopback(peer) || remoteAddress === localAddress
  if (!isThisMachine || isListed(trustedProxies, peer) || isOfProxy(request)) return
  const name = (request.headers.host ?? '').replace(/:\d+$/, '').toLowerCase()
  if ([ownNames].flat().some((own) => own.toLowerCase() === name) || !canBeOfASite(name)) return
  throw new ApiError(
    403,
    'host-not-allowed',
    `Host ${name} is not a name of this service. Call it as localhost, ${remedy}. A proxy on this machine goes into TRUSTED_PROXIES.`,
  )
}

const tokenRemedy = 'or set API_TOKEN, with which any name is allowed'

/** Addresses lead where they say, and sites have no names without a dot. */
function canBeOfASite(name: string): boolean {
  return name.includes('.') && isIP(name.replaceAll(/[[\]]/g, '')) === 0 && !name.endsWith('.localhost')
}

/** What proxies say and no script of a page can: browsers let none set `Via`, and speak no HTTP/1.0. They do let it set `X-Forwarded-For`. */
function isOfProxy(request: IncomingMessage): boolean {
  return request.httpVersion === '1.0' || request.headers.via !== undefined
}
