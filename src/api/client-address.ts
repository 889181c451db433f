import type { IncomingMessage } from 'node:http'
import { isIPv4, isIPv6 } from 'node:net'

/** The address that a request came from. IPv4 in IPv6 form is written as IPv4, so that a client has one address. */
export function clientAddress(request: IncomingMessage): string {
  const address = request.socket.remoteAddress ?? ''
  const mapped = /^::ffff:(.+)$/i.exec(address)?.[1]
  return mapped !== undefined && isIPv4(mapped) ? mapped : address
}

/** Whether an address is of this machine: nobody to protect against. */
export function isLoopback(address: string): boolean {
  return isIPv4(address) ? address.startsWith('127.') : isIPv6(address) && address === '::1'
}
