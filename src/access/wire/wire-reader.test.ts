import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { expect } from 'chai'
import { readBlockHeaderResponse, readBlockResponse, readCollectionResponse } from './read-block.ts'
import { readTransactionResultResponse, readTransactionResultsResponse } from './read-results.ts'
import { readTransactionResponse, readTransactionsResponse } from './read-transactions.ts'
import { recordedCalls } from './messages.test-support.ts'
import { WireError, WireReader } from './wire-reader.ts'
import fc from 'fast-check'

const readers = [
  readBlockResponse,
  readBlockHeaderResponse,
  readCollectionResponse,
  readTransactionsResponse,
  readTransactionResponse,
  readTransactionResultsResponse,
  readTransactionResultResponse,
]

/** Decodes with every reader and rethrows errors other than WireError. */
function readAll(answer: Buffer): void {
  for (const read of readers) {
    try {
      read(answer)
    } catch (error) {
      if (!(error instanceof WireError)) throw error
      expect(error.details['offset']).to.be.within(0, answer.length)
    }
  }
}

describe('WireReader', () => {
  it('returns a message or throws a WireError for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => readAll(Buffer.from(bytes))),
      { numRuns: 2000 },
    )
  })

  it('terminates on truncated or corrupted real responses', () => {
    const methods = ['GetBlockByHeight', 'GetTransactionsByBlockID', 'GetTransactionResultsByBlockID']
    const answers = methods.map((method) => recordedCalls(method)[30]?.response ?? Buffer.alloc(0))
    fc.assert(
      fc.property(fc.constantFrom(...answers), fc.nat(), fc.nat({ max: 255 }), (answer, at, byte) => {
        const place = at % answer.length
        readAll(answer.subarray(0, place))
        const changed = Buffer.from(answer)
        changed[place] = byte
        readAll(changed)
      }),
      { numRuns: 1000 },
    )
  })

  it('reads varints of any length', () => {
    const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
    fc.assert(
      fc.property(uint64, (value) => {
        const bytes = Buffer.from(new BinaryWriter().uint64(value).finish())
        expect(new WireReader(bytes).uint64()).to.equal(value)
        expect(new WireReader(bytes).uint32()).to.equal(Number(BigInt.asUintN(32, value)))
        expect(new WireReader(bytes).int32()).to.equal(Number(BigInt.asIntN(32, value)))
        if (value <= BigInt(Number.MAX_SAFE_INTEGER)) expect(new WireReader(bytes).count()).to.equal(Number(value))
        else expect(() => new WireReader(bytes).count()).to.throw(WireError, '2^53')
      }),
    )
  })

  it('reads negative numbers', () => {
    for (const value of [-1, -62_135_596_800, Number.MIN_SAFE_INTEGER]) {
      const bytes = Buffer.from(new BinaryWriter().int64(value).finish())
      expect(new WireReader(bytes).signedCount()).to.equal(value)
    }
  })

  it('skips unknown fields of every wire type, including nested groups', () => {
    const writer = new BinaryWriter()
    writer.tag(200, WireType.Varint).uint64(2n ** 64n - 1n)
    writer.tag(201, WireType.Bit64).fixed64(7n)
    writer.tag(202, WireType.LengthDelimited).string('not for us')
    writer.tag(203, WireType.StartGroup).tag(1, WireType.StartGroup).tag(9, WireType.Varint).uint32(3)
    writer.tag(1, WireType.EndGroup).tag(203, WireType.EndGroup)
    writer.tag(204, WireType.Bit32).fixed32(7)
    // A known field with the wrong wire type.
    writer.tag(1, WireType.Varint).uint32(5)
    writer.tag(1, WireType.LengthDelimited).fork().tag(3, WireType.Varint).uint64(42n).join()
    expect(readBlockResponse(Buffer.from(writer.finish())).height).to.equal(42)
  })

  it('rejects invalid encodings', () => {
    const message =
      (...bytes: number[]): (() => void) =>
      () =>
        void readTransactionsResponse(Buffer.from(bytes))
    expect(message(0x80)).to.throw(WireError, 'within a number')
    expect(message(0x08, ...Buffer.alloc(11, 0xff))).to.throw(WireError, 'longer than 10 bytes')
    expect(message(0x02, 0x00)).to.throw(WireError, 'field number 0')
    expect(message(0x0e)).to.throw(WireError, 'wire type 6')
    expect(message(0x0c)).to.throw(WireError, 'wire type 4')
    expect(message(0x0b, 0x14)).to.throw(WireError, 'not started')
    expect(message(...Buffer.alloc(100, 0x0b))).to.throw(WireError, 'too deep')
    expect(message(0x0a, 0x05, 0x00)).to.throw(WireError, 'longer than its message')
    // A transaction of 2 bytes whose script claims 3.
    expect(message(0x0a, 0x02, 0x0a, 0x03, 1, 2, 3)).to.throw(WireError, 'longer than its message')
    expect(message(0x0d, 1, 2)).to.throw(WireError, 'longer than its message')
  })

  it('accepts tags with redundant varint bytes', () => {
    const bytes = Buffer.from([0x8a, 0x80, 0x00, 0x02, 0x18, 0x07])
    expect(new BinaryReader(bytes).tag()).to.deep.equal([1, WireType.LengthDelimited])
    expect(readBlockResponse(bytes).height).to.equal(7)
  })
})
