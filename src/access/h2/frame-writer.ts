import { frameFlag, frameHeaderLength, frameType, preface } from './protocol.ts'

/** What a writer needs of a socket. */
export interface FrameOutlet {
  /** Bytes that were given to it and are still in use by it. */
  readonly writableLength: number
  write(bytes: Buffer): unknown
}

const slabLength = 64 * 1024

/**
 * Writes frames, collected: one write for all that is said in one turn of the event loop. The bytes are put into a slab
 * of memory that is used again from its start as soon as the socket needs nothing of it any more.
 */
export class FrameWriter {
  readonly #outlet: FrameOutlet
  #slab = Buffer.allocUnsafeSlow(slabLength)
  /** What is not yet given to the socket: `slab[from..to)`. */
  #from = 0
  #to = 0
  #scheduled = false

  constructor(outlet: FrameOutlet) {
    this.#outlet = outlet
  }

  /** The client's first words. `settings` may be in any order. */
  greet(settings: readonly (readonly [id: number, value: number])[]): void {
    this.#reserve(preface.length)
    this.#to += this.#slab.write(preface, this.#to, 'latin1')
    this.#header(settings.length * 6, frameType.settings, 0, 0)
    for (const [id, value] of settings) {
      this.#to = this.#slab.writeUInt16BE(id, this.#to)
      this.#to = this.#slab.writeUInt32BE(value, this.#to)
    }
  }

  acknowledgeSettings(): void {
    this.#header(0, frameType.settings, frameFlag.ack, 0)
  }

  /** @param block a whole header block, shorter than a frame */
  headers(stream: number, block: Uint8Array): void {
    this.#header(block.length, frameType.headers, frameFlag.endHeaders, stream)
    this.#bytes(block, 0, block.length)
  }

  /** Sends `bytes[from..to)`, which must fit into a frame. */
  data(stream: number, bytes: Uint8Array, from: number, to: number, endsStream: boolean): void {
    this.#header(to - from, frameType.data, endsStream ? frameFlag.endStream : 0, stream)
    this.#bytes(bytes, from, to)
  }

  resetStream(stream: number, code: number): void {
    this.#header(4, frameType.resetStream, 0, stream)
    this.#uint32(code)
  }

  /** @param opaque 8 bytes */
  ping(opaque: Uint8Array, isAnswer: boolean): void {
    this.#header(opaque.length, frameType.ping, isAnswer ? frameFlag.ack : 0, 0)
    this.#bytes(opaque, 0, opaque.length)
  }

  /** @param increment at least 1: servers end the connection for 0 */
  windowUpdate(stream: number, increment: number): void {
    this.#header(4, frameType.windowUpdate, 0, stream)
    this.#uint32(increment)
  }

  /** A client has no stream of the server's to name as its last. */
  goaway(code: number): void {
    this.#header(8, frameType.goaway, 0, 0)
    this.#uint32(0)
    this.#uint32(code)
  }

  /** Gives everything to the socket now. */
  flush(): void {
    if (this.#from === this.#to) return
    const bytes = this.#slab.subarray(this.#from, this.#to)
    this.#from = this.#to
    this.#outlet.write(bytes)
  }

  #header(length: number, type: number, flags: number, stream: number): void {
    this.#reserve(frameHeaderLength + length)
    const slab = this.#slab
    const at = this.#to
    slab[at] = length >>> 16
    slab[at + 1] = length >>> 8
    slab[at + 2] = length
    slab[at + 3] = type
    slab[at + 4] = flags
    this.#to = slab.writeUInt32BE(stream, at + 5)
  }

  #uint32(value: number): void {
    this.#to = this.#slab.writeUInt32BE(value, this.#to)
  }

  #bytes(bytes: Uint8Array, from: number, to: number): void {
    this.#slab.set(from === 0 && to === bytes.length ? bytes : bytes.subarray(from, to), this.#to)
    this.#to += to - from
  }

  /** Makes room for a frame; at most one of the largest. */
  #reserve(length: number): void {
    if (this.#from === this.#to && this.#outlet.writableLength === 0) this.#from = this.#to = 0
    if (this.#to + length > slabLength) {
      this.flush()
      this.#slab = Buffer.allocUnsafeSlow(slabLength)
      this.#from = this.#to = 0
    }
    if (this.#scheduled) return
    this.#scheduled = true
    // After the callbacks of the sockets that are readable now, before the loop waits again.
    setImmediate(() => {
      this.#scheduled = false
      this.flush()
    })
  }
}
