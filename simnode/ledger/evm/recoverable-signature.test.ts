import { expect } from 'chai'
import fc from 'fast-check'
import secp256k1 from 'secp256k1'
import { anyKey } from '../../../src/flow/evm/evm-transactions.test-support.ts'
import { signRecoverably } from './recoverable-signature.ts'

const anyHash = fc.uint8Array({ minLength: 32, maxLength: 32 })

describe('signatures of the simulated EVM', () => {
  it('are taken by the library, tell who signed, and have the lower s, for any hash and key', () => {
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

  it('are the same whenever the same is signed, and others for another key', () => {
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
