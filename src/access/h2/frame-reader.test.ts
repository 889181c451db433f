import { expect } from 'chai'
import fc from 'fast-check'
import { rawFrame } from '../testing/raw-http2-server.ts'
import { FrameReader } from './frame-reader.ts'
import type { FrameSink } from './frame-reader.ts'
import { Http2Error } from './http2-error.ts'

interface Seen {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly payload: string
}

/** Writes down what it is told. */
class Notes implements FrameSink {
  readonly seen: Seen[] = []
  /** As flow control counts them. */
  dataBytes = 0
  #stream = 0
  #data: Buffer[] = []

  dataBegins(stream: number, length: number): void {
    this.#stream = stream
    this.#data = []
    this.dataBytes += length
  }

  data(bytes: Buffer, from: number, to: number): void {
    expect(from).to.be.lessThan(to)
    this.#data.push(Buffer.from(bytes.subarray(from, to)))
  }

  dataEnds(endsStream: boolean): void {
    const payload = Buffer.concat(this.#data).toString('hex')
    this.seen.push({ type: 0, flags: endsStream ? 1 : 0, stream: this.#stream, payload })
  }

  frame(type: number, flags: number, stream: number, bytes: Buffer, from: number, to: number): void {
    this.seen.push({ type, flags, stream, payload: bytes.toString('hex', from, to) })
  }
}

/** Reads with one buffer for all pieces, as a socket does. */
function readInPieces(bytes: Buffer, cuts: readonly number[]): Notes {
  const notes = new Notes()
  const reader = new FrameReader(notes)
  const shared = Buffer.alloc(bytes.length)
  let from = 0
  for (const to of [...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]) {
    bytes.copy(shared, 0, from, to)
    reader.read(shared, to - from)
    shared.fill(0xee)
    from = to
  }
  return notes
}

const frames = fc.array(
  fc.record({
    type: fc.nat(12),
    flags: fc.nat(255),
    stream: fc.nat(2 ** 31 - 1),
    payload: fc.uint8Array({ maxLength: 60 }),
    padding: fc.nat(20),
  }),
  { maxLength: 12 },
)

describe('FrameReader', () => {
  it('finds the frames wherever the stream of bytes is cut', () => {
    fc.assert(
      fc.property(frames, fc.array(fc.nat(), { maxLength: 30 }), (frames, cuts) => {
        const sent: Buffer[] = []
        const expected: Seen[] = []
        let dataBytes = 0
        for (const { type, flags, stream, payload, padding } of frames) {
          const isPadded = type === 0 && (flags & 8) !== 0
          const whole = isPadded ? Buffer.concat([Buffer.from([padding]), payload, Buffer.alloc(padding)]) : payload
          sent.push(rawFrame(type, flags, stream, whole))
          const kept = type === 0 ? flags & 1 : flags
          expected.push({ type, flags: kept, stream, payload: Buffer.from(payload).toString('hex') })
          if (type === 0) dataBytes += whole.length
        }
        const notes = readInPieces(Buffer.concat(sent), cuts)
        expect(notes.seen).to.deep.equal(expected)
        expect(notes.dataBytes).to.equal(dataBytes)
      }),
    )
  })

  it('finds the same frames byte by byte, up to the longest', () => {
    const bytes = Buffer.concat([
      rawFrame(4, 0, 0, Buffer.alloc(0)),
      rawFrame(1, 4, 1, Buffer.alloc(16_384, 7)),
      rawFrame(0, 9, 1, Buffer.from([2, 1, 2, 3, 0, 0])),
      rawFrame(0, 1, 3, Buffer.alloc(0)),
    ])
    const whole = readInPieces(bytes, [])
    expect(whole.seen.length).to.equal(4)
    expect(readInPieces(bytes, [...bytes.keys()]).seen).to.deep.equal(whole.seen)
  })

  it('refuses frames that are too long, and padding that is longer than its frame', () => {
    const refused = [
      rawFrame(0, 0, 1, Buffer.alloc(16_385)),
      rawFrame(0, 8, 1, Buffer.alloc(0)),
      rawFrame(0, 8, 1, Buffer.from([3, 0, 0])),
      Buffer.from('HTTP/1.1 400 Bad Request\r\n'),
    ]
    for (const bytes of refused) expect(() => readInPieces(bytes, [])).to.throw(Http2Error)
  })

  it('reads nothing more once it is stopped, not even of the same bytes', () => {
    const notes = new Notes()
    const reader = new FrameReader(notes)
    notes.dataEnds = () => reader.stop()
    const bytes = Buffer.concat([rawFrame(0, 0, 1, Buffer.from('x')), rawFrame(6, 0, 0, Buffer.alloc(8))])
    reader.read(bytes, bytes.length)
    reader.read(bytes, bytes.length)
    expect(notes.seen).to.deep.equal([])
  })
})
