import type { IncomingMessage } from 'node:http'
import { isIPv4 } from 'node:net'
import { plainAddress } from '../../base/client-network.ts'

/** Set by proxies: who asks them is somewhere else. */
const proxyHeaders = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
] as const

/**
 * Whether a request was made on this machine, to this machine: the other end of the socket is here, no proxy stands
 * between as far as one can tell (some tell nothing, but ask in HTTP/1.0), and the name it was made to is one of loopback. The name is looked at because a page of another site can have its own
 * name lead here, and a browser would then let it read the answers (DNS rebinding).
 */
export function isLocalRequest(request: IncomingMessage): boolean {
  if (!isLoopbackAddress(request.socket.remoteAddress ?? '')) return false
  if (request.httpVersion === '1.0' || proxyHeaders.some((name) => request.headers[name] !== undefined)) return false
  return isLoopbackName(hostName(request.headers.host ?? ''))
}

function isLoopbackAddress(address: string): boolean {
  const plain = plainAddress(address)
  return isIPv4(plain) ? plain.startsWith('127.') : plain === '::1'
}

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'))
}

/** The host of a Host header, without the port. */
function hostName(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase()
}
