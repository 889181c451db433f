import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

const masked = 0x80
const closing = 0x88
const mask = Buffer.alloc(4)

/** A client frame, masked with zeros. @param first the first byte: FIN, reserved bits, opcode */
export function clientFrame(first: number, payload: Uint8Array | string, length = Buffer.from(payload).length): Buffer {
  const content = Buffer.from(payload)
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10)
  head[0] = first
  if (head.length === 2) head[1] = masked | length
  else if (head.length === 4) {
    head[1] = masked | 126
    head.writeUInt16BE(length, 2)
  } else {
    head[1] = masked | 127
    head.writeBigUInt64BE(BigInt(length), 2)
  }
  return Buffer.concat([head, mask, content])
}

/** A low-level WebSocket for frames that no library sends. */
export class RawWebSocket {
  readonly socket: Socket
  /** The server's handshake response. */
  readonly answer: string
  readonly #closed: Promise<unknown>
  #received = Buffer.alloc(0)

  private constructor(socket: Socket, answer: string) {
    this.socket = socket
    this.answer = answer
    this.#closed = once(socket, 'close')
    socket.on('data', (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes])
    })
  }

  /** @param headers complete handshake lines, each with its line end */
  static async open(port: number, path: string, headers = '', host = 'x'): Promise<RawWebSocket> {
    const socket = connect(port, '127.0.0.1')
    // A closed server rejects further data.
    socket.on('error', () => socket.destroy())
    socket.setNoDelay(true)
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n${headers}\r\n`,
    )
    const [answer] = (await once(socket, 'data')) as [Buffer]
    return new RawWebSocket(socket, String(answer))
  }

  /** Whether the server has closed. */
  get isClosing(): boolean {
    return this.socket.destroyed || this.#closeFrame() !== undefined
  }

  /** The server's close code. Undefined without one. */
  async closeCode(): Promise<number | undefined> {
    this.socket.once('end', () => this.socket.destroy())
    while (!this.isClosing) await Promise.race([once(this.socket, 'data'), this.#closed])
    this.socket.destroy()
    const frame = this.#closeFrame()
    return frame === undefined || frame.length < 4 ? undefined : frame.readUInt16BE(2)
  }

  /** The bytes from the first close frame on. */
  #closeFrame(): Buffer | undefined {
    let rest = this.#received
    while (rest.length >= 4 && rest[0] !== closing) {
      const short = rest[1] ?? 0
      rest = rest.subarray(short < 126 ? 2 + short : 4 + rest.readUInt16BE(2))
    }
    return rest[0] === closing ? rest : undefined
  }
}
