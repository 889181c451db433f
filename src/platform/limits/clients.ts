import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

function socketAddress(request: IncomingMessage): string {
  return plainAddress(request.socket.remoteAddress ?? '')
}

export function isLoopback(address: string): boolean {
  return isIPv4(address) ? address.startsWith('127.') : isIPv6(address) && address === '::1'
}

/**
 * `X-Forwarded-For` is read from its end, as far as trusted proxies appended to it; earlier entries
 * can be forged.
 */
function forwardedAddress(request: IncomingMessage, trustedProxies: BlockList): string {
  let address = socketAddress(request)
  if (!isListed(trustedProxies, address)) return address
  const hops = [request.headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
  while (isListed(trustedProxies, address)) {
    const next = addressIn(hops.pop() ?? '')
    if (next === undefined) break
    address = next
  }
  return address
}

export interface Client {
  readonly address: string
  /** A program on this machine without a proxy in between. */
  readonly isLocal: boolean
}

/** Undefined for local programs, which are not limited. */
export function limitKey({ address, isLocal }: Client): string | undefined {
  return isLocal ? undefined : clientNetwork(address)
}

/** For services where local callers have no limits, so forging the client address gains nothing. */
export const loopbackNetworks: readonly string[] = ['127.0.0.0/8', '::1']

export const proxyHeaders = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
  'x-client-ip',
  'true-client-ip',
  'cf-connecting-ip',
  'fly-client-ip',
] as const

export function clientReader(trustedProxies: BlockList): (request: IncomingMessage) => Client {
  return (request) => ({
    address: forwardedAddress(request, trustedProxies),
    isLocal: isLoopback(socketAddress(request)) && proxyHeaders.every((name) => request.headers[name] === undefined),
  })
}

export function isListed(list: BlockList, address: string): boolean {
  const family = isIP(address)
  return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

export function addressList(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/', 2)
    const isLong = isIPv6(address)
    list.addSubnet(address, prefix === undefined ? (isLong ? 128 : 32) : Number(prefix), isLong ? 'ipv6' : 'ipv4')
  }
  return list
}

/** Possibly with a port; undefined if invalid. */
function addressIn(hop: string): string | undefined {
  const text = hop.trim()
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return isIP(bare) === 0 ? undefined : plainAddress(bare)
}

/** Converts IPv4-mapped IPv6 of dual-stack sockets, so that a client has one address. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:(.+)$/i.exec(address)?.[1]
  return mapped !== undefined && isIPv4(mapped) ? mapped : address
}

/** The /64 of an IPv6 address, since one client usually has all of it. */
export function clientNetwork(address: string): string {
  const plain = plainAddress(address)
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('%', 1)[0]?.toLowerCase().split('::') ?? []
  const groups = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  const all = [
    ...groups,
    ...Array<string>(Math.max(0, missing)).fill('0'),
    ...(tail === undefined || tail === '' ? [] : tail.split(':')),
  ]
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`
}
