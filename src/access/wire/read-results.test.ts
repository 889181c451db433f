import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { expect } from 'chai'
import fc from 'fast-check'
import { TransactionResultResponseSchema, TransactionResultsResponseSchema } from '../gen/flow/access/access_pb.ts'
import { readTransactionResultResponse, readTransactionResultsResponse } from './read-results.ts'
import { plainResult } from './testing/plain-messages.ts'
import { randomResult } from './testing/random-messages.ts'
import { recordedCalls } from './testing/recorded-answers.ts'

describe('readTransactionResultsResponse', () => {
  it('reads every recorded answer, CCF and JSON-CDC, as the generated decoder does', () => {
    const calls = recordedCalls('GetTransactionResultsByBlockID')
    expect(calls.length).to.be.greaterThan(600)
    for (const { response } of calls) {
      const expected = fromBinary(TransactionResultsResponseSchema, response).transactionResults.map(plainResult)
      expect(readTransactionResultsResponse(response)).to.deep.equal(expected)
    }
  })

  it('reads random results as the generated decoder does', () => {
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
  it('reads every recorded answer as the generated decoder does', () => {
    const methods = ['GetTransactionResultByIndex', 'GetTransactionResult', 'GetSystemTransactionResult']
    const calls = methods.flatMap(recordedCalls)
    expect(calls.length).to.be.greaterThan(800)
    for (const { response } of calls) {
      const expected = plainResult(fromBinary(TransactionResultResponseSchema, response))
      expect(readTransactionResultResponse(response)).to.deep.equal(expected)
    }
  })

  it('calls a status that it does not know UNKNOWN', () => {
    expect(readTransactionResultResponse(Buffer.from([0x08, 99])).status).to.equal('UNKNOWN')
  })
})
