import { expect } from 'chai'
import sodium from 'libsodium-wrappers'
import { sealKey } from './seal-key.ts'

const base64 = (bytes: Uint8Array): string => sodium.to_base64(bytes, sodium.base64_variants.ORIGINAL)
const privateKey = 'c0ffee'.repeat(10) + 'beef'

describe('sealing a deployment key', () => {
  it('can be opened by the repository only, and is randomized', async () => {
    await sodium.ready
    const keys = sodium.crypto_box_keypair()
    const publicKey = base64(keys.publicKey)
    const sealed = await Promise.all([privateKey, `0x${privateKey}`].map((text) => sealKey(text, publicKey)))
    expect(new Set(sealed).size).to.equal(2)
    for (const box of sealed) {
      const bytes = sodium.from_base64(box, sodium.base64_variants.ORIGINAL)
      expect(bytes).to.have.length(112)
      expect(sodium.to_string(sodium.crypto_box_seal_open(bytes, keys.publicKey, keys.privateKey))).to.equal(privateKey)
    }
  })

  it('rejects invalid private and public keys', async () => {
    await sodium.ready
    const publicKey = base64(new Uint8Array(32).fill(9))
    for (const text of ['', 'x'.repeat(64), privateKey.slice(1), `${privateKey}0`]) {
      expect(
        await sealKey(text, publicKey).catch((error: unknown) => (error as { readonly code?: string }).code),
        text,
      ).to.equal('invalid-key')
    }
    for (const key of ['', '?', base64(new Uint8Array(31))]) {
      expect(
        await sealKey(privateKey, key).catch((error: unknown) => (error as { readonly code?: string }).code),
        key,
      ).to.equal('bad-public-key')
    }
  })
})
