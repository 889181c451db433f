import { Http2Error } from './http2-error.ts'
import { defaultMaxFrameSize, errorCode, frameFlag, frameHeaderLength, frameType, max31Bits } from './protocol.ts'

/**
 * What a reader finds. Bytes are valid during the call only. Whatever a sink throws comes out of `read`.
 */
export interface FrameSink {
  /** A DATA frame begins. `length` counts for flow control: padding is in it. */
  dataBegins(stream: number, length: number): void
  /** A piece of the frame's data, without padding; `bytes[from..to)` is not empty. */
  data(bytes: Buffer, from: number, to: number): void
  dataEnds(endsStream: boolean): void
  /** Any other frame, its payload complete in `bytes[from..to)`. */
  frame(type: number, flags: number, stream: number, bytes: Buffer, from: number, to: number): void
}

/** Where in a frame the next byte is. */
type Place = 'header' | 'padding length' | 'data' | 'padding' | 'payload'

/**
 * Cuts what a server sends into frames, wherever it was cut on its way. DATA is passed on as it comes; other frames are
 * short, and are put together first where they came in pieces.
 */
export class FrameReader {
  readonly #sink: FrameSink
  #place: Place = 'header'
  /** A frame's header, and the payload of a frame that is not DATA, where they came in pieces. */
  readonly #pieces = Buffer.allocUnsafeSlow(defaultMaxFrameSize)
  #piecesLength = 0
  #type = 0
  #flags = 0
  #stream = 0
  /** Bytes of the payload, or of the data within it, that have not come. */
  #left = 0
  #padding = 0
  #stopped = false

  constructor(sink: FrameSink) {
    this.#sink = sink
  }

  /**
   * Reads `bytes[0..end)`.
   * @throws Http2Error for a frame longer than we take, or padding longer than its frame
   */
  read(bytes: Buffer, end: number): void {
    let at = 0
    while (at < end && !this.#stopped) {
      switch (this.#place) {
        case 'header':
          at = this.#readHeader(bytes, at, end)
          break
        case 'padding length':
          this.#readPaddingLength(bytes[at++] as number)
          break
        case 'data':
          at = this.#readData(bytes, at, end)
          break
        case 'padding':
          at = this.#skipPadding(at, end)
          break
        case 'payload':
          at = this.#readPayload(bytes, at, end)
      }
    }
  }

  /** Nothing more is passed on, not even of the bytes that are being read. */
  stop(): void {
    this.#stopped = true
  }

  #readHeader(bytes: Buffer, from: number, end: number): number {
    if (this.#piecesLength === 0 && end - from >= frameHeaderLength) {
      this.#beginFrame(bytes, from)
      return from + frameHeaderLength
    }
    const to = this.#keep(bytes, from, end, frameHeaderLength)
    if (this.#piecesLength === frameHeaderLength) {
      this.#piecesLength = 0
      this.#beginFrame(this.#pieces, 0)
    }
    return to
  }

  #beginFrame(bytes: Buffer, at: number): void {
    const length = ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number)
    this.#type = bytes[at + 3] as number
    this.#flags = bytes[at + 4] as number
    this.#stream = bytes.readUInt32BE(at + 5) & max31Bits
    if (length > defaultMaxFrameSize) {
      throw new Http2Error(errorCode.frameSizeError, `a frame of ${length} bytes, or no HTTP/2 at all`)
    }
    this.#left = length
    if (this.#type === frameType.data) this.#beginData(length)
    else if (length === 0) this.#emit(bytes, 0, 0)
    else this.#place = 'payload'
  }

  #beginData(length: number): void {
    const isPadded = (this.#flags & frameFlag.padded) !== 0
    if (isPadded && length === 0) throw tooMuchPadding()
    this.#padding = 0
    this.#sink.dataBegins(this.#stream, length)
    if (isPadded) this.#place = 'padding length'
    else this.#expectData()
  }

  #readPaddingLength(padding: number): void {
    this.#left -= 1 + padding
    this.#padding = padding
    if (this.#left < 0) throw tooMuchPadding()
    this.#expectData()
  }

  #expectData(): void {
    if (this.#left > 0) this.#place = 'data'
    else this.#expectPadding()
  }

  #expectPadding(): void {
    if (this.#padding > 0) {
      this.#place = 'padding'
      return
    }
    this.#place = 'header'
    this.#sink.dataEnds((this.#flags & frameFlag.endStream) !== 0)
  }

  #readData(bytes: Buffer, from: number, end: number): number {
    const to = Math.min(end, from + this.#left)
    this.#left -= to - from
    this.#sink.data(bytes, from, to)
    if (this.#left === 0) this.#expectPadding()
    return to
  }

  #skipPadding(from: number, end: number): number {
    const to = Math.min(end, from + this.#padding)
    this.#padding -= to - from
    if (this.#padding === 0) this.#expectPadding()
    return to
  }

  #readPayload(bytes: Buffer, from: number, end: number): number {
    const to = from + this.#left
    if (this.#piecesLength === 0 && to <= end) {
      this.#emit(bytes, from, to)
      return to
    }
    const kept = this.#keep(bytes, from, end, this.#left)
    if (this.#piecesLength === this.#left) {
      this.#piecesLength = 0
      this.#emit(this.#pieces, 0, this.#left)
    }
    return kept
  }

  #emit(bytes: Buffer, from: number, to: number): void {
    this.#place = 'header'
    this.#sink.frame(this.#type, this.#flags, this.#stream, bytes, from, to)
  }

  /** Keeps bytes for later until there are `wanted`; returns where it stopped. */
  #keep(bytes: Buffer, from: number, end: number, wanted: number): number {
    const to = Math.min(end, from + wanted - this.#piecesLength)
    bytes.copy(this.#pieces, this.#piecesLength, from, to)
    this.#piecesLength += to - from
    return to
  }
}

function tooMuchPadding(): Http2Error {
  return new Http2Error(errorCode.protocolError, 'padding longer than its frame')
}
