import { GrpcError } from './grpc-status.ts'
import { GrpcJsTransport } from './grpc-js-transport.ts'
import { GrpcWebTransport } from './grpc-web-transport.ts'
import { Http2Transport } from './http2-transport.ts'
import { parseEndpoint } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import type { Transport, CallOptions } from './transport.ts'

/** Connects on the first call. @throws FatalError for an invalid endpoint */
export function connect(endpoint: string): Transport {
  const parsed = parseEndpoint(endpoint)
  return parsed.protocol === 'grpc' ? new NativeTransport(parsed) : new GrpcWebTransport(parsed)
}

/**
 * Unary calls go through `Http2Transport`, each stream through its own `GrpcJsTransport`. The
 * stream's reader ends a silent stream, since servers would end the streams of an idle chain after
 * keepalive pings.
 */
export class NativeTransport implements Transport {
  readonly endpoint: string
  readonly #endpoint: Endpoint
  readonly #calls: Http2Transport
  readonly #options: { readonly ca?: string | Buffer }
  readonly #streams = new Set<GrpcJsTransport>()
  #closed = false

  constructor(endpoint: Endpoint, options: { readonly ca?: string | Buffer } = {}) {
    this.endpoint = endpoint.text
    this.#endpoint = endpoint
    this.#options = options
    this.#calls = new Http2Transport(endpoint, options)
  }

  unary(method: string, request: Uint8Array, options: CallOptions): Promise<Buffer> {
    return this.#calls.unary(method, request, options)
  }

  async *serverStream(
    method: string,
    request: Uint8Array,
    options: Omit<CallOptions, 'timeoutMs'>,
  ): AsyncGenerator<Buffer, void, undefined> {
    if (this.#closed) {
      throw new GrpcError('UNAVAILABLE', 'the transport is closed', { method, endpoint: this.endpoint })
    }
    const stream = new GrpcJsTransport(this.#endpoint, { ...this.#options, isKeptAlive: false })
    this.#streams.add(stream)
    try {
      yield* stream.serverStream(method, request, options)
    } finally {
      this.#streams.delete(stream)
      await stream.close()
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.#calls, ...this.#streams].map((transport) => transport.close()))
  }
}
