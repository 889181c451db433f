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
  it('reads every recorded block, light and full, as the generated decoder does', () => {
    const calls = ['GetBlockByHeight', 'GetBlockByID', 'GetLatestBlock'].flatMap(recordedCalls)
    expect(calls.length).to.be.greaterThan(600)
    for (const { response } of calls) {
      expect(readBlockResponse(response)).to.deep.equal(plainBlock(fromBinary(BlockResponseSchema, response)))
    }
  })

  it('reads random blocks as the generated decoder does, also when a block comes in two parts', () => {
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

  it('gives views into the answer, not copies', () => {
    const answer = recordedCalls('GetBlockByHeight')[5]?.response ?? Buffer.alloc(0)
    expect(readBlockResponse(answer).id.buffer).to.equal(answer.buffer)
  })

  it('rounds times down to the microsecond, before 1970 too', () => {
    const at = (seconds: bigint, nanos: number): number => readBlockResponse(bytesOf({ seconds, nanos })).timestampUs
    expect(at(1_700_000_000n, 123_456_789)).to.equal(1_700_000_000_123_456)
    expect(at(-1n, 999_999_999)).to.equal(-1)
    expect(at(-2n, 0)).to.equal(-2_000_000)
  })

  it('refuses a time that microseconds cannot hold exactly', () => {
    const far = bytesOf({ seconds: 253_402_300_799n, nanos: 0 })
    expect(() => readBlockResponse(far)).to.throw(WireError, 'timestamp')
  })

  it('refuses an answer without a block', () => {
    expect(() => readBlockResponse(Buffer.alloc(0))).to.throw(WireError, 'without a block')
  })
})

function bytesOf(timestamp: { seconds: bigint; nanos: number }): Buffer {
  return Buffer.from(toBinary(BlockResponseSchema, create(BlockResponseSchema, { block: { timestamp } })))
}

describe('readBlockHeaderResponse', () => {
  it('reads every recorded header as the generated decoder does', () => {
    const calls = ['GetBlockHeaderByHeight', 'GetLatestBlockHeader'].flatMap(recordedCalls)
    expect(calls.length).to.be.greaterThan(280)
    for (const { response } of calls) {
      const expected = plainHead(fromBinary(BlockHeaderResponseSchema, response))
      expect(readBlockHeaderResponse(response)).to.deep.equal(expected)
    }
  })
})

describe('readCollectionResponse', () => {
  it('reads every recorded answer as the generated decoder does', () => {
    const calls = recordedCalls('GetCollectionByID')
    expect(calls.length).to.be.greaterThan(240)
    for (const { response } of calls) {
      const expected = fromBinary(CollectionResponseSchema, response).collection?.transactionIds
      expect(readCollectionResponse(response)).to.deep.equal(expected?.map((id) => Buffer.from(id)))
    }
  })

  it('tells an empty collection from an answer without one', () => {
    expect(readCollectionResponse(Buffer.from([0x0a, 0]))).to.deep.equal([])
    expect(() => readCollectionResponse(Buffer.alloc(0))).to.throw(WireError, 'without a collection')
  })
})
