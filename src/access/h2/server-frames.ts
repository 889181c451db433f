import type { FrameSink } from './frame-reader.ts'
import type { HeaderField } from './header-field.ts'
import type { HpackDecoder } from './hpack-decoder.ts'
import { Http2Error } from './http2-error.ts'
import { errorCode, frameFlag, frameType, max31Bits } from './protocol.ts'

/** What the frames of a server mean. Bytes are valid during the call only. */
export interface ServerEvents extends Pick<FrameSink, 'dataBegins' | 'data' | 'dataEnds'> {
  /** A whole list of headers; undefined where it exceeds the limit. */
  headers(stream: number, fields: readonly HeaderField[] | undefined, endsStream: boolean): void
  reset(stream: number, code: number): void
  /** In the order in which they are to be applied. */
  settings(settings: readonly (readonly [id: number, value: number])[]): void
  ping(opaque: Buffer, isAnswer: boolean): void
  /** @param reason the server's own words, mostly empty */
  goaway(lastStream: number, code: number, reason: string): void
  /** @param stream 0 for the connection */
  windowUpdate(stream: number, increment: number): void
}

/** A block of headers that is longer than this, as it is sent, is no block of headers. */
const longestBlock = 1024 * 1024
/** How much of a server's reason for a goodbye is shown. */
const longestReason = 200

/**
 * Holds the frames of a server to the rules that need no knowledge of streams, puts header blocks together and decodes
 * them. The first frame must be SETTINGS; a server may not push. Unknown frames mean nothing.
 * Source: RFC 9113, section 6.
 */
export class ServerFrames implements FrameSink {
  readonly #events: ServerEvents
  readonly #hpack: HpackDecoder
  #greeted = false
  /** The stream whose header block goes on in CONTINUATION frames; 0 where none does. */
  #blockStream = 0
  #blockEndsStream = false
  #block: Buffer[] = []
  #blockLength = 0

  constructor(events: ServerEvents, hpack: HpackDecoder) {
    this.#events = events
    this.#hpack = hpack
  }

  dataBegins(stream: number, length: number): void {
    this.#expect(frameType.data, stream)
    if (stream === 0) throw onWrongStream('DATA')
    this.#events.dataBegins(stream, length)
  }

  data(bytes: Buffer, from: number, to: number): void {
    this.#events.data(bytes, from, to)
  }

  dataEnds(endsStream: boolean): void {
    this.#events.dataEnds(endsStream)
  }

  frame(type: number, flags: number, stream: number, bytes: Buffer, from: number, to: number): void {
    this.#expect(type, stream)
    switch (type) {
      case frameType.headers:
        return this.#headers(flags, stream, bytes, from, to)
      case frameType.continuation:
        return this.#addToBlock(flags, bytes, from, to)
      case frameType.priority:
        return checkFrame('PRIORITY', stream > 0, to - from === 5)
      case frameType.resetStream:
        checkFrame('RST_STREAM', stream > 0, to - from === 4)
        return this.#events.reset(stream, bytes.readUInt32BE(from))
      case frameType.settings:
        return this.#settings(flags, stream, bytes, from, to)
      case frameType.pushPromise:
        throw new Http2Error(errorCode.protocolError, 'a push, which was refused')
      case frameType.ping:
        checkFrame('PING', stream === 0, to - from === 8)
        return this.#events.ping(Buffer.from(bytes.subarray(from, to)), (flags & frameFlag.ack) !== 0)
      case frameType.goaway:
        return this.#goaway(stream, bytes, from, to)
      case frameType.windowUpdate:
        checkFrame('WINDOW_UPDATE', true, to - from === 4)
        return this.#events.windowUpdate(stream, bytes.readUInt32BE(from) & max31Bits)
      default:
    }
  }

  /** Within a header block nothing may come but the rest of it, and nothing at all before the server's settings. */
  #expect(type: number, stream: number): void {
    if (!this.#greeted) {
      if (type !== frameType.settings) throw new Http2Error(errorCode.protocolError, 'it does not begin with SETTINGS')
      this.#greeted = true
    }
    const isContinuation = type === frameType.continuation
    if (isContinuation !== this.#blockStream > 0 || (isContinuation && stream !== this.#blockStream)) {
      throw new Http2Error(errorCode.protocolError, `a frame of type ${type} out of its order among headers`)
    }
  }

  #headers(flags: number, stream: number, bytes: Buffer, start: number, end: number): void {
    const isPadded = (flags & frameFlag.padded) !== 0
    const priorityLength = (flags & frameFlag.priority) === 0 ? 0 : 5
    const from = start + (isPadded ? 1 : 0) + priorityLength
    const to = isPadded && start < end ? end - (bytes[start] as number) : end
    checkFrame('HEADERS', stream > 0, from <= end)
    if (to < from) throw new Http2Error(errorCode.protocolError, 'padding longer than its frame')
    this.#blockStream = stream
    this.#blockEndsStream = (flags & frameFlag.endStream) !== 0
    this.#addToBlock(flags, bytes, from, to)
  }

  #addToBlock(flags: number, bytes: Buffer, from: number, to: number): void {
    const isLast = (flags & frameFlag.endHeaders) !== 0
    if (isLast && this.#block.length === 0) return this.#endBlock(bytes, from, to)
    this.#blockLength += to - from
    if (this.#blockLength > longestBlock) {
      throw new Http2Error(errorCode.enhanceYourCalm, `a header block longer than ${longestBlock} bytes`)
    }
    if (to > from || isLast) this.#block.push(Buffer.from(bytes.subarray(from, to)))
    if (!isLast) return
    const block = Buffer.concat(this.#block)
    this.#block = []
    this.#blockLength = 0
    this.#endBlock(block, 0, block.length)
  }

  #endBlock(bytes: Buffer, from: number, to: number): void {
    const stream = this.#blockStream
    this.#blockStream = 0
    this.#events.headers(stream, this.#hpack.decode(bytes, from, to), this.#blockEndsStream)
  }

  #settings(flags: number, stream: number, bytes: Buffer, from: number, to: number): void {
    const isAck = (flags & frameFlag.ack) !== 0
    checkFrame('SETTINGS', stream === 0, isAck ? from === to : (to - from) % 6 === 0)
    if (isAck) return
    const settings: [number, number][] = []
    for (let at = from; at < to; at += 6) settings.push([bytes.readUInt16BE(at), bytes.readUInt32BE(at + 2)])
    this.#events.settings(settings)
  }

  #goaway(stream: number, bytes: Buffer, from: number, to: number): void {
    checkFrame('GOAWAY', stream === 0, to - from >= 8)
    const reason = bytes.toString('utf8', from + 8, Math.min(to, from + 8 + longestReason))
    this.#events.goaway(bytes.readUInt32BE(from) & max31Bits, bytes.readUInt32BE(from + 4), reason)
  }
}

function checkFrame(name: string, isStreamRight: boolean, isLengthRight: boolean): void {
  if (!isStreamRight) throw onWrongStream(name)
  if (!isLengthRight) throw new Http2Error(errorCode.frameSizeError, `a ${name} frame of a wrong length`)
}

function onWrongStream(name: string): Http2Error {
  return new Http2Error(errorCode.protocolError, `a ${name} frame on a wrong stream`)
}
