import type { OutgoingHttpHeaders, ServerHttp2Stream, Http2Server } from 'node:http2'
import { createServer } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { status } from '@grpc/grpc-js'
import { listenOn } from '../node/listen-on.ts'
import type { CallFailure } from '../node/node-view.ts'

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

/** Answers a call, or has it fail, at once or later. */
export type CallHandler = (call: GrpcCall) => void

/** The calls of a service by method name; messages are bytes. */
export type RawService = Readonly<Record<string, CallHandler>>

/** Megabytes that a connection may hold: answers may be larger than any client should accept, so that clients can be tested. */
const maxSessionMemory = 4096

/**
 * A plaintext gRPC server that gives messages on as bytes and owns its sockets, so that one connection can be cut and
 * stopping is immediate. It is `node:http2` and little else, which takes 50 µs for a call where `@grpc/grpc-js` takes 85: a
 * simulated node spends most of its time on calls. A call's deadline is its client's affair, and nothing is compressed.
 * States: listening, from the moment it is made; closed, after `close`.
 */
export class RawGrpcServer {
  readonly host: string
  readonly port: number
  readonly #http: Http2Server
  /** By the peer's `address:port`, as calls name it. */
  readonly #sockets: Map<string, Socket>

  private constructor(http: Http2Server, sockets: Map<string, Socket>) {
    const address = http.address() as AddressInfo
    this.host = address.address
    this.port = address.port
    this.#http = http
    this.#sockets = sockets
  }

  /**
   * @param services by their full names
   * @param port 0 for any free one
   * @throws FatalError when the address cannot be taken
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
      // A connection that breaks takes its streams along; there is nobody left to tell.
      session.on('error', () => session.destroy())
      session.on('stream', (stream, headers) =>
        takeCall(stream, peer, handlers.get(headers[':path'] ?? ''), headers[':path']),
      )
    })
    await listenOn(http, host, port)
    return new RawGrpcServer(http, sockets)
  }

  /** Cuts the connection of a call's peer. */
  dropConnection(peer: string): void {
    this.#sockets.get(peer)?.destroy()
  }

  /** Cuts every connection; clients may connect again at once. */
  dropConnections(): void {
    for (const socket of this.#sockets.values()) socket.destroy()
  }

  /** Stops listening and cuts what is connected. */
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

/** Reads a call's request and hands it on. */
function takeCall(stream: ServerHttp2Stream, peer: string, handler: CallHandler | undefined, path = ''): void {
  const chunks: Buffer[] = []
  // That the client cancelled a call is no trouble of the server's.
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
