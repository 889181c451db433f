import { expect } from 'chai'
import { EventTypeCache, readTransactionResultResponse, readTransactionResultsResponse } from './read-results.ts'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { TransactionResultResponseSchema, TransactionResultsResponseSchema } from '../gen/flow/access/access_pb.ts'
import { plainResult, randomResult, recordedCalls } from './messages.test-support.ts'

import fc from 'fast-check'

describe('EventTypeCache', () => {
  it('returns the decoded text even if types collide in a small table', () => {
    const cache = new EventTypeCache(8)
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 600 }), fc.nat({ max: 9 }), (text, offset) => {
        const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(text), Buffer.from('beyond')])
        expect(cache.text(bytes, offset, bytes.length - 6)).to.equal(Buffer.from(text).toString())
      }),
      { numRuns: 1000 },
    )
  })

  it('copies the bytes so that the response is not retained', () => {
    const cache = new EventTypeCache()
    const answer = Buffer.from('A.1654653399040a61.FlowToken.TokensDeposited')
    const again = Buffer.from(answer)
    cache.text(answer, 0, answer.length)
    answer.fill(0)
    expect(cache.text(again, 0, again.length)).to.equal('A.1654653399040a61.FlowToken.TokensDeposited')
    expect(cache.text(answer, 0, answer.length)).to.equal('\0'.repeat(answer.length))
  })
})

describe('readTransactionResultsResponse', () => {
  it('decodes every recorded response, CCF and JSON-CDC, like the generated decoder', () => {
    const calls = recordedCalls('GetTransactionResultsByBlockID')
    expect(calls.length).to.be.greaterThan(600)
    for (const { response } of calls) {
      const expected = fromBinary(TransactionResultsResponseSchema, response).transactionResults.map(plainResult)
      expect(readTransactionResultsResponse(response)).to.deep.equal(expected)
    }
  })

  it('decodes random results like the generated decoder', () => {
    fc.assert(
      fc.property(fc.array(randomResult, { maxLength: 4 }), (transactionResults) => {
        const answer = toBinary(
          TransactionResultsResponseSchema,
          create(TransactionResultsResponseSchema, { transactionResults }),
        )
        expect(readTransactionResultsResponse(Buffer.from(answer))).to.deep.equal(transactionResults.map(plainResult))
      }),
      { numRuns: 200 },
    )
  })
})

describe('readTransactionResultResponse', () => {
  it('decodes every recorded response like the generated decoder', () => {
    const methods = ['GetTransactionResultByIndex', 'GetTransactionResult', 'GetSystemTransactionResult']
    const calls = methods.flatMap(recordedCalls)
    expect(calls.length).to.be.greaterThan(800)
    for (const { response } of calls) {
      const expected = plainResult(fromBinary(TransactionResultResponseSchema, response))
      expect(readTransactionResultResponse(response)).to.deep.equal(expected)
    }
  })

  it('maps unknown statuses to UNKNOWN', () => {
    expect(readTransactionResultResponse(Buffer.from([0x08, 99])).status).to.equal('UNKNOWN')
  })
})
