import { Client, credentials, Metadata } from '@grpc/grpc-js'
import type { ChannelCredentials, ChannelOptions, ClientReadableStream } from '@grpc/grpc-js'
import { proxyFor } from '../../platform/outbound/config-proxy.ts'
import { authorityOf } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import { GrpcError, codeOfStatus, maxMessageLength } from './grpc-status.ts'
import type { CallOptions, Transport } from './transport.ts'

export interface GrpcJsTransportOptions {
  /** PEM, instead of the system's certificates; for grpcs:// only. */
  readonly ca?: string | Buffer
  /**
   * Whether to detect half-open connections. Servers built on grpc-go close a connection that is
   * pinged while a stream is silent for 45 s.
   */
  readonly isKeptAlive?: boolean
}

const keepalive = { 'grpc.keepalive_time_ms': 15_000, 'grpc.keepalive_timeout_ms': 10_000 }

const channelOptions = {
  'grpc.max_receive_message_length': maxMessageLength,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 5_000,
  // Each transport's channel is closed separately.
  'grpc.use_local_subchannel_pool': 1,
}

export class GrpcJsTransport implements Transport {
  readonly endpoint: string
  readonly #client: Client
  readonly #streams = new Set<ClientReadableStream<Buffer>>()

  constructor(endpoint: Endpoint, options: GrpcJsTransportOptions = {}) {
    this.endpoint = endpoint.text
    const { target, proxyOptions } = targetOf(endpoint)
    this.#client = new Client(target, credentialsOf(endpoint, options.ca), {
      ...channelOptions,
      ...(options.isKeptAlive === false ? {} : keepalive),
      ...proxyOptions,
    })
  }

  unary(method: string, request: Uint8Array, options: CallOptions): Promise<Buffer> {
    const { signal } = options
    if (signal?.aborted === true) return Promise.reject(this.#aborted(method, signal))
    return new Promise((resolve, reject) => {
      const call = this.#start(method, () =>
        this.#client.makeUnaryRequest<Buffer, Buffer>(
          pathOf(method, options),
          same,
          same,
          asBuffer(request),
          new Metadata(),
          { deadline: Date.now() + options.timeoutMs },
          (error, message) => {
            signal?.removeEventListener('abort', abort)
            if (error !== null) reject(this.#errorOf(method, error, signal))
            else if (message !== undefined) resolve(message)
            else reject(new GrpcError('INTERNAL', 'status OK without a response', this.#call(method)))
          },
        ),
      )
      const abort = (): void => call.cancel()
      signal?.addEventListener('abort', abort)
    })
  }

  async *serverStream(
    method: string,
    request: Uint8Array,
    options: Omit<CallOptions, 'timeoutMs'>,
  ): AsyncGenerator<Buffer, void, undefined> {
    const { signal } = options
    if (signal?.aborted === true) throw this.#aborted(method, signal)
    const stream: ClientReadableStream<Buffer> = this.#start(method, () =>
      this.#client.makeServerStreamRequest<Buffer, Buffer>(pathOf(method, options), same, same, asBuffer(request)),
    )
    this.#streams.add(stream)
    let failure: unknown
    // Stays attached: a cancelled call reports an error after its reader has finished.
    stream.on('error', (error: unknown) => {
      failure = error
    })
    const abort = (): void => stream.cancel()
    signal?.addEventListener('abort', abort)
    try {
      for await (const message of stream) yield message as Buffer
    } catch (error) {
      throw this.#errorOf(method, failure ?? error, signal)
    } finally {
      this.#streams.delete(stream)
      signal?.removeEventListener('abort', abort)
      stream.cancel()
    }
  }

  /** Running unary calls finish or reach their deadline; streams end now. */
  close(): Promise<void> {
    for (const stream of this.#streams) stream.cancel()
    this.#client.close()
    return Promise.resolve()
  }

  /** A closed client throws synchronously. */
  #start<T>(method: string, start: () => T): T {
    try {
      return start()
    } catch (error) {
      throw new GrpcError('UNAVAILABLE', 'the transport is closed', { ...this.#call(method), cause: error })
    }
  }

  #call(method: string): { readonly method: string; readonly endpoint: string } {
    return { method, endpoint: this.endpoint }
  }

  #aborted(method: string, signal: AbortSignal): GrpcError {
    return new GrpcError('CANCELLED', 'aborted', { ...this.#call(method), cause: signal.reason })
  }

  #errorOf(method: string, error: unknown, signal: AbortSignal | undefined): GrpcError {
    if (signal?.aborted === true) return this.#aborted(method, signal)
    const { code, details } = error as { readonly code?: unknown; readonly details?: unknown }
    const reason = typeof details === 'string' ? details : String(error)
    const grpcCode = typeof code === 'number' ? codeOfStatus(code) : 'UNKNOWN'
    return new GrpcError(grpcCode, reason, { ...this.#call(method), cause: error })
  }
}

function credentialsOf(endpoint: Endpoint, ca: string | Buffer | undefined): ChannelCredentials {
  if (!endpoint.tls) return credentials.createInsecure()
  return credentials.createSsl(ca === undefined ? null : Buffer.from(ca))
}

/** Uses `proxyFor`, instead of grpc-js's handling of proxy variables. */
function targetOf(endpoint: Endpoint): { readonly target: string; readonly proxyOptions: ChannelOptions } {
  const proxy = proxyFor(endpoint)
  const authority = authorityOf(endpoint)
  if (proxy === undefined) return { target: authority, proxyOptions: { 'grpc.enable_http_proxy': 0 } }
  const proxyOptions: ChannelOptions = {
    'grpc.enable_http_proxy': 0,
    'grpc.default_authority': authority,
    'grpc.http_connect_target': `dns:${authority}`,
  }
  if (proxy.credentials !== undefined) proxyOptions['grpc.http_connect_creds'] = proxy.credentials
  return { target: `dns:${authorityOf(proxy)}`, proxyOptions }
}

function pathOf(method: string, options: Pick<CallOptions, 'service'>): string {
  return `/${options.service ?? 'flow.access.AccessAPI'}/${method}`
}

function same(bytes: Buffer): Buffer {
  return bytes
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
