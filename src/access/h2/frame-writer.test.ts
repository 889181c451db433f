import { expect } from 'chai'
import fc from 'fast-check'
import { FrameReader } from './frame-reader.ts'
import { FrameWriter } from './frame-writer.ts'
import { preface } from './protocol.ts'

/** Keeps what it is given as long as a socket that cannot send at once, and reads it only then. */
class SlowOutlet {
  readonly #held: Buffer[] = []
  readonly sent: Buffer[] = []

  get writableLength(): number {
    return this.#held.reduce((sum, bytes) => sum + bytes.length, 0)
  }

  write(bytes: Buffer): void {
    this.#held.push(bytes)
  }

  release(): void {
    for (const bytes of this.#held.splice(0)) this.sent.push(Buffer.from(bytes))
  }
}

describe('FrameWriter', () => {
  it('leaves bytes alone that the socket still holds, and writes whole frames', () => {
    const step = fc.oneof(fc.nat(16_384), fc.constant('flush' as const), fc.constant('release' as const))
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const outlet = new SlowOutlet()
        const writer = new FrameWriter(outlet)
        const expected: string[] = []
        for (const [i, step] of steps.entries()) {
          if (step === 'release') outlet.release()
          else if (step === 'flush') writer.flush()
          else {
            const body = Buffer.alloc(step + 2, i)
            writer.data(2 * i + 1, body, 1, step + 1, i % 2 === 1)
            expected.push(`${2 * i + 1} ${step} of ${i} ${i % 2}`)
          }
        }
        writer.flush()
        outlet.release()
        expect(framesOf(Buffer.concat(outlet.sent))).to.deep.equal(expected)
      }),
      { numRuns: 50 },
    )
  })

  it('collects what is said in one turn of the event loop', async () => {
    const outlet = new SlowOutlet()
    const writer = new FrameWriter(outlet)
    for (const stream of [1, 3, 5]) writer.windowUpdate(stream, 7)
    await Promise.resolve()
    writer.ping(Buffer.from('12345678'), true)
    expect(outlet.writableLength).to.equal(0)
    await new Promise(setImmediate)
    outlet.release()
    expect(outlet.sent.map((bytes) => bytes.toString('hex'))).to.deep.equal([
      '000004080000000001000000070000040800000000030000000700000408000000000500000007' +
        '0000080601000000003132333435363738',
    ])
  })

  it('greets with the preface and its settings', () => {
    const outlet = new SlowOutlet()
    const writer = new FrameWriter(outlet)
    writer.greet([[4, 0x1234567]])
    writer.flush()
    outlet.release()
    const [bytes = Buffer.alloc(0)] = outlet.sent
    expect(bytes.toString('latin1', 0, preface.length)).to.equal(preface)
    expect(bytes.toString('hex', preface.length)).to.equal('000006040000000000000401234567')
  })
})

function framesOf(bytes: Buffer): string[] {
  const frames: string[] = []
  let [stream, byte, length] = [0, 0, 0]
  const reader = new FrameReader({
    dataBegins: (id, count) => ([stream, length] = [id, count]),
    data: (bytes, from, to) => {
      byte = bytes[from] ?? 0
      for (let at = from; at < to; at++) if (bytes[at] !== byte) throw new Error('overwritten')
    },
    dataEnds: (ends) => frames.push(`${stream} ${length} of ${length === 0 ? (stream - 1) / 2 : byte} ${ends ? 1 : 0}`),
    frame: () => undefined,
  })
  reader.read(bytes, bytes.length)
  return frames
}
