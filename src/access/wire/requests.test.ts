import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { expect } from 'chai'
import fc from 'fast-check'
import {
  GetBlockByHeightRequestSchema,
  GetCollectionByIDRequestSchema,
  GetLatestBlockHeaderRequestSchema,
  GetTransactionByIndexRequestSchema,
  GetTransactionRequestSchema,
  GetTransactionsByBlockIDRequestSchema,
} from '../gen/flow/access/access_pb.ts'
import {
  heightRequest,
  idRequest,
  latestRequest,
  resultByIndexRequest,
  transactionRequest,
  transactionsByBlockRequest,
} from './requests.ts'
import { recordedCalls } from './messages.test-support.ts'

const id = fc.uint8Array({ maxLength: 200 })
const encoding = fc.constantFrom('ccf' as const, 'json-cdc' as const)
const number = { ccf: 1, 'json-cdc': 0 } as const

describe('requests', () => {
  it('are encoded like the generated encoder', () => {
    const height = fc.nat({ max: Number.MAX_SAFE_INTEGER })
    const index = fc.nat({ max: 0xffff_ffff })
    fc.assert(
      fc.property(height, index, id, id, id, encoding, (height, index, a, b, c, e) => {
        const expected: [Uint8Array, Uint8Array][] = [
          [
            heightRequest(height),
            toBinary(GetBlockByHeightRequestSchema, create(GetBlockByHeightRequestSchema, { height: BigInt(height) })),
          ],
          [idRequest(a), toBinary(GetCollectionByIDRequestSchema, create(GetCollectionByIDRequestSchema, { id: a }))],
          [
            transactionsByBlockRequest(a, e),
            toBinary(
              GetTransactionsByBlockIDRequestSchema,
              create(GetTransactionsByBlockIDRequestSchema, { blockId: a, eventEncodingVersion: number[e] }),
            ),
          ],
          [
            resultByIndexRequest(a, index, e),
            toBinary(
              GetTransactionByIndexRequestSchema,
              create(GetTransactionByIndexRequestSchema, { blockId: a, index, eventEncodingVersion: number[e] }),
            ),
          ],
          [
            transactionRequest(a, e, { blockId: b, collectionId: c }),
            toBinary(
              GetTransactionRequestSchema,
              create(GetTransactionRequestSchema, {
                id: a,
                blockId: b,
                collectionId: c,
                eventEncodingVersion: number[e],
              }),
            ),
          ],
        ]
        for (const [own, generated] of expected) expect(Buffer.from(own)).to.deep.equal(Buffer.from(generated))
      }),
      { numRuns: 300 },
    )
  })

  it('distinguish sealed from finalized', () => {
    const sealed = (bytes: Uint8Array): boolean => fromBinary(GetLatestBlockHeaderRequestSchema, bytes).isSealed
    expect(sealed(latestRequest(true))).to.equal(true)
    expect(sealed(latestRequest(false))).to.equal(false)
  })

  it('match the requests recorded against a real node', () => {
    const sent = (method: string): Set<string> =>
      new Set(recordedCalls(method).map(({ request }) => request.toString('hex')))
    const hex = (request: Uint8Array): string => Buffer.from(request).toString('hex')
    expect(sent('GetBlockByHeight')).to.include(hex(heightRequest(200)))
    const blocks = sent('GetTransactionResultsByBlockID')
    for (const request of sent('GetTransactionsByBlockID')) {
      const { blockId } = fromBinary(GetTransactionsByBlockIDRequestSchema, Buffer.from(request, 'hex'))
      expect(blocks).to.include(hex(transactionsByBlockRequest(blockId, 'ccf')))
      expect(blocks).to.include(hex(transactionsByBlockRequest(blockId, 'json-cdc')))
    }
  })
})
