/** How a language server frames messages on its standard streams: a header with `Content-Length` in bytes, an empty line, JSON in UTF-8. */

const headerEnd = Buffer.from('\r\n\r\n')

/** A header has one or two short lines. */
const mostHeaderBytes = 1024

/** Output that is not what the protocol says; what comes after it cannot be told apart any more. */
export class BrokenFraming extends Error {}

/** A message with its header. */
export function frameOf(json: string): string {
  return `Content-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`
}

/**
 * Cuts a stream of bytes into messages. Bytes of a message that is not whole yet are kept in the pieces that they came in, and put together once, so
 * that a large message costs no more than its size.
 */
export class FrameReader {
  readonly #mostBytes: number
  #pieces: Buffer[] = []
  #held = 0
  /** Bytes of the message whose header was read; undefined while a header is awaited. */
  #wanted: number | undefined

  /** @param mostBytes of one message */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  /** Gives the messages that are whole now, as bytes of JSON. @throws BrokenFraming */
  read(piece: Buffer): Buffer[] {
    if (piece.length > 0) this.#pieces.push(piece)
    this.#held += piece.length
    const messages: Buffer[] = []
    for (;;) {
      if (this.#wanted === undefined && !this.#readHeader()) return messages
      if (this.#wanted === undefined || this.#held < this.#wanted) return messages
      const all = this.#joined()
      messages.push(all.subarray(0, this.#wanted))
      this.#keep(all.subarray(this.#wanted))
      this.#wanted = undefined
    }
  }

  /** Whether a header was read. */
  #readHeader(): boolean {
    if (this.#held === 0) return false
    const all = this.#joined()
    const end = all.subarray(0, mostHeaderBytes).indexOf(headerEnd)
    if (end < 0) {
      if (all.length >= mostHeaderBytes) throw new BrokenFraming(`no end of the header within ${mostHeaderBytes} bytes`)
      this.#keep(all)
      return false
    }
    const length = /^content-length:[ \t]*(\d{1,15})[ \t]*$/im.exec(all.toString('latin1', 0, end))?.[1]
    if (length === undefined) throw new BrokenFraming('a header without Content-Length')
    if (Number(length) > this.#mostBytes)
      throw new BrokenFraming(`a message of ${length} bytes; at most ${this.#mostBytes} are taken`)
    this.#wanted = Number(length)
    this.#keep(all.subarray(end + headerEnd.length))
    return true
  }

  #joined(): Buffer {
    const [first] = this.#pieces
    return this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces, this.#held)
  }

  #keep(rest: Buffer): void {
    this.#pieces = rest.length === 0 ? [] : [rest]
    this.#held = rest.length
  }
}
