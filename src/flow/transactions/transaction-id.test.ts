import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { encode } from 'rlp'
import { transactionId } from './transaction-id.ts'
import type { BodySignature, TransactionBody } from './transaction-id.ts'

import fc from 'fast-check'

/** The same id by independent code: objects, the rlp package and a streaming hash. */
function slowTransactionId(tx: TransactionBody): Buffer {
  const address = (bytes: Buffer) => Buffer.concat([Buffer.alloc(8 - bytes.length), bytes])
  const hex = (bytes: Buffer) => address(bytes).toString('hex')
  const optional = [tx.proposerAddress, tx.payer].map(hex).filter((text) => BigInt(`0x${text}`) !== 0n)
  const signers = [...new Set([...optional, ...tx.authorizers.map(hex)])]
  const signature = (s: BodySignature) => {
    const index = signers.indexOf(hex(s.address))
    const plain = s.extensionData.length === 0 || s.extensionData.equals(Buffer.from([0]))
    return [index < 0 ? 2n ** 64n - 1n : index, s.keyId, s.signature, ...(plain ? [] : [s.extensionData])]
  }
  const encoded = encode([
    [
      tx.script,
      [...tx.arguments],
      tx.referenceBlockId.length === 0 ? Buffer.alloc(32) : tx.referenceBlockId,
      tx.gasLimit,
      address(tx.proposerAddress),
      tx.proposerKeyId,
      tx.proposerSequenceNumber,
      address(tx.payer),
      tx.authorizers.map(address),
    ],
    tx.payloadSignatures.map(signature),
    tx.envelopeSignatures.map(signature),
  ])
  return createHash('sha3-256').update(encoded).digest()
}

const bytes = (constraints: fc.IntArrayConstraints) => fc.uint8Array(constraints).map((array) => Buffer.from(array))
const fixed = (length: number) => bytes({ minLength: length, maxLength: length })
const maybe = (length: number) => fc.oneof(fixed(length), fc.constant(Buffer.alloc(0)))
const accounts = [1, 2, 3].map((last) => Buffer.from([0, 0, 0, 0, 0, 0, 0, last]))
const account = fc.oneof(fc.constantFrom(...accounts), maybe(8))
const uint64 = fc.oneof(fc.bigInt({ min: 0n, max: 300n }), fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }))
const uint32 = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 2 ** 32 - 1 }))
const extension = fc.oneof(
  bytes({ maxLength: 80 }),
  fc.constantFrom(Buffer.from([0]), Buffer.from([1]), Buffer.from([0, 0])),
)
const signatures = fc.array(
  fc.record<BodySignature>({
    address: account,
    keyId: uint32,
    signature: bytes({ maxLength: 64 }),
    extensionData: extension,
  }),
  { maxLength: 4 },
)
const bodies = fc.record<TransactionBody>({
  script: fc.oneof(
    bytes({ maxLength: 80 }),
    bytes({ minLength: 250, maxLength: 300 }),
    bytes({ minLength: 70_000, maxLength: 70_000 }),
  ),
  arguments: fc.array(bytes({ maxLength: 60 }), { maxLength: 6 }),
  referenceBlockId: maybe(32),
  gasLimit: uint64,
  proposerAddress: account,
  proposerKeyId: uint32,
  proposerSequenceNumber: uint64,
  payer: account,
  authorizers: fc.array(fc.oneof(fc.constantFrom(...accounts), fixed(8)), { maxLength: 4 }),
  payloadSignatures: signatures,
  envelopeSignatures: signatures,
})

describe('transactionId', () => {
  it('equals the result of the rlp package', () => {
    fc.assert(
      fc.property(bodies, (body) => {
        expect(transactionId(body).toString('hex')).to.equal(slowTransactionId(body).toString('hex'))
      }),
      { numRuns: 300 },
    )
  })

  it('accepts a body larger than its buffer, then a small one', () => {
    const [small] = fc.sample(bodies, { numRuns: 1, seed: 1 }) as [TransactionBody]
    const large = { ...small, script: Buffer.alloc(5_000_000, 'x') }
    expect(transactionId(large)).to.deep.equal(slowTransactionId(large))
    expect(transactionId(small)).to.deep.equal(slowTransactionId(small))
  })
})
