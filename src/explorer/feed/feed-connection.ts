import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { textFrame } from './frames.ts'

/** How long a client that is dropped has to read why, in milliseconds. */
const dropGraceMs = 1000

/**
 * A client's connection. Frames are written as they are, past the library's sender, which would make them anew for each client:
 * it holds nothing back as long as nothing is compressed, so that frames of both come whole and in order.
 */
export class FeedConnection {
  /** Answered since the last ping. */
  isAlive = true
  /** Messages that it sent since the last ping. */
  inbound = 0
  readonly #socket: WebSocket
  readonly #stream: Socket

  constructor(socket: WebSocket, stream: Socket) {
    this.#socket = socket
    this.#stream = stream
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  /** Bytes that the system has not taken yet. */
  get waitingBytes(): number {
    return this.#stream.writableLength
  }

  /** @param frame one frame or several */
  write(frame: Buffer): void {
    if (this.isOpen) this.#stream.write(frame)
  }

  writeText(text: string): void {
    this.write(textFrame(text))
  }

  /** Resolves when the client has taken what was written, or is gone. */
  async drained(): Promise<void> {
    const stream = this.#stream
    if (!stream.writableNeedDrain || stream.destroyed) return
    await new Promise<void>((resolve) => {
      const done = (): void => {
        stream.off('drain', done).off('close', done)
        resolve()
      }
      stream.on('drain', done).on('close', done)
    })
  }

  /**
   * Closes with a code and why; the reason waits behind what the client has not read, and whoever does not read it either is not
   * waited for.
   * @param reason at most 123 bytes
   */
  drop(code: number, reason: string): void {
    this.#socket.close(code, reason)
    setTimeout(() => this.#socket.terminate(), dropGraceMs).unref()
  }

  terminate(): void {
    this.#socket.terminate()
  }
}
