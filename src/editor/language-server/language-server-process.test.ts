import { expect } from 'chai'
import fc from 'fast-check'
import { BrokenFraming, FrameReader, frameOf } from './language-server-process.ts'

describe('LSP framing', () => {
  it('decodes messages in order, for any chunking of the stream', () => {
    fc.assert(
      fc.property(fc.array(fc.json()), fc.array(fc.nat(60)), (messages, cuts) => {
        const stream = Buffer.from(messages.map(frameOf).join(''))
        const reader = new FrameReader(1_000_000)
        const read: string[] = []
        let at = 0
        for (const cut of [...cuts, stream.length]) {
          read.push(...reader.read(stream.subarray(at, at + cut)).map(String))
          at = Math.min(stream.length, at + cut)
        }
        expect(read).to.deep.equal(messages)
      }),
    )
  })

  it('accepts other headers in any case, and rejects a missing length, oversized and unterminated messages', () => {
    expect(
      new FrameReader(9).read(Buffer.from('content-type: x\r\nCONTENT-LENGTH:  2\r\n\r\n{}')).map(String),
    ).to.deep.equal(['{}'])
    for (const broken of [
      'Content-Length: many\r\n\r\n',
      'Content-Length: 10\r\n\r\n',
      'Content-Length: -1\r\n\r\n',
      '\r\n\r\n',
      'x'.repeat(2000),
    ]) {
      expect(() => new FrameReader(9).read(Buffer.from(broken)), broken.slice(0, 30)).to.throw(BrokenFraming)
    }
  })
})
