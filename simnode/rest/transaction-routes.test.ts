import { create } from '@bufbuild/protobuf'
import type { MessageInitShape } from '@bufbuild/protobuf'
import { expect } from 'chai'
import fc from 'fast-check'
import { TransactionResponseSchema } from '../../src/access/gen/flow/access/access_pb.ts'
import { TransactionSchema } from '../../src/access/gen/flow/entities/transaction_pb.ts'
import { ApiError } from '../../src/platform/errors.ts'
import { transactionJson, readTransaction } from './transaction-routes.ts'

const bytes = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length })
const some = (minLength: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength, maxLength: 80 })
const keyId = fc.nat({ max: 0xffff_ffff })
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n })
const signature = fc.record({ address: bytes(8), keyId, signature: some(1), extensionData: some(0) })
const transaction: fc.Arbitrary<MessageInitShape<typeof TransactionSchema>> = fc.record({
  script: some(1),
  arguments: fc.array(some(0), { maxLength: 4 }),
  referenceBlockId: bytes(32),
  gasLimit: uint64,
  payer: bytes(8),
  proposalKey: fc.record({ address: bytes(8), keyId, sequenceNumber: uint64 }),
  authorizers: fc.array(bytes(8), { maxLength: 4 }),
  payloadSignatures: fc.array(signature, { maxLength: 3 }),
  envelopeSignatures: fc.array(signature, { minLength: 1, maxLength: 3 }),
})

describe('REST transaction', () => {
  it('is parsed completely', () => {
    fc.assert(
      fc.property(transaction, (init) => {
        const reported = transactionJson(new Uint8Array(32), create(TransactionResponseSchema, { transaction: init }))
        const read = create(TransactionSchema, readTransaction(JSON.parse(JSON.stringify(reported))))
        expect(JSON.stringify(plain(read))).to.equal(JSON.stringify(plain(create(TransactionSchema, init))))
      }),
    )
  })

  it('may omit extension data, as signatures without any do', () => {
    const body = {
      script: 'YQ==',
      reference_block_id: '00'.repeat(32),
      gas_limit: '1',
      payer: '0x0000000000000001',
      proposal_key: { address: '0000000000000001', key_index: '0', sequence_number: '0' },
      envelope_signatures: [{ address: '0000000000000001', key_index: '0', signature: 'YQ==' }],
    }
    expect(readTransaction(body).envelopeSignatures[0]?.extensionData).to.have.length(0)
    for (const bad of [
      { payer: '1' },
      { gas_limit: '-1' },
      { gas_limit: String(2n ** 64n) },
      { script: 'YQ' },
      { reference_block_id: 'x' },
      { envelope_signatures: [] },
    ]) {
      expect(() => readTransaction({ ...body, ...bad }), JSON.stringify(bad)).to.throw(ApiError)
    }
  })

  it('is rejected if malformed', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(() => readTransaction(value)).to.throw(ApiError)
      }),
    )
  })
})

/** Bytes as hex, numbers as text. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, one]) => [name, plain(one)]),
  )
}
