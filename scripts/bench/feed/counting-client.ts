import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

/** A client that costs next to nothing: it counts frames by their heads and reads none of them. */
export class CountingClient {
  readonly #socket: Socket
  readonly #onFrames: (frames: number) => void
  #isOpen = false
  /** Bytes of the frame under way that are still to come. */
  #missing = 0
  #head: Buffer = Buffer.alloc(0)

  private constructor(
    port: number,
    path: string,
    onFrames: (frames: number) => void,
    onOpen: () => void,
    onError: (error: Error) => void,
  ) {
    this.#onFrames = onFrames
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.on('error', onError)
    this.#socket.write(
      `GET ${path} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\nSec-WebSocket-Version: 13\r\n\r\n`,
    )
    this.#socket.on('data', (chunk: Buffer) => {
      if (this.#isOpen) return this.#count(chunk)
      this.#isOpen = true
      onOpen()
      this.#count(chunk.subarray(chunk.indexOf('\r\n\r\n') + 4))
    })
  }

  static open(port: number, path: string, onFrames: (frames: number) => void): Promise<CountingClient> {
    return new Promise((resolve, reject) => {
      const client: CountingClient = new CountingClient(port, path, onFrames, () => resolve(client), reject)
    })
  }

  /** Sends a text, masked by zeros. */
  say(message: unknown): void {
    const text = Buffer.from(JSON.stringify(message))
    const length = Buffer.alloc(2)
    length.writeUInt16BE(text.length)
    const head =
      text.length < 126 ? Buffer.from([0x81, 0x80 | text.length]) : Buffer.concat([Buffer.from([0x81, 0xfe]), length])
    this.#socket.write(Buffer.concat([head, Buffer.alloc(4), text]))
  }

  /** Reads no more. */
  stall(): void {
    this.#socket.pause()
  }

  destroy(): void {
    this.#socket.destroy()
  }

  #count(chunk: Buffer): void {
    let bytes = this.#head.length === 0 ? chunk : Buffer.concat([this.#head, chunk])
    this.#head = Buffer.alloc(0)
    let frames = 0
    let at = Math.min(this.#missing, bytes.length)
    this.#missing -= at
    while (at < bytes.length) {
      const short = (bytes[at + 1] ?? 0) & 0x7f
      const headLength = short < 126 ? 2 : short === 126 ? 4 : 10
      if (bytes.length - at < headLength) {
        this.#head = bytes = bytes.subarray(at)
        break
      }
      const length =
        short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : Number(bytes.readBigUInt64BE(at + 2))
      // A ping is answered, masked by zeros.
      if (bytes[at] === 0x89) this.#socket.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0]))
      else frames++
      at += headLength
      const have = Math.min(length, bytes.length - at)
      this.#missing = length - have
      at += have
    }
    if (frames > 0) this.#onFrames(frames)
  }
}
