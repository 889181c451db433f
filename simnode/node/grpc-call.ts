import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2'
import { status } from '@grpc/grpc-js'

/** How a call ends that has no answer. */
export interface CallFailure {
  /** Of gRPC. */
  readonly code: number
  readonly details: string
}

const responseHeaders: OutgoingHttpHeaders = { ':status': 200, 'content-type': 'application/grpc+proto' }
const okTrailers: OutgoingHttpHeaders = { 'grpc-status': '0' }
const frameHeadLength = 5

/**
 * One call of a client, on a stream of HTTP/2. States: open; ended, after the answer, a failure or the client's cancel, when
 * whatever is still said is said to nobody. Source: "gRPC over HTTP2", the protocol's description.
 */
export class GrpcCall {
  /** The client's `address:port`. */
  readonly peer: string
  readonly request: Buffer
  readonly #stream: ServerHttp2Stream
  #trailers = okTrailers

  constructor(stream: ServerHttp2Stream, peer: string, request: Buffer) {
    this.#stream = stream
    this.peer = peer
    this.request = request
  }

  /** Whether the client has gone, or the call has ended. */
  get isOver(): boolean {
    return this.#stream.destroyed || this.#stream.closed || this.#stream.writableEnded
  }

  /** Whether what was written has been sent, but for a little. */
  get hasRoom(): boolean {
    return !this.#stream.writableNeedDrain
  }

  /** Sends one message. @returns `hasRoom` afterwards */
  write(message: Buffer): boolean {
    if (this.isOver) return false
    this.#begin()
    return this.#stream.write(framed(message))
  }

  /** Sends the last message, and ends the call well. */
  answer(message: Buffer): void {
    if (this.isOver) return
    this.#begin()
    this.#stream.end(framed(message))
  }

  fail({ code, details }: CallFailure): void {
    if (this.isOver) return
    const trailers = { 'grpc-status': String(code), 'grpc-message': encodeURI(details) }
    if (this.#stream.headersSent) {
      this.#trailers = trailers
      this.#stream.end()
    } else this.#stream.respond({ ...responseHeaders, ...trailers }, { endStream: true })
  }

  /** Calls the listener when there is room again, and when the call is over. @returns how to stop that */
  onChange(listener: () => void): () => void {
    this.#stream.on('drain', listener).on('close', listener)
    return () => this.#stream.off('drain', listener).off('close', listener)
  }

  #begin(): void {
    if (this.#stream.headersSent) return
    this.#stream.respond(responseHeaders, { waitForTrailers: true })
    this.#stream.once('wantTrailers', () => this.#stream.sendTrailers(this.#trailers))
  }
}

/** A message as it is sent: not compressed, with its length in front. */
function framed(message: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(frameHeadLength + message.length)
  frame[0] = 0
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, frameHeadLength)
  return frame
}

/** The one message of a request, or why it is none. */
export function unframed(body: Buffer): Buffer | CallFailure {
  if (body.length < frameHeadLength) return { code: status.INTERNAL, details: 'The request holds no message' }
  if (body[0] !== 0) return { code: status.UNIMPLEMENTED, details: 'Compressed messages are not understood' }
  const message = body.subarray(frameHeadLength)
  if (body.readUInt32BE(1) !== message.length)
    return { code: status.INTERNAL, details: 'The request is no whole message' }
  return message
}
