import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { expect } from 'chai'
import {
  BlockHeaderResponseSchema,
  BlockResponseSchema,
  CollectionResponseSchema,
} from '../gen/flow/access/access_pb.ts'
import { readBlockHeaderResponse, readBlockResponse, readCollectionResponse } from './read-block.ts'
import { plainBlock, plainHead, randomBlockResponse, recordedCalls } from './messages.test-support.ts'
import { WireError } from './wire-reader.ts'

import fc from 'fast-check'

describe('readBlockResponse', () => {
  it('decodes every recorded block, light and full, like the generated decoder', () => {
    const calls = ['GetBlockByHeight', 'GetBlockByID', 'GetLatestBlock'].flatMap(recordedCalls)
    expect(calls.length).to.be.greaterThan(600)
    for (const { response } of calls) {
      expect(readBlockResponse(response)).to.deep.equal(plainBlock(fromBinary(BlockResponseSchema, response)))
    }
  })

  it('decodes random blocks like the generated decoder, including split blocks', () => {
    fc.assert(
      fc.property(randomBlockResponse, randomBlockResponse, (first, second) => {
        const one = Buffer.from(toBinary(BlockResponseSchema, first))
        const both = Buffer.concat([one, toBinary(BlockResponseSchema, second)])
        expect(readBlockResponse(one)).to.deep.equal(plainBlock(first))
        expect(readBlockResponse(both)).to.deep.equal(plainBlock(fromBinary(BlockResponseSchema, both)))
      }),
      { numRuns: 200 },
    )
  })

  it('returns views into the response', () => {
    const answer = recordedCalls('GetBlockByHeight')[5]?.response ?? Buffer.alloc(0)
    expect(readBlockResponse(answer).id.buffer).to.equal(answer.buffer)
  })

  it('rounds times down to the microsecond, including times before 1970', () => {
    const at = (seconds: bigint, nanos: number): number => readBlockResponse(bytesOf({ seconds, nanos })).timestampUs
    expect(at(1_700_000_000n, 123_456_789)).to.equal(1_700_000_000_123_456)
    expect(at(-1n, 999_999_999)).to.equal(-1)
    expect(at(-2n, 0)).to.equal(-2_000_000)
  })

  it('rejects times outside the exact microsecond range', () => {
    const far = bytesOf({ seconds: 253_402_300_799n, nanos: 0 })
    expect(() => readBlockResponse(far)).to.throw(WireError, 'timestamp')
  })

  it('rejects a response without a block', () => {
    expect(() => readBlockResponse(Buffer.alloc(0))).to.throw(WireError, 'without a block')
  })
})

function bytesOf(timestamp: { seconds: bigint; nanos: number }): Buffer {
  return Buffer.from(toBinary(BlockResponseSchema, create(BlockResponseSchema, { block: { timestamp } })))
}

describe('readBlockHeaderResponse', () => {
  it('decodes every recorded header like the generated decoder', () => {
    const calls = ['GetBlockHeaderByHeight', 'GetLatestBlockHeader'].flatMap(recordedCalls)
    expect(calls.length).to.be.greaterThan(280)
    for (const { response } of calls) {
      const expected = plainHead(fromBinary(BlockHeaderResponseSchema, response))
      expect(readBlockHeaderResponse(response)).to.deep.equal(expected)
    }
  })
})

describe('readCollectionResponse', () => {
  it('decodes every recorded response like the generated decoder', () => {
    const calls = recordedCalls('GetCollectionByID')
    expect(calls.length).to.be.greaterThan(240)
    for (const { response } of calls) {
      const expected = fromBinary(CollectionResponseSchema, response).collection?.transactionIds
      expect(readCollectionResponse(response)).to.deep.equal(expected?.map((id) => Buffer.from(id)))
    }
  })

  it('distinguishes an empty collection from a missing one', () => {
    expect(readCollectionResponse(Buffer.from([0x0a, 0]))).to.deep.equal([])
    expect(() => readCollectionResponse(Buffer.alloc(0))).to.throw(WireError, 'without a collection')
  })
})
