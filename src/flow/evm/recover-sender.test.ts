import { expect } from 'chai'
import fc from 'fast-check'
import secp256k1 from 'secp256k1'
import { addressOf, anyKey, anyWord } from './evm-transactions.test-support.ts'
import { recoverSender } from './recover-sender.ts'
import type { EvmSignature } from './recover-sender.ts'

const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

function bytesOf(number: bigint): Buffer {
  const digits = number.toString(16)
  return number === 0n ? Buffer.of() : Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
}

describe('recoverSender', () => {
  const signingHash = Buffer.alloc(32, 7)
  const key = Buffer.alloc(32, 9)
  const { signature, recid } = secp256k1.ecdsaSign(signingHash, key)
  const [r, s] = [numberOf(signature.subarray(0, 32)), numberOf(signature.subarray(32))]
  const parity = recid === 0 ? 0 : 1
  const valid: EvmSignature = { signingHash, r: bytesOf(r), s: bytesOf(s), parity }

  it('recovers the signer of any content', () => {
    fc.assert(
      fc.property(anyKey, anyWord, (anyOne, word) => {
        const message = Buffer.from(word, 'hex')
        const signed = secp256k1.ecdsaSign(message, anyOne)
        const found = recoverSender({
          signingHash: message,
          parity: signed.recid === 0 ? 0 : 1,
          r: bytesOf(numberOf(signed.signature.subarray(0, 32))),
          s: bytesOf(numberOf(signed.signature.subarray(32))),
        })
        expect(found).to.equal(addressOf(anyOne))
      }),
      { numRuns: 100 },
    )
  })

  it('rejects the higher of the two s values, although a key would match', () => {
    expect(recoverSender(valid)).to.equal(addressOf(key))
    const larger = { ...valid, s: bytesOf(order - s), parity: parity === 0 ? 1 : 0 } as const
    expect(recoverSender(larger)).to.equal(undefined)
  })

  it('accepts s up to half of the curve order', () => {
    expect(recoverSender({ ...valid, s: bytesOf(order / 2n) })).to.be.a('string')
    expect(recoverSender({ ...valid, s: bytesOf(order / 2n + 1n) })).to.equal(undefined)
  })

  for (const [what, changed] of [
    ['no r', { r: bytesOf(0n) }],
    ['no s', { s: bytesOf(0n) }],
    ['r over the order', { r: bytesOf(order) }],
    ['r at the end of the numbers', { r: Buffer.alloc(32, 0xff) }],
    ['r on no point', { r: bytesOf(5n) }],
  ] as const) {
    it(`returns undefined for ${what}`, () => {
      expect(recoverSender({ ...valid, ...changed })).to.equal(undefined)
    })
  }
})
