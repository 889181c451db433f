import { fromBinary } from '@bufbuild/protobuf'
import { expect } from 'chai'
import { CollectionResponseSchema } from '../gen/flow/access/access_pb.ts'
import { readCollectionResponse } from './read-collection.ts'
import { recordedCalls } from './testing/recorded-answers.ts'
import { WireError } from './wire-error.ts'

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
