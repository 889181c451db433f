import { createHash, timingSafeEqual } from 'node:crypto'
import { ApiError } from '../errors.ts'
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { isListed, isLoopback, plainAddress } from '../limits/clients.ts'
/** RFC 6750. */
export function bearerToken(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)\s*$/i.exec(authorization ?? '')?.[1]
}

const anonymousOwner = 'everybody'

/** Owner of the rows that callers with this API_TOKEN store. */
export function ownerOf(token: string | undefined): string {
  return token === undefined ? anonymousOwner : digest(token).toString('hex')
}

/**
 * @param token API_TOKEN; undefined admits every caller
 * @returns the owner of the stored history, different for each token
 * @throws ApiError 401 `missing-token` or `wrong-token`
 */
export function admitBearer(header: string, token: string | undefined): string {
  if (token === undefined) return ownerOf(token)
  const presented = bearerToken(header)
  if (presented === undefined)
    throw new ApiError(401, 'missing-token', 'Authentication required. Send `Authorization: Bearer <API_TOKEN>`.')
  if (!timingSafeEqual(digest(presented), digest(token))) throw new ApiError(401, 'wrong-token', 'The token is wrong.')
  return ownerOf(presented)
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

/**
 * Refuses DNS rebinding; only needed where no token is required. Behind trusted proxies every Host is
 * allowed.
 * @throws ApiError 403 `host-not-allowed`
 */
export function refuseDnsRebinding(
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
    `Host ${name} is not a name of this service. Call it as localhost, ${remedy}. Add a proxy on this machine ` +
      'to TRUSTED_PROXIES.',
  )
}

const tokenRemedy = 'or set API_TOKEN, which allows any name'

/** Addresses cannot be rebound, and sites have no names without a dot. */
function canBeOfASite(name: string): boolean {
  return name.includes('.') && isIP(name.replaceAll(/[[\]]/g, '')) === 0 && !name.endsWith('.localhost')
}

/** Scripts of a page can send neither `Via` nor HTTP/1.0. They can set `X-Forwarded-For`. */
function isOfProxy(request: IncomingMessage): boolean {
  return request.httpVersion === '1.0' || request.headers.via !== undefined
}

/** Refuses CSRF by headers that pages cannot set. @throws ApiError 403 `other-origin` */
export function requireSameOrigin({ headers }: IncomingMessage): void {
  const site = headers['sec-fetch-site']
  const isOtherSite = site !== undefined && site !== 'same-origin' && site !== 'none'
  const hosts = [headers.host, headers['x-forwarded-host']]
  if (!isOtherSite && (headers.origin === undefined || isHostOf(headers.origin, hosts))) return
  throw new ApiError(
    403,
    'other-origin',
    'Requests from pages of another origin are not allowed. A proxy must forward the Host header.',
  )
}

function isHostOf(origin: string, hosts: readonly (string | string[] | undefined)[]): boolean {
  if (!URL.canParse(origin)) return false
  const { host } = new URL(origin)
  return host !== '' && hosts.includes(host)
}
