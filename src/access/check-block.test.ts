import { expect } from 'chai'
import { transactionId } from '../flow/transactions/transaction-id.ts'
import { checkHeader, checkParts } from './check-block.ts'
import type { BlockMessage, TransactionMessage, TransactionResultMessage } from './messages.ts'
import { InconsistentResponseError } from './chain-source.ts'

const id = (byte: number) => Buffer.alloc(32, byte)
const none = Buffer.alloc(0)
const block: BlockMessage = { id: id(1), parentId: id(2), height: 7, timestampUs: 0, collectionIds: [id(10), id(11)] }

function body(script: string): TransactionMessage {
  return {
    script: Buffer.from(script),
    arguments: [],
    referenceBlockId: none,
    gasLimit: 0n,
    proposerAddress: none,
    proposerKeyId: 0,
    proposerSequenceNumber: 0n,
    payer: none,
    authorizers: [],
    payloadSignatures: [],
    envelopeSignatures: [],
  }
}

const bodies = ['a', 'b', 'c'].map(body)

function resultOf(
  index: number,
  collectionId: Buffer,
  transaction = bodies[index] as TransactionMessage,
): TransactionResultMessage {
  return {
    transactionId: transactionId(transaction),
    collectionId,
    status: 'SEALED',
    statusCode: 0,
    errorMessage: '',
    events: [],
    computationUsage: 0n,
  }
}

const results = [resultOf(0, id(10)), resultOf(1, id(11)), resultOf(2, id(0))]

describe('checkParts', () => {
  it('returns the ids of parts that match', () => {
    expect(checkParts(block, bodies, results, 'node')).to.deep.equal(bodies.map(transactionId))
  })

  it('accepts holes, and results without ids from old nodes', () => {
    checkParts(block, bodies, [undefined, results[1], undefined], 'node')
    checkParts(
      block,
      bodies,
      results.map((result) => ({ ...result, transactionId: none, collectionId: none })),
      'node',
    )
  })

  const inconsistentResults: Record<string, readonly TransactionResultMessage[]> = {
    'too few results': results.slice(1),
    'too many results': [...results, resultOf(2, id(0))],
    'a result of another transaction': [resultOf(0, id(10), body('d')), ...results.slice(1)],
    'a result of another block’s collection': [resultOf(0, id(12)), ...results.slice(1)],
    'collections out of order': [resultOf(0, id(11)), resultOf(1, id(10)), ...results.slice(2)],
  }
  for (const [what, received] of Object.entries(inconsistentResults)) {
    it(`rejects ${what}`, () => {
      expect(() => checkParts(block, bodies, received, 'node')).to.throw(InconsistentResponseError)
    })
  }
})

describe('checkHeader', () => {
  it('accepts only the requested block', () => {
    checkHeader(block, 7, 'node')
    expect(() => checkHeader(block, 8, 'node')).to.throw(InconsistentResponseError, /height 7/)
    expect(() => checkHeader({ ...block, id: id(1).subarray(1) }, 7, 'node')).to.throw(InconsistentResponseError)
    expect(() => checkHeader({ ...block, parentId: none }, 7, 'node')).to.throw(InconsistentResponseError)
  })
})
