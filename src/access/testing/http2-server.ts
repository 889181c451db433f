import { createServer } from 'node:http2'
import type { Http2Server, ServerHttp2Session, ServerHttp2Stream, ServerOptions } from 'node:http2'
import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'

export type StreamAnswer = (stream: ServerHttp2Stream) => void

/** An HTTP/2 server that does with each call what a test says, however wrong it is. */
export class Http2TestServer {
  readonly port: number
  readonly sessions: ServerHttp2Session[] = []
  readonly sockets: Socket[] = []
  /** Emits `stream` with the headers of each call, too. */
  readonly events: Http2Server

  static async start(answer: StreamAnswer, options: ServerOptions = {}): Promise<Http2TestServer> {
    const server = createServer({ maxSessionMemory: 1000, ...options })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new Http2TestServer(server, answer)
  }

  constructor(server: Http2Server, answer: StreamAnswer) {
    this.events = server
    this.port = (server.address() as AddressInfo).port
    server.on('connection', (socket: Socket) => this.sockets.push(socket))
    server.on('session', (session) => {
      this.sessions.push(session)
      session.on('error', (error: Error) => this.faults.push(error))
    })
    server.on('stream', (stream) => {
      stream.on('error', (error) => this.faults.push(error))
      answer(stream)
    })
  }

  /** What went wrong on the server's side, as it does when calls are cancelled. */
  readonly faults: Error[] = []

  kill(): void {
    this.events.close()
    for (const session of this.sessions) session.destroy()
    for (const socket of this.sockets) socket.destroy()
  }
}

/** Answers with a body and trailers, byte for byte as given. */
export function respond(stream: ServerHttp2Stream, body: Buffer, trailers: Record<string, string>): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers(trailers))
  stream.end(body)
}
