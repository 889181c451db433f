import { createHash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../errors.ts'
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { isListed, isLoopback, plainAddress } from '../limits/clients.ts'
/**
 * The token of an `Authorization` header of the scheme `Bearer` (RFC 6750); undefined where it has none, or says
 * something else.
 */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)\s*$/i.exec(authorization ?? '')?.[1]
}

/** Who calls a service that wants no token. */
export const everybody = 'everybody'

/**
 * Decides whether whoever sent an `Authorization` header may come in.
 * @param token API_TOKEN; undefined: everybody may
 * @returns whose history it is; two tokens never have the same
 * @throws ApiError 401 `missing-token` or `wrong-token`
 */
export function admitBearer(header: string, token: string | undefined): string {
  if (token === undefined) return everybody
  const given = bearerToken(header)
  if (given === undefined)
    throw new ApiError(401, 'missing-token', 'Send the token of this service as `Authorization: Bearer <API_TOKEN>`.')
  // Of equal length whatever was sent, so that the time of the comparison tells nothing.
  if (!timingSafeEqual(digest(given), digest(token)))
    throw new ApiError(401, 'wrong-token', 'This is not the token of this service.')
  return digest(given).toString('hex')
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/**
 * Refuses what a browser of this machine sends for a page of another site that has its own name lead here (DNS
 * rebinding): nothing but that name tells it from our page. Only where no token is asked for, which such a page does
 * not have.
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

/**
 * What proxies say and no script of a page can: browsers let none set `Via`, and speak no HTTP/1.0. They do let it
 * set `X-Forwarded-For`.
 */
function isOfProxy(request: IncomingMessage): boolean {
  return request.httpVersion === '1.0' || request.headers.via !== undefined
}

/**
 * Refuses a request that a page of another origin makes: such a page can have a browser send one, cookie and all
 * (CSRF). Browsers say where a request comes from in headers that pages cannot set; programs need not.
 * @throws ApiError 403 `other-origin`
 */
export function requireSameOrigin({ headers }: IncomingMessage): void {
  const site = headers['sec-fetch-site']
  const isOtherSite = site !== undefined && site !== 'same-origin' && site !== 'none'
  const hosts = [headers.host, headers['x-forwarded-host']]
  if (!isOtherSite && (headers.origin === undefined || isHostOf(headers.origin, hosts))) return
  throw new ApiError(
    403,
    'other-origin',
    'A page of another origin may not do this. If a proxy stands between, it must pass on the Host header.',
  )
}

function isHostOf(origin: string, hosts: readonly (string | string[] | undefined)[]): boolean {
  if (!URL.canParse(origin)) return false
  const { host } = new URL(origin)
  return host !== '' && hosts.includes(host)
}
