import { constants } from 'node:http2'
import type { ClientHttp2Stream, IncomingHttpHeaders } from 'node:http2'
import { GrpcError, codeOfHttpStatus, codeOfStatus, decodeStatusMessage, frameOf } from './grpc-status.ts'
import type { GrpcCode } from './grpc-status.ts'
import type { Http2Connection, StreamCall } from './http2-connection.ts'
import type { CallOptions } from './transport.ts'
import { UnaryBody } from './unary-body.ts'

export interface Deadline {
  /** On the clock of `performance.now()`. */
  readonly dueAt: number
  expire(): void
}

const maxTimerMs = 2 ** 31 - 1

/**
 * One timer for many deadlines, most of which are never reached. Does not keep the process alive.
 */
export class Deadlines {
  readonly #pending = new Set<Deadline>()
  #timer: NodeJS.Timeout | undefined
  #timerAt = Number.POSITIVE_INFINITY

  add(deadline: Deadline): void {
    this.#pending.add(deadline)
    if (deadline.dueAt < this.#timerAt) this.#wait(deadline.dueAt)
  }

  delete(deadline: Deadline): void {
    this.#pending.delete(deadline)
  }

  #wait(until: number): void {
    clearTimeout(this.#timer)
    this.#timerAt = until
    const ms = Math.max(1, Math.ceil(until - performance.now()))
    this.#timer = setTimeout(this.#checkDue, Math.min(ms, maxTimerMs)).unref()
  }

  readonly #checkDue = (): void => {
    this.#timerAt = Number.POSITIVE_INFINITY
    const now = performance.now()
    let next = Number.POSITIVE_INFINITY
    for (const deadline of this.#pending) {
      if (deadline.dueAt <= now) {
        this.#pending.delete(deadline)
        deadline.expire()
      } else next = Math.min(next, deadline.dueAt)
    }
    if (next < this.#timerAt) this.#wait(next)
  }
}

export interface UnaryCallSetup {
  readonly call: { readonly method: string; readonly endpoint: string }
  readonly head: readonly string[]
  readonly request: Uint8Array
  readonly options: CallOptions
  readonly connection: Http2Connection
  readonly deadlines: Deadlines
  readonly resolve: (message: Buffer) => void
  readonly reject: (error: GrpcError) => void
}

/** The stream may close shortly after the call settles. */
export class UnaryCall implements StreamCall, Deadline {
  readonly head: readonly string[]
  readonly dueAt: number
  readonly #setup: UnaryCallSetup
  readonly #body: UnaryBody
  #stream: ClientHttp2Stream | undefined
  #error: Error | undefined
  #isEnded = false
  #hasResponse = false
  #isSettled = false

  constructor(setup: UnaryCallSetup) {
    const { options } = setup
    this.head = setup.head
    this.dueAt = performance.now() + options.timeoutMs
    this.#setup = setup
    this.#body = new UnaryBody(options.onAnswerLength)
    setup.deadlines.add(this)
    options.signal?.addEventListener('abort', this)
  }

  start(stream: ClientHttp2Stream): void {
    this.#stream = stream
    stream.on('response', (headers: IncomingHttpHeaders, flags: number) => {
      this.#isEnded = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0
      this.#respond(headers)
    })
    stream.on('data', (chunk: Buffer) => this.#receive(chunk))
    stream.on('trailers', (trailers: IncomingHttpHeaders) => {
      this.#isEnded = true
      this.#finish(trailers)
    })
    stream.on('error', (error: Error) => {
      this.#error = error
    })
    stream.on('close', () => this.#streamClosed(stream.rstCode))
    stream.end(frameOf(this.#setup.request))
  }

  lost(): void {
    this.#failLost('before the call was sent')
  }

  expire(): void {
    const { connection, options } = this.#setup
    if (!this.#hasResponse) connection.probe()
    this.#fail('DEADLINE_EXCEEDED', `no complete response within ${options.timeoutMs} ms, ${this.#body.progress()}`)
  }

  handleEvent(): void {
    this.#fail('CANCELLED', 'aborted', this.#setup.options.signal?.reason)
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
    if (this.#isSettled) return
    this.#hear()
    this.#body.add(chunk)
    const fault = this.#body.fault
    if (fault !== undefined) this.#fail(fault.code, fault.reason)
  }

  #finish(trailers: IncomingHttpHeaders): void {
    this.#hear()
    const status = trailers['grpc-status']
    if (status === undefined) return this.#fail('UNKNOWN', 'the response ends without a status')
    const code = codeOfStatus(String(status))
    if (code !== 'OK') return this.#fail(code, decodeStatusMessage(String(trailers['grpc-message'] ?? '')))
    const message = this.#body.message()
    if (message === undefined) return this.#fail('INTERNAL', `status OK after ${this.#body.progress()}`)
    if (this.#settle()) this.#setup.resolve(message)
  }

  #streamClosed(reset: number | undefined): void {
    if (this.#isSettled) return
    const after = `after ${this.#body.progress()}`
    if (this.#setup.connection.lost) this.#failLost(after)
    else if (reset === constants.NGHTTP2_NO_ERROR) this.#fail('INTERNAL', `stream closed without a status ${after}`)
    else this.#fail(codeOfReset(reset), `stream reset with HTTP/2 error ${reset} ${after}`)
  }

  #failLost(when: string): void {
    const { connection } = this.#setup
    const why = connection.failure ?? this.#error
    const what = connection.lost ? 'connection lost' : 'the node sent GOAWAY'
    this.#fail('UNAVAILABLE', `${what} ${when}${why === undefined ? '' : `: ${why.message}`}`)
  }

  #hear(): void {
    this.#hasResponse = true
    this.#setup.connection.received()
  }

  #fail(code: GrpcCode, reason: string, cause: unknown = this.#setup.connection.failure ?? this.#error): void {
    if (!this.#settle()) return
    const { call, reject } = this.#setup
    reject(new GrpcError(code, reason, cause === undefined ? call : { ...call, cause }))
  }

  /** True for the first outcome. Cancels the rest of the stream. */
  #settle(): boolean {
    if (this.#isSettled) return false
    this.#isSettled = true
    const { deadlines, options, connection } = this.#setup
    deadlines.delete(this)
    options.signal?.removeEventListener('abort', this)
    const stream = this.#stream
    if (stream === undefined) connection.drop(this)
    else if (!stream.closed && !(this.#isEnded && stream.writableFinished)) stream.close(constants.NGHTTP2_CANCEL)
    return true
  }
}

/** Source: "Errors" in the gRPC over HTTP/2 specification; for CANCEL see codeOfStatus. */
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
