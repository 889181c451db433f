import { fromBinary } from '@bufbuild/protobuf'
import { expect } from 'chai'
import fc from 'fast-check'
import { TransactionSchema } from '../access/gen/flow/entities/transaction_pb.ts'
import type { SignatureMessage } from '../access/messages.ts'
import { CopyWriter } from '../platform/db/copy/copy-writer.ts'
import { blockOf } from './blocks.test-support.ts'
import { writeSignatures } from './write-signatures.ts'

const bytes = (maxLength: number) => fc.uint8Array({ maxLength }).map((content) => Buffer.from(content))
const signature: fc.Arbitrary<SignatureMessage> = fc.record({
  address: bytes(20),
  keyId: fc.oneof(fc.nat(200), fc.integer({ min: 0, max: 2 ** 32 - 1 })),
  signature: bytes(300),
  extensionData: bytes(20_000),
})

/** The field as it is sent: undefined for null. */
function written(payloadSignatures: SignatureMessage[], envelopeSignatures: SignatureMessage[]): Buffer | undefined {
  const [transaction] = blockOf(1, { transactions: [{ body: { payloadSignatures, envelopeSignatures } }] }).transactions
  const rows = new CopyWriter(1)
  if (transaction !== undefined) writeSignatures(rows, transaction)
  const field = rows.out.view()
  const length = field.readInt32BE(0)
  expect(field.length).to.equal(4 + Math.max(0, length))
  return length < 0 ? undefined : field.subarray(4)
}

describe('writing signatures', () => {
  it('gives what the schema of the chain reads back', () => {
    const some = fc.array(signature, { maxLength: 4 })
    fc.assert(
      fc.property(some, some, (payload, envelope) => {
        fc.pre(payload.length + envelope.length > 0)
        const read = fromBinary(TransactionSchema, written(payload, envelope) ?? Buffer.alloc(0))
        const plain = (all: typeof read.payloadSignatures): SignatureMessage[] =>
          all.map((one) => ({
            address: Buffer.from(one.address),
            keyId: one.keyId,
            signature: Buffer.from(one.signature),
            extensionData: Buffer.from(one.extensionData),
          }))
        expect(plain(read.payloadSignatures)).to.deep.equal(payload)
        expect(plain(read.envelopeSignatures)).to.deep.equal(envelope)
        expect(read.$unknown).to.equal(undefined)
      }),
      { numRuns: 200 },
    )
  })

  it('is null where there are none', () => {
    expect(written([], [])).to.equal(undefined)
  })
})
