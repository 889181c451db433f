import { createServer as createHttp2Server } from 'node:http2'
import type { Http2Server, ServerHttp2Session, ServerHttp2Stream, ServerOptions } from 'node:http2'
import { once, EventEmitter } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Socket, Server } from 'node:net'

export type StreamAnswer = (stream: ServerHttp2Stream) => void

/** Scripted, possibly invalid, responses. */
export class Http2TestServer {
  readonly port: number
  readonly sessions: ServerHttp2Session[] = []
  readonly sockets: Socket[] = []
  /** Emits `stream` with the headers of each call. */
  readonly events: Http2Server

  static async start(answer: StreamAnswer, options: ServerOptions = {}): Promise<Http2TestServer> {
    const server = createHttp2Server({ maxSessionMemory: 1000, ...options })
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

  /** Expected when calls are cancelled. */
  readonly faults: Error[] = []

  kill(): void {
    this.events.close()
    for (const session of this.sessions) session.destroy()
    for (const socket of this.sockets) socket.destroy()
  }
}

export function respond(stream: ServerHttp2Stream, body: Buffer, trailers: Record<string, string>): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
  stream.on('wantTrailers', () => stream.sendTrailers(trailers))
  stream.end(body)
}

/** Called with the number of each opened stream. */
export type RawAnswer = (peer: RawPeer, stream: number) => void

/** RFC 9113, sections 6 and 7. */
export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  resetStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export const setting = {
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
} as const

export const errorCode = {
  noError: 0,
  protocolError: 1,
  internalError: 2,
  flowControlError: 3,
  frameSizeError: 6,
  cancel: 8,
  compressionError: 9,
} as const

const preface = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const frameHeaderLength = 9

export interface RawFrame {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly payload: Buffer
}

/** Sends single frames, including ones that no library would send. */
export class RawHttp2Server {
  readonly port: number
  readonly peers: RawPeer[] = []
  readonly #server: Server
  readonly #sockets: Socket[] = []

  /** @param settings the payload of its SETTINGS frame */
  static async start(answer: RawAnswer, settings: Buffer = Buffer.alloc(0)): Promise<RawHttp2Server> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new RawHttp2Server(server, answer, settings)
  }

  constructor(server: Server, answer: RawAnswer, settings: Buffer) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
    server.on('connection', (socket) => {
      this.#sockets.push(socket)
      socket.on('error', () => socket.destroy())
      const peer = new RawPeer(socket)
      this.peers.push(peer)
      peer.serve(answer, settings)
    })
  }

  kill(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }
}

export class RawPeer {
  readonly socket: Socket
  readonly received: RawFrame[] = []
  readonly #events = new EventEmitter<{ frame: [] }>()

  constructor(socket: Socket) {
    this.socket = socket
  }

  /** The first frame that matches, past or future. */
  async frameThat(fits: (frame: RawFrame) => boolean): Promise<RawFrame> {
    for (;;) {
      const found = this.received.find(fits)
      if (found !== undefined) return found
      await once(this.#events, 'frame')
    }
  }

  serve(answer: RawAnswer, settings: Buffer): void {
    let unread = Buffer.alloc(0)
    let greeted = false
    this.frame(4, 0, 0, settings)
    this.socket.on('data', (chunk: Buffer) => {
      unread = Buffer.concat([unread, chunk])
      if (!greeted) {
        if (unread.length < preface.length) return
        unread = unread.subarray(preface.length)
        greeted = true
      }
      while (unread.length >= frameHeaderLength) {
        const end = frameHeaderLength + unread.readUIntBE(0, 3)
        if (unread.length < end) return
        const [type = 0, flags = 0, stream] = [unread[3], unread[4], unread.readUInt32BE(5)]
        this.received.push({ type, flags, stream, payload: unread.subarray(frameHeaderLength, end) })
        if (type === 4 && (flags & 1) === 0) this.frame(4, 1, 0, Buffer.alloc(0))
        if (type === 6 && (flags & 1) === 0) this.frame(6, 1, 0, unread.subarray(frameHeaderLength, end))
        unread = unread.subarray(end)
        if (type === 1) answer(this, stream)
      }
      this.#events.emit('frame')
    })
  }

  frame(type: number, flags: number, stream: number, payload: Buffer): void {
    this.socket.write(rawFrame(type, flags, stream, payload))
  }

  headers(stream: number, headers: Record<string, string>, end = false): void {
    this.frame(1, end ? 5 : 4, stream, headerBlock(headers))
  }

  data(stream: number, bytes: Buffer): void {
    this.frame(0, 0, stream, bytes)
  }

  reset(stream: number, code: number): void {
    this.frame(3, 0, stream, uint32(code))
  }

  goaway(lastStream: number, code: number): void {
    this.frame(7, 0, 0, Buffer.concat([uint32(lastStream), uint32(code)]))
  }
}

/** HPACK without tables and Huffman coding: each header as two literals shorter than 127 bytes. */
export function headerBlock(headers: Record<string, string>): Buffer {
  return Buffer.concat(
    Object.entries(headers).flatMap(([name, value]) => [
      Buffer.from([0, name.length]),
      Buffer.from(name),
      Buffer.from([value.length]),
      Buffer.from(value),
    ]),
  )
}

export function rawFrame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(frameHeaderLength)
  header.writeUIntBE(payload.length, 0, 3)
  header[3] = type
  header[4] = flags
  header.writeUInt32BE(stream, 5)
  return Buffer.concat([header, payload])
}

export function settingsPayload(settings: Readonly<Record<number, number>>): Buffer {
  return Buffer.concat(
    Object.entries(settings).map(([id, value]) => {
      const bytes = Buffer.alloc(6)
      bytes.writeUInt16BE(Number(id))
      bytes.writeUInt32BE(value, 2)
      return bytes
    }),
  )
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
