import type { Deadline, Deadlines } from './deadlines.ts'
import { GrpcError } from './errors.ts'
import type { GrpcCode } from './errors.ts'
import { codeOfHttpStatus, codeOfStatus, decodeStatusMessage, frameOf } from './grpc-status.ts'
import type { ClientStream, StreamCall } from './h2/client-stream.ts'
import { valueOf } from './h2/header-field.ts'
import type { HeaderField } from './h2/header-field.ts'
import type { Http2Connection } from './h2/http2-connection.ts'
import { errorCode } from './h2/protocol.ts'
import type { CallOptions } from './transport.ts'
import { UnaryBody } from './unary-body.ts'

export interface UnaryCallSetup {
  readonly call: { readonly method: string; readonly endpoint: string }
  /** The header block of the request. */
  readonly head: Buffer
  readonly request: Uint8Array
  readonly options: CallOptions
  readonly connection: Http2Connection
  readonly deadlines: Deadlines
  readonly resolve: (message: Buffer) => void
  readonly reject: (error: GrpcError) => void
}

/** One gRPC call from its request to its settling. */
export class UnaryCall implements StreamCall, Deadline {
  readonly head: Buffer
  readonly body: Buffer
  readonly dueAt: number
  readonly #setup: UnaryCallSetup
  readonly #answer: UnaryBody
  #stream: ClientStream | undefined
  #heard = false
  #settled = false

  constructor(setup: UnaryCallSetup) {
    const { options } = setup
    this.head = setup.head
    this.body = frameOf(setup.request)
    this.dueAt = performance.now() + options.timeoutMs
    this.#setup = setup
    this.#answer = new UnaryBody(options.onAnswerLength)
    setup.deadlines.add(this)
    options.signal?.addEventListener('abort', this)
  }

  opened(stream: ClientStream): void {
    this.#stream = stream
  }

  headers(fields: readonly HeaderField[]): void {
    this.#hear()
    if (valueOf(fields, 'grpc-status') !== undefined) return this.#finish(fields)
    const status = Number(valueOf(fields, ':status'))
    if (status !== 200) return this.#fail(codeOfHttpStatus(status), `HTTP status ${status}`)
    const type = valueOf(fields, 'content-type') ?? ''
    if (!type.startsWith('application/grpc')) this.#fail('UNKNOWN', `content-type ${JSON.stringify(type)} is not gRPC`)
  }

  data(bytes: Buffer, from: number, to: number): void {
    if (this.#settled) return
    this.#hear()
    this.#answer.add(bytes, from, to)
    const fault = this.#answer.fault
    if (fault !== undefined) this.#fail(fault.code, fault.reason)
  }

  ended(trailers: readonly HeaderField[] | undefined): void {
    if (trailers !== undefined) this.#finish(trailers)
    else this.#fail('INTERNAL', `stream closed without a status after ${this.#answer.progress()}`)
  }

  reset(code: number): void {
    const after = `after ${this.#answer.progress()}`
    if (code === errorCode.noError) this.#fail('INTERNAL', `stream closed without a status ${after}`)
    else this.#fail(codeOfReset(code), `stream reset with HTTP/2 error ${code} ${after}`)
  }

  lost(): void {
    const { connection } = this.#setup
    const when = this.#stream === undefined ? 'before the call was sent' : `after ${this.#answer.progress()}`
    const why = connection.failure === undefined ? '' : `: ${connection.failure.message}`
    this.#fail('UNAVAILABLE', `${connection.lost ? 'connection lost' : 'the node said goodbye'} ${when}${why}`)
  }

  expire(): void {
    const { connection, options } = this.#setup
    if (!this.#heard) connection.doubt()
    this.#fail('DEADLINE_EXCEEDED', `no complete answer within ${options.timeoutMs} ms, ${this.#answer.progress()}`)
  }

  /** The signal is aborted. */
  handleEvent(): void {
    this.#fail('CANCELLED', 'aborted', this.#setup.options.signal?.reason)
  }

  #finish(trailers: readonly HeaderField[]): void {
    this.#hear()
    const status = valueOf(trailers, 'grpc-status')
    if (status === undefined) return this.#fail('UNKNOWN', 'the answer ends without a status')
    const code = codeOfStatus(status)
    if (code !== 'OK') return this.#fail(code, decodeStatusMessage(valueOf(trailers, 'grpc-message') ?? ''))
    const message = this.#answer.message()
    if (message === undefined) return this.#fail('INTERNAL', `status OK after ${this.#answer.progress()}`)
    if (this.#settle()) this.#setup.resolve(message)
  }

  #hear(): void {
    this.#heard = true
    this.#setup.connection.heard()
  }

  #fail(code: GrpcCode, reason: string, cause: unknown = this.#setup.connection.failure): void {
    if (!this.#settle()) return
    const { call, reject } = this.#setup
    reject(new GrpcError(code, reason, cause === undefined ? call : { ...call, cause }))
  }

  /** True for the first that settles the call. */
  #settle(): boolean {
    if (this.#settled) return false
    this.#settled = true
    this.#setup.deadlines.delete(this)
    this.#setup.options.signal?.removeEventListener('abort', this)
    this.#setup.connection.drop(this, this.#stream)
    return true
  }
}

/** Source: "Errors" in the gRPC over HTTP/2 specification; on CANCEL see codeOfStatus. */
function codeOfReset(code: number): GrpcCode {
  switch (code) {
    case errorCode.refusedStream:
    case errorCode.cancel:
      return 'UNAVAILABLE'
    case errorCode.enhanceYourCalm:
      return 'RESOURCE_EXHAUSTED'
    case errorCode.inadequateSecurity:
      return 'PERMISSION_DENIED'
    default:
      return 'INTERNAL'
  }
}
