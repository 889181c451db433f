import { expect } from 'chai'
import { frameOf } from './grpc-status.ts'
import { UnaryBody } from './unary-body.ts'

import fc from 'fast-check'

function read(bytes: Buffer, cuts: readonly number[]): UnaryBody {
  const body = new UnaryBody()
  let from = 0
  for (const to of [...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    body.add(bytes.subarray(from, to))
    from = to
  }
  return body
}

describe('UnaryBody', () => {
  it('reassembles a message from any chunks', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.array(fc.nat(), { maxLength: 6 }), (message, cuts) => {
        expect(read(frameOf(message), cuts).message()?.equals(message)).to.equal(true)
      }),
    )
  })

  it('is incomplete before the last byte', () => {
    const frame = frameOf(Buffer.from('flow'))
    for (let length = 0; length < frame.length; length++) {
      expect(read(frame.subarray(0, length), []).message()).to.equal(undefined)
    }
  })

  it('grows to messages beyond the initial allocation limit', () => {
    const message = Buffer.alloc(5_000_000, 'flow')
    const cuts = Array.from({ length: 76 }, (_, i) => i * 65_536)
    expect(read(frameOf(message), cuts).message()?.equals(message)).to.equal(true)
  })

  it('does not allocate memory for announced lengths', () => {
    const before = process.memoryUsage().arrayBuffers
    const bodies = Array.from({ length: 20 }, () => read(Buffer.from([0, 0x3f, 0xff, 0xff, 0xff, 1]), []))
    expect(process.memoryUsage().arrayBuffers - before).to.be.lessThan(64 * 1024 * 1024)
    expect(bodies[0]?.progress()).to.equal('1 of 1073741823 bytes')
  })

  it('copies data so that a response does not retain its buffer', () => {
    const chunk = Buffer.alloc(65_536)
    frameOf(Buffer.alloc(2000)).copy(chunk)
    const message = read(chunk.subarray(0, 2005), []).message()
    expect(message?.buffer.byteLength).to.equal(2000)
  })

  it('reports the length once, as soon as the prefix is complete', () => {
    const lengths: number[] = []
    const body = new UnaryBody((bytes) => lengths.push(bytes))
    const frame = frameOf(Buffer.alloc(300))
    body.add(frame.subarray(0, 4))
    expect(lengths).to.deep.equal([])
    body.add(frame.subarray(4, 5))
    expect(lengths).to.deep.equal([300])
    body.add(frame.subarray(5))
    expect(lengths).to.deep.equal([300])
  })

  it('rejects compressed messages, several messages and messages over 1 GiB', () => {
    expect(read(Buffer.from([1, 0, 0, 0, 0]), []).fault?.code).to.equal('INTERNAL')
    const two = Buffer.concat([frameOf(Buffer.from('a')), frameOf(Buffer.from('b'))])
    for (const cuts of [[], [6, 8]]) expect(read(two, cuts).fault?.code).to.equal('INTERNAL')
    const huge = read(Buffer.from([0, 0x40, 0, 0, 1, 7]), [])
    expect(huge.fault?.code).to.equal('RESOURCE_EXHAUSTED')
    expect(huge.message()).to.equal(undefined)
  })
})
