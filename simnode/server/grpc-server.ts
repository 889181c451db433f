import type { OutgoingHttpHeaders, ServerHttp2Stream, Http2Server } from 'node:http2'
import { createServer } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { status } from '@grpc/grpc-js'
import { listenOn } from '../node/listen-on.ts'
import type { CallFailure } from '../node/node-view.ts'

const responseHeaders: OutgoingHttpHeaders = { ':status': 200, 'content-type': 'application/grpc+proto' }
const okTrailers: OutgoingHttpHeaders = { 'grpc-status': '0' }
const frameHeadLength = 5

/** After the end, further writes are ignored. Source: "gRPC over HTTP2". */
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

  get isOver(): boolean {
    return this.#stream.destroyed || this.#stream.closed || this.#stream.writableEnded
  }

  get hasRoom(): boolean {
    return !this.#stream.writableNeedDrain
  }

  write(message: Buffer): boolean {
    if (this.isOver) return false
    this.#begin()
    return this.#stream.write(framed(message))
  }

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

  /** When the buffer drains, and at the end of the call. @returns unsubscribes */
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

function framed(message: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(frameHeadLength + message.length)
  frame[0] = 0
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, frameHeadLength)
  return frame
}

export function unframed(body: Buffer): Buffer | CallFailure {
  if (body.length < frameHeadLength) return { code: status.INTERNAL, details: 'The request has no message' }
  if (body[0] !== 0) return { code: status.UNIMPLEMENTED, details: 'Compressed messages are not supported' }
  const message = body.subarray(frameHeadLength)
  if (body.readUInt32BE(1) !== message.length)
    return { code: status.INTERNAL, details: 'The request message is incomplete' }
  return message
}

export type CallHandler = (call: GrpcCall) => void

export type RawService = Readonly<Record<string, CallHandler>>

/** MB per connection, larger than any client should accept. */
const maxSessionMemory = 4096

/**
 * Plaintext. Owns its sockets, so that it can cut a connection and stop at once. `node:http2` takes
 * 50 µs a call, `@grpc/grpc-js` 85. Deadlines are the client's; nothing is compressed.
 */
export class RawGrpcServer {
  readonly host: string
  readonly port: number
  readonly #http: Http2Server
  /** By the peer's `address:port`. */
  readonly #sockets: Map<string, Socket>

  private constructor(http: Http2Server, sockets: Map<string, Socket>) {
    const address = http.address() as AddressInfo
    this.host = address.address
    this.port = address.port
    this.#http = http
    this.#sockets = sockets
  }

  /**
   * @param services by full name
   * @param port 0 for any free one
   * @throws FatalError when the address cannot be bound
   */
  static async listen(
    host: string,
    port: number,
    services: Readonly<Record<string, RawService>>,
  ): Promise<RawGrpcServer> {
    const handlers = new Map<string, CallHandler>()
    for (const [name, service] of Object.entries(services)) {
      for (const [method, handler] of Object.entries(service)) handlers.set(`/${name}/${method}`, handler)
    }
    const http = createServer({ maxSessionMemory })
    const sockets = new Map<string, Socket>()
    http.on('connection', (socket: Socket) => {
      socket.setNoDelay(true)
      const peer = peerOf(socket)
      sockets.set(peer, socket)
      socket.once('close', () => sockets.delete(peer))
    })
    http.on('session', (session) => {
      const peer = peerOf(session.socket)
      // A broken connection ends its streams.
      session.on('error', () => session.destroy())
      session.on('stream', (stream, headers) =>
        takeCall(stream, peer, handlers.get(headers[':path'] ?? ''), headers[':path']),
      )
    })
    await listenOn(http, host, port)
    return new RawGrpcServer(http, sockets)
  }

  dropConnection(peer: string): void {
    this.#sockets.get(peer)?.destroy()
  }

  dropConnections(): void {
    for (const socket of this.#sockets.values()) socket.destroy()
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => {
      this.#http.close(() => resolve())
    })
    this.dropConnections()
    await closed
  }
}

function peerOf({ remoteAddress, remotePort }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress}:${remotePort}`
}

function takeCall(stream: ServerHttp2Stream, peer: string, handler: CallHandler | undefined, path = ''): void {
  const chunks: Buffer[] = []
  stream.on('error', () => stream.destroy())
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  stream.on('end', () => {
    const [first, ...more] = chunks
    const body = first === undefined || more.length > 0 ? Buffer.concat(chunks) : first
    const request = unframed(body)
    const call = new GrpcCall(stream, peer, Buffer.isBuffer(request) ? request : Buffer.alloc(0))
    if (handler === undefined) {
      call.fail({ code: status.UNIMPLEMENTED, details: `The server does not implement the method ${path}` })
    } else if (Buffer.isBuffer(request)) handler(call)
    else call.fail(request)
  })
}
