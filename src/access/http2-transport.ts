import { proxyFor } from '../platform/outbound/config-proxy.ts'
import { Deadlines } from './deadlines.ts'
import { GrpcError } from './errors.ts'
import { timeoutHeader } from './grpc-status.ts'
import { Http2Connection } from './h2/http2-connection.ts'
import type { Http2ConnectionOptions } from './h2/http2-connection.ts'
import { staticIndex } from './h2/static-table.ts'
import { authorityOf } from './parse-endpoint.ts'
import type { Endpoint } from './parse-endpoint.ts'
import type { CallOptions, ServiceName, Transport } from './transport.ts'
import { UnaryCall } from './unary-call.ts'

/** Milliseconds that calls in flight have to end when the transport is closed. */
const closeGraceMs = 5_000

/** Different request headers that are kept; a program makes a dozen, unless each of its calls has a time of its own. */
const mostHeads = 256

/**
 * Unary gRPC calls over one HTTP/2 connection, with an HTTP/2 of our own: a fraction of the work of a full gRPC client,
 * which is what ingest spends most of its time on. The connection is made by the first call, and made anew by the next
 * one when it is lost; calls beyond the server's limit of concurrent streams wait for a free one within their deadline.
 *
 * Faults of the connection are UNAVAILABLE.
 */
export class Http2Transport implements Transport {
  readonly endpoint: string
  readonly #endpoint: Endpoint
  readonly #options: Http2ConnectionOptions
  readonly #deadlines = new Deadlines()
  readonly #heads = new Map<string, Buffer>()
  #connection: Http2Connection | undefined
  readonly #draining = new Set<Http2Connection>()
  #closed = false

  constructor(endpoint: Endpoint, options: Http2ConnectionOptions = {}) {
    this.endpoint = endpoint.text
    this.#endpoint = endpoint
    this.#options = { proxy: proxyFor(endpoint), ...options }
  }

  unary(method: string, request: Uint8Array, options: CallOptions): Promise<Buffer> {
    const call = { method, endpoint: this.endpoint }
    if (this.#closed) return Promise.reject(new GrpcError('UNAVAILABLE', 'the transport is closed', call))
    if (options.signal?.aborted === true) {
      return Promise.reject(new GrpcError('CANCELLED', 'aborted', { ...call, cause: options.signal.reason }))
    }
    const head = this.#headOf(method, options)
    return new Promise((resolve, reject) => {
      const connection = this.#usableConnection()
      const deadlines = this.#deadlines
      connection.add(new UnaryCall({ call, head, request, options, connection, deadlines, resolve, reject }))
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#connection !== undefined) this.#draining.add(this.#connection)
    await Promise.all([...this.#draining].map((connection) => connection.close(closeGraceMs)))
    this.#draining.clear()
  }

  #usableConnection(): Http2Connection {
    if (this.#connection?.usable === true) return this.#connection
    for (const old of this.#draining) if (old.lost) this.#draining.delete(old)
    if (this.#connection?.lost === false) this.#draining.add(this.#connection)
    this.#connection = new Http2Connection(this.#endpoint, this.#options)
    return this.#connection
  }

  #headOf(method: string, { service = 'flow.access.AccessAPI', timeoutMs }: CallOptions): Buffer {
    const key = `${service}/${method} ${timeoutMs}`
    const known = this.#heads.get(key)
    if (known !== undefined) return known
    if (this.#heads.size === mostHeads) this.#heads.clear()
    const head = this.#encodeHead(service, method, timeoutMs)
    this.#heads.set(key, head)
    return head
  }

  #encodeHead(service: ServiceName, method: string, timeoutMs: number): Buffer {
    return encodeHead([
      [':method', 'POST'],
      [':scheme', this.#endpoint.tls ? 'https' : 'http'],
      [':path', `/${service}/${method}`],
      [':authority', authorityOf(this.#endpoint)],
      ['content-type', 'application/grpc'],
      ['te', 'trailers'],
      ['grpc-timeout', timeoutHeader(timeoutMs)],
    ])
  }
}

/** Tells the server that no table is used; it may insist on being told once. Source: RFC 7541, 6.3 and 4.2. */
const noTable = Buffer.from([0x20])

/**
 * Encodes the headers of a request without table and without Huffman code, so that the same headers are the same bytes
 * at all times. Names are in lower case; names and values have one byte for each character.
 */
export function encodeHead(fields: readonly (readonly [name: string, value: string])[]): Buffer {
  const parts: Buffer[] = [noTable]
  for (const [name, value] of fields) {
    if (name === ':method' || name === ':scheme') parts.push(Buffer.from([0x80 | staticIndex(name, value)]))
    else parts.push(Buffer.from([0]), textOf(name), textOf(value))
  }
  return Buffer.concat(parts)
}

function textOf(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  return Buffer.concat([lengthOf(bytes.length), bytes])
}

/** An integer whose first byte has 7 bits for it. */
function lengthOf(length: number): Buffer {
  if (length < 0x7f) return Buffer.from([length])
  const bytes = [0x7f]
  let rest = length - 0x7f
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.from([...bytes, rest])
}
