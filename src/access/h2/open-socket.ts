import { connect as connectTcp, isIP } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Proxy } from '../../platform/outbound/config-proxy.ts'
import type { Endpoint } from '../parse-endpoint.ts'
import { ProxyTunnel } from '../proxy-tunnel.ts'

/** Milliseconds of silence after which TCP itself looks for the other side. */
const tcpKeepaliveMs = 15_000
const readLength = 64 * 1024

export interface SocketOptions {
  /** Certificates to trust in place of the system's, PEM. */
  readonly ca: string | Buffer | undefined
  /** Undefined: the node is connected directly. */
  readonly proxy: Proxy | undefined
  /** It is connected; over TLS, with HTTP/2 agreed on. */
  readonly onConnect: () => void
  /**
   * Something came: `bytes[0..length)`. The memory is used again for what comes next, so that a stream of megabytes
   * makes no garbage: nothing of it may be kept.
   */
  readonly onRead: (bytes: Buffer, length: number) => void
}

/** Connects a socket for HTTP/2. */
export function openSocket(endpoint: Endpoint, options: SocketOptions): Socket | ProxyTunnel {
  const { host, port, tls } = endpoint
  const tunnel = options.proxy === undefined ? undefined : new ProxyTunnel(options.proxy, endpoint)
  const onread = {
    buffer: Buffer.allocUnsafeSlow(readLength),
    callback: (length: number, bytes: Uint8Array): boolean => {
      options.onRead(bytes as Buffer, length)
      return true
    },
  }
  if (!tls && tunnel === undefined) return prepare(connectTcp({ host, port, onread }, options.onConnect))
  if (!tls && tunnel !== undefined) {
    tunnel.once('connect', options.onConnect)
    return prepare(readFrom(tunnel, options))
  }
  // A constant, because the types of tls.connect do not know of onread, which its documentation has.
  const tlsOptions = {
    host,
    port,
    ...(tunnel === undefined ? { onread } : { socket: tunnel }),
    ALPNProtocols: ['h2'],
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(options.ca === undefined ? {} : { ca: options.ca }),
  }
  const socket = connectTls(tlsOptions)
  socket.once('secureConnect', () => {
    if (socket.alpnProtocol === 'h2') options.onConnect()
    else socket.destroy(new Error('the server does not speak HTTP/2 over TLS'))
  })
  return prepare(tunnel === undefined ? socket : readFrom(socket, options))
}

/** A socket upon a tunnel knows no `onread`. */
function readFrom<S extends Socket | ProxyTunnel>(socket: S, { onRead }: SocketOptions): S {
  socket.on('data', (bytes: Buffer) => onRead(bytes, bytes.length))
  return socket
}

function prepare<S extends Socket | ProxyTunnel>(socket: S): S {
  socket.setNoDelay(true)
  socket.setKeepAlive(true, tcpKeepaliveMs)
  return socket
}
