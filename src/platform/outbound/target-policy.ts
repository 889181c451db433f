import { BlockList, isIP, isIPv4 } from 'node:net'

/** IANA special-purpose registry, multicast and broadcast. */
const closedNetworks = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

/**
 * In IPv6 everything except global unicast is closed, and within it: IETF protocols with Teredo,
 * documentation, 6to4.
 */
const globalUnicast = '2000::/3'
const closedWithin = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20', '2620:4f:8000::/48']

const isAllowedPort = (port: number): boolean => port === 443 || port >= 1024

export interface TargetPolicy {
  /** Undefined if allowed. The host is not resolved. */
  refusalOfUrl(url: URL): string | undefined
  /** Undefined if allowed. */
  refusalOfAddress(address: string, url: URL): string | undefined
}

/**
 * Webhook targets must be https on the public internet (SSRF). WEBHOOK_ALLOWED_NETWORKS are
 * allowed, by http and on any port too.
 */
export function targetPolicy(allowedNetworks: readonly string[]): TargetPolicy {
  const allowed = blockList(allowedNetworks)
  const closed4 = blockList(closedNetworks)
  const global6 = blockList([globalUnicast])
  const closed6 = blockList(closedWithin)
  const isPublic = (address: string): boolean =>
    isIPv4(address)
      ? !closed4.check(address, 'ipv4')
      : global6.check(address, 'ipv6') && !closed6.check(address, 'ipv6')

  const refusalOfAddress = (address: string, url: URL): string | undefined => {
    if (isIP(address) === 0) return 'its host name has no address'
    if (allowed.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')) return undefined
    if (!isPublic(address)) return 'its address is not on the public internet'
    if (url.protocol !== 'https:') return 'only https is allowed'
    return isAllowedPort(portOf(url)) ? undefined : `port ${portOf(url)} is not allowed`
  }
  return {
    refusalOfAddress,
    refusalOfUrl: (url) => {
      if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'only https is allowed'
      if (url.username !== '' || url.password !== '') return 'it contains a user name or password'
      const literal = literalAddress(url)
      if (literal !== undefined) return refusalOfAddress(literal, url)
      if (url.protocol === 'http:' && allowedNetworks.length === 0) return 'only https is allowed'
      return undefined
    },
  }
}

export function literalAddress(url: URL): string | undefined {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  return isIP(host) === 0 ? undefined : host
}

export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', prefix] = network.split('/')
    const family = isIPv4(address) ? 'ipv4' : 'ipv6'
    list.addSubnet(address, prefix === undefined ? (family === 'ipv4' ? 32 : 128) : Number(prefix), family)
  }
  return list
}
