import { createServer } from 'node:http2'
import type { Http2Server, ServerHttp2Stream } from 'node:http2'
import type { AddressInfo, Socket } from 'node:net'
import { status } from '@grpc/grpc-js'
import { GrpcCall, unframed } from './grpc-call.ts'
import { listenOn } from './listen-on.ts'

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
