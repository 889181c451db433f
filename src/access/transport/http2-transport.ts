import { proxyFor } from '../../platform/outbound/config-proxy.ts'
import { Deadlines, UnaryCall } from './unary-call.ts'
import { GrpcError, timeoutHeader } from './grpc-status.ts'
import { Http2Connection } from './http2-connection.ts'
import type { Http2ConnectionOptions } from './http2-connection.ts'
import { authorityOf } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import type { CallOptions, ServiceName, Transport } from './transport.ts'

const closeGraceMs = 5_000

/** Usually a dozen, unless each call has its own timeout. */
const maxHeads = 256

/**
 * Unary gRPC calls through `node:http2`. Reconnects after a loss. Connection errors are
 * UNAVAILABLE.
 */
export class Http2Transport implements Transport {
  readonly endpoint: string
  readonly #endpoint: Endpoint
  readonly #options: Http2ConnectionOptions
  readonly #deadlines = new Deadlines()
  readonly #heads = new Map<string, readonly string[]>()
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

  #headOf(method: string, { service = 'flow.access.AccessAPI', timeoutMs }: CallOptions): readonly string[] {
    const key = `${service}/${method} ${timeoutMs}`
    const known = this.#heads.get(key)
    if (known !== undefined) return known
    if (this.#heads.size === maxHeads) this.#heads.clear()
    const head = this.#encodeHead(service, method, timeoutMs)
    this.#heads.set(key, head)
    return head
  }

  #encodeHead(service: ServiceName, method: string, timeoutMs: number): readonly string[] {
    return [
      ':method',
      'POST',
      ':scheme',
      this.#endpoint.tls ? 'https' : 'http',
      ':path',
      `/${service}/${method}`,
      ':authority',
      authorityOf(this.#endpoint),
      'content-type',
      'application/grpc',
      'te',
      'trailers',
      'grpc-timeout',
      timeoutHeader(timeoutMs),
    ]
  }
}
