import { expect } from 'chai'
import fc from 'fast-check'
import secp256k1 from 'secp256k1'
import { decodeEvmPayload } from '../../../src/flow/evm/decode-evm-payload.ts'
import { anyAddress, anyKey } from '../../../src/flow/evm/evm-transactions.test-support.ts'
import { recoverSender } from '../../../src/flow/evm/recover-sender.ts'
import { decodePayload } from '../../../src/flow/payload.ts'
import { readRecordedEvents } from '../../replay/recording.ts'
import { checksumAddress, coaAddress, createdAddress, keyAddress } from './evm-world.ts'
import { directCallPayload, signedPayload, signRecoverably } from './evm-payload.ts'
import type { DirectCall } from './evm-payload.ts'

const bytes = (hex: string | undefined): Buffer => Buffer.from((hex ?? '').replace('0x', ''), 'hex')

/** EVM transactions of the recorded chain. */
function recordedRuns(): Array<{ payload: Buffer; hash: string; contractAddress: string }> {
  return readRecordedEvents('base', 'calls.jsonl.gz')
    .filter(({ type }) => type.endsWith('.EVM.TransactionExecuted'))
    .map(({ type, ccf }) => {
      const { payload, hash, contractAddress } = decodePayload(type, ccf) as Record<string, string>
      return { payload: bytes(payload), hash: hash ?? '', contractAddress: contractAddress ?? '' }
    })
}

describe('simulated EVM transactions', () => {
  it('are signed so that the sender is recoverable, for any type, key and content', () => {
    const unsigned = fc.record({
      type: fc.constantFrom(0, 1, 2),
      chainId: fc.constantFrom(646, 747),
      nonce: fc.nat(),
      gasPrice: fc.nat(),
      gasLimit: fc.nat(),
      to: fc.option(anyAddress.map(bytes), { nil: undefined }),
      value: fc.bigInt({ min: 0n, max: 1n << 90n }),
      input: fc.uint8Array({ maxLength: 200 }).map((data) => Buffer.from(data)),
    })
    fc.assert(
      fc.property(unsigned, anyKey, (transaction, key) => {
        const payload = signedPayload(transaction, key)
        const read = decodeEvmPayload(payload.bytes)
        expect(read).to.deep.include({
          type: transaction.type,
          chainId: String(transaction.chainId),
          nonce: String(transaction.nonce),
          value: String(transaction.value),
          to: transaction.to?.toString('hex'),
          hash: payload.hash.toString('hex'),
        })
        expect(read?.signature && recoverSender(read.signature)).to.equal(keyAddress(key).toString('hex'))
      }),
      { numRuns: 50 },
    )
  })

  it('include direct calls with the bytes and hashes of the recorded ones', () => {
    let checked = 0
    for (const { payload, hash } of recordedRuns()) {
      const read = decodeEvmPayload(payload)
      if (read?.callType === undefined) continue
      const call: DirectCall = {
        kind: read.callType as DirectCall['kind'],
        from: bytes(read.from),
        to: read.to === undefined ? undefined : bytes(read.to),
        input: Buffer.from(read.input),
        value: BigInt(read.value),
        gasLimit: Number(read.gasLimit),
        nonce: Number(read.nonce),
      }
      const made = directCallPayload(call)
      expect(made.bytes).to.deep.equal(payload)
      expect(`0x${made.hash.toString('hex')}`).to.equal(hash)
      checked++
    }
    expect(checked).to.be.above(20)
  })

  it('create contracts and Cadence-owned accounts at the recorded addresses', () => {
    let checked = 0
    for (const { payload, contractAddress } of recordedRuns()) {
      const read = decodeEvmPayload(payload)
      if (contractAddress === '' || read === undefined || read.to !== undefined) continue
      const from = read.from ?? (read.signature === undefined ? undefined : recoverSender(read.signature))
      const address = createdAddress(bytes(from), Number(read.nonce))
      expect(checksumAddress(address).toLowerCase()).to.equal(contractAddress.toLowerCase())
      checked++
    }
    expect(checked).to.be.above(2)
    const created = readRecordedEvents('base', 'calls.jsonl.gz')
      .filter(({ type }) => type.endsWith('.EVM.CadenceOwnedAccountCreated'))
      .map(({ type, ccf }) => decodePayload(type, ccf))
    expect(created).not.to.have.lengthOf(0)
    for (const { address, uuid } of created) {
      expect(coaAddress(BigInt(uuid as string)).toString('hex')).to.equal(address)
    }
  })

  it('format contract addresses with the checksums of the recorded ones', () => {
    // Source of the second: the examples of EIP-55.
    const spelled = ['0xECa899C26872DB38145d911E3a17BeA6B095b301', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed']
    for (const text of spelled) expect(checksumAddress(bytes(text))).to.equal(text)
  })
})

const anyHash = fc.uint8Array({ minLength: 32, maxLength: 32 })

describe('signatures of the simulated EVM', () => {
  it('verify with the library, recover the signer, and have the lower s, for any hash and key', () => {
    fc.assert(
      fc.property(anyHash, anyKey, (hash, key) => {
        const { parity, r, s } = signRecoverably(hash, key)
        const signature = Buffer.concat([r, s])
        const publicKey = secp256k1.publicKeyCreate(key)
        expect(secp256k1.ecdsaVerify(signature, hash, publicKey), 'verified').to.equal(true)
        expect(secp256k1.ecdsaRecover(signature, parity, hash)).to.deep.equal(publicKey)
        expect(Buffer.from(secp256k1.signatureNormalize(new Uint8Array(signature)))).to.deep.equal(signature)
      }),
      { numRuns: 300 },
    )
  })

  it('are deterministic, and differ between keys', () => {
    fc.assert(
      fc.property(anyHash, anyKey, anyKey, (hash, key, other) => {
        fc.pre(!Buffer.from(key).equals(Buffer.from(other)))
        expect(signRecoverably(hash, key)).to.deep.equal(signRecoverably(hash, key))
        expect(signRecoverably(hash, key).s).to.not.deep.equal(signRecoverably(hash, other).s)
      }),
      { numRuns: 50 },
    )
  })
})
