import { constants } from 'node:http2'
import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import type { Endpoint } from './parse-endpoint.ts'
import { GrpcError } from './errors.ts'
import type { GrpcCode } from './errors.ts'
import { codeOfHttpStatus, codeOfStatus, decodeStatusMessage, frameOf, timeoutHeader } from './grpc-status.ts'
import { Http2Connection } from './http2-connection.ts'
import type { ConnectionCall, Http2ConnectionOptions } from './http2-connection.ts'
import type { CallOptions, Transport } from './transport.ts'
import { UnaryBody } from './unary-body.ts'

/** Milliseconds that calls in flight have to end when the transport is closed. */
const closeGraceMs = 5_000

/**
 * Unary gRPC calls over one HTTP/2 connection, framed by hand: a third of the work of a full gRPC client, which is what
 * ingest spends most of its time on. The connection is made by the first call, and made anew by the next one when it
 * is lost; calls beyond the server's limit of concurrent streams wait for a free one within their deadline.
 *
 * Faults of the connection are UNAVAILABLE.
 */
export class Http2Transport implements Transport {
  readonly endpoint: string
  readonly #endpoint: Endpoint
  readonly #options: Http2ConnectionOptions
  #connection: Http2Connection | undefined
  readonly #draining = new Set<Http2Connection>()
  #closed = false

  constructor(endpoint: Endpoint, options: Http2ConnectionOptions = {}) {
    this.endpoint = endpoint.text
    this.#endpoint = endpoint
    this.#options = options
  }

  unary(method: string, request: Uint8Array, options: CallOptions): Promise<Buffer> {
    const call = { method, endpoint: this.endpoint }
    if (this.#closed) return Promise.reject(new GrpcError('UNAVAILABLE', 'the transport is closed', call))
    if (options.signal?.aborted === true) {
      return Promise.reject(new GrpcError('CANCELLED', 'aborted', { ...call, cause: options.signal.reason }))
    }
    return new Promise((resolve, reject) => {
      const connection = this.#usableConnection()
      connection.add(new UnaryCall(call, connection, request, options, resolve, reject))
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
}

/** One call from its request to its settling; the stream may close a little later. */
class UnaryCall implements ConnectionCall {
  readonly #call: { readonly method: string; readonly endpoint: string }
  readonly #connection: Http2Connection
  readonly #request: Uint8Array
  readonly #options: CallOptions
  readonly #resolve: (message: Buffer) => void
  readonly #reject: (error: GrpcError) => void
  readonly #deadline: NodeJS.Timeout
  readonly #body: UnaryBody
  #stream: ClientHttp2Stream | undefined
  #error: Error | undefined
  #heard = false
  #settled = false

  constructor(
    call: { readonly method: string; readonly endpoint: string },
    connection: Http2Connection,
    request: Uint8Array,
    options: CallOptions,
    resolve: (message: Buffer) => void,
    reject: (error: GrpcError) => void,
  ) {
    this.#call = call
    this.#connection = connection
    this.#request = request
    this.#options = options
    this.#body = new UnaryBody(options.onAnswerLength)
    this.#resolve = resolve
    this.#reject = reject
    this.#deadline = setTimeout(() => this.#expire(), options.timeoutMs)
    options.signal?.addEventListener('abort', this.#abort)
  }

  start(): void {
    if (this.#settled) return this.#connection.ended()
    const stream = this.#connection.request({
      ':method': 'POST',
      ':path': `/${this.#options.service ?? 'flow.access.AccessAPI'}/${this.#call.method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
      'grpc-timeout': timeoutHeader(this.#options.timeoutMs),
    })
    this.#stream = stream
    stream.on('response', (headers) => this.#respond(headers))
    stream.on('data', (chunk: Buffer) => this.#receive(chunk))
    stream.on('trailers', (trailers: IncomingHttpHeaders) => this.#finish(trailers))
    stream.on('error', (error: Error) => {
      this.#error = error
    })
    stream.on('close', () => this.#close(stream.rstCode))
    stream.end(frameOf(this.#request))
  }

  lost(): void {
    this.#failLost('before the call was sent')
  }

  #respond(headers: IncomingHttpHeaders): void {
    this.#hear()
    if (headers['grpc-status'] !== undefined) return this.#finish(headers)
    const status = Number(headers[':status'])
    if (status !== 200) return this.#fail(codeOfHttpStatus(status), `HTTP status ${status}`)
    const type = headers['content-type'] ?? ''
    if (!type.startsWith('application/grpc')) this.#fail('UNKNOWN', `content-type ${JSON.stringify(type)} is not gRPC`)
  }

  #receive(chunk: Buffer): void {
    if (this.#settled) return
    this.#hear()
    this.#body.add(chunk)
    const fault = this.#body.fault
    if (fault !== undefined) this.#fail(fault.code, fault.reason)
  }

  #finish(trailers: IncomingHttpHeaders): void {
    this.#hear()
    const status = trailers['grpc-status']
    if (status === undefined) return this.#fail('UNKNOWN', 'the answer ends without a status')
    const code = codeOfStatus(String(status))
    if (code !== 'OK') {
      return this.#fail(code, decodeStatusMessage(String(trailers['grpc-message'] ?? '')))
    }
    const message = this.#body.message()
    if (message === undefined) return this.#fail('INTERNAL', `status OK after ${this.#body.progress()}`)
    if (this.#settle()) this.#resolve(message)
  }

  /** The stream is gone; if that is news, it is a fault. */
  #close(reset: number | undefined): void {
    this.#connection.ended()
    if (this.#settled) return
    const after = `after ${this.#body.progress()}`
    if (this.#connection.lost) this.#failLost(after)
    else if (reset === constants.NGHTTP2_NO_ERROR) this.#fail('INTERNAL', `stream closed without a status ${after}`)
    else this.#fail(codeOfReset(reset), `stream reset with HTTP/2 error ${reset} ${after}`)
  }

  #failLost(after: string): void {
    const reason = this.#connection.failure ?? this.#error
    this.#fail('UNAVAILABLE', `connection lost ${after}${reason === undefined ? '' : `: ${reason.message}`}`)
  }

  #expire(): void {
    if (!this.#heard) this.#connection.doubt()
    const { timeoutMs } = this.#options
    this.#fail('DEADLINE_EXCEEDED', `no complete answer within ${timeoutMs} ms, ${this.#body.progress()}`)
  }

  readonly #abort = (): void => this.#fail('CANCELLED', 'aborted', this.#options.signal?.reason)

  #hear(): void {
    this.#heard = true
    this.#connection.heard()
  }

  #fail(code: GrpcCode, reason: string, cause: unknown = this.#connection.failure ?? this.#error): void {
    if (!this.#settle()) return
    if (this.#stream?.closed === false) this.#stream.close(constants.NGHTTP2_CANCEL)
    this.#reject(new GrpcError(code, reason, cause === undefined ? this.#call : { ...this.#call, cause }))
  }

  /** True for the first that settles the call. */
  #settle(): boolean {
    if (this.#settled) return false
    this.#settled = true
    clearTimeout(this.#deadline)
    this.#options.signal?.removeEventListener('abort', this.#abort)
    return true
  }
}

/** Source: "Errors" in the gRPC over HTTP/2 specification; on CANCEL see codeOfStatus. */
function codeOfReset(reset: number | undefined): GrpcCode {
  switch (reset) {
    case constants.NGHTTP2_REFUSED_STREAM:
    case constants.NGHTTP2_CANCEL:
      return 'UNAVAILABLE'
    case constants.NGHTTP2_ENHANCE_YOUR_CALM:
      return 'RESOURCE_EXHAUSTED'
    case constants.NGHTTP2_INADEQUATE_SECURITY:
      return 'PERMISSION_DENIED'
    default:
      return 'INTERNAL'
  }
}
