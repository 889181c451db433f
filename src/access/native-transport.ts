import type { Endpoint } from './parse-endpoint.ts'
import { GrpcError } from './errors.ts'
import { GrpcJsTransport } from './grpc-js-transport.ts'
import { Http2Transport } from './http2-transport.ts'
import type { CallOptions, Transport } from './transport.ts'

/** Native gRPC: unary calls through the lean client, streams through the full one, which is made when first needed. */
export class NativeTransport implements Transport {
  readonly endpoint: string
  readonly #endpoint: Endpoint
  readonly #calls: Http2Transport
  readonly #options: { readonly ca?: string | Buffer }
  #streams: GrpcJsTransport | undefined
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
    this.#streams ??= new GrpcJsTransport(this.#endpoint, this.#options)
    yield* this.#streams.serverStream(method, request, options)
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.#calls.close(), this.#streams?.close()])
  }
}
