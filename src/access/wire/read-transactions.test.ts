import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { expect } from 'chai'
import { TransactionResponseSchema, TransactionsResponseSchema } from '../gen/flow/access/access_pb.ts'
import { readTransactionResponse, readTransactionsResponse } from './read-transactions.ts'
import { plainTransaction, randomTransaction, recordedCalls } from './messages.test-support.ts'
import { WireError } from './wire-reader.ts'
import fc from 'fast-check'

describe('readTransactionsResponse', () => {
  it('decodes every recorded response like the generated decoder', () => {
    const calls = recordedCalls('GetTransactionsByBlockID')
    expect(calls.length).to.be.greaterThan(300)
    for (const { response } of calls) {
      const expected = fromBinary(TransactionsResponseSchema, response).transactions.map(plainTransaction)
      expect(readTransactionsResponse(response)).to.deep.equal(expected)
    }
  })

  it('decodes random transactions like the generated decoder', () => {
    fc.assert(
      fc.property(fc.array(randomTransaction, { maxLength: 4 }), (transactions) => {
        const answer = toBinary(TransactionsResponseSchema, create(TransactionsResponseSchema, { transactions }))
        expect(readTransactionsResponse(Buffer.from(answer))).to.deep.equal(transactions.map(plainTransaction))
      }),
      { numRuns: 200 },
    )
  })
})

describe('readTransactionResponse', () => {
  it('decodes every recorded response like the generated decoder', () => {
    const calls = ['GetTransaction', 'GetSystemTransaction'].flatMap(recordedCalls)
    expect(calls.length).to.be.greaterThan(50)
    for (const { response } of calls) {
      const { transaction } = fromBinary(TransactionResponseSchema, response)
      expect(transaction).to.not.equal(undefined)
      expect(readTransactionResponse(response)).to.deep.equal(transaction && plainTransaction(transaction))
    }
  })

  it('merges a transaction split into two parts, as protobuf requires', () => {
    fc.assert(
      fc.property(randomTransaction, randomTransaction, (first, second) => {
        const both = Buffer.concat(
          [first, second].map((transaction) =>
            toBinary(TransactionResponseSchema, create(TransactionResponseSchema, { transaction })),
          ),
        )
        const { transaction } = fromBinary(TransactionResponseSchema, both)
        expect(readTransactionResponse(both)).to.deep.equal(transaction && plainTransaction(transaction))
      }),
      { numRuns: 100 },
    )
  })

  it('rejects a response without a transaction', () => {
    expect(() => readTransactionResponse(Buffer.alloc(0))).to.throw(WireError, 'without a transaction')
  })
})
