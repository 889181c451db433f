import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv4, isIPv6 } from 'node:net'

/** The other end of the socket. */
function socketAddress(request: IncomingMessage): string {
  return plainAddress(request.socket.remoteAddress ?? '')
}

/** Whether an address is of this machine. */
export function isLoopback(address: string): boolean {
  return isIPv4(address) ? address.startsWith('127.') : isIPv6(address) && address === '::1'
}

/**
 * Where a request comes from. `X-Forwarded-For` is believed only as far as proxies of ours wrote it: it is read
 * from its end, where the nearest proxy has added what it saw, up to the first address that is no proxy of ours.
 * What stands before that anybody could have written.
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

/** Who asks, as far as limits are concerned. */
export interface Client {
  readonly address: string
  /** A program on this machine, with no proxy between: nobody to protect against. */
  readonly isLocal: boolean
}

/**
 * What a client's limits are counted by: its network; undefined for programs on this machine, which have none of
 * their own.
 */
export function limitKey({ address, isLocal }: Client): string | undefined {
  return isLocal ? undefined : clientNetwork(address)
}

/**
 * Proxies on this machine, for `addressList` beside TRUSTED_PROXIES where direct callers of this machine have no
 * limits and need no key: a program here that lies about whom it asks for gains nothing that it would not have by
 * asking for itself.
 */
export const ownMachine: readonly string[] = ['127.0.0.0/8', '::1']

/** Headers in which proxies tell that they stand between. */
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

/** Tells who asks. @param trustedProxies TRUSTED_PROXIES */
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

/** A set of addresses and networks: `10.0.0.7`, `10.0.0.0/8`, `2001:db8::/32`. */
export function addressList(entries: readonly string[]): BlockList {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/', 2)
    const isLong = isIPv6(address)
    list.addSubnet(address, prefix === undefined ? (isLong ? 128 : 32) : Number(prefix), isLong ? 'ipv6' : 'ipv4')
  }
  return list
}

/** One entry of `X-Forwarded-For`; undefined where it is no address. Some proxies write the port too. */
function addressIn(hop: string): string | undefined {
  const text = hop.trim()
  const bare = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  return isIP(bare) === 0 ? undefined : plainAddress(bare)
}

/** IPv4 in IPv6 form, as sockets for both have it, is written as IPv4, so that a client has one address. */
export function plainAddress(address: string): string {
  const mapped = /^::ffff:(.+)$/i.exec(address)?.[1]
  return mapped !== undefined && isIPv4(mapped) ? mapped : address
}

/**
 * What counts as one client: an address of IPv4, or the network of one of IPv6, since who has one has its 2^64 as
 * well.
 */
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
