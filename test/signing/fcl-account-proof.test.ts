import { createRequire } from 'node:module'
import { expect } from 'chai'
import fc from 'fast-check'
import { hexOf, concatBytes } from '../../clients/signing/bytes.ts'
import { domainTag } from '../../clients/signing/encode-transaction.ts'
import { encodeAccountProof, signAccountProof, verifyAccountProof } from '../../clients/signing/fcl-account-proof.ts'
import { signUserMessage } from '../../clients/signing/sign-transaction.ts'
import { SigningError } from '../../clients/signing/signing-error.ts'
import { softPasskey } from './soft-passkey.ts'

// The package's types refer to packages that it does not depend on.
const { WalletUtils } = createRequire(import.meta.url)('@onflow/fcl-core') as {
  readonly WalletUtils: { encodeAccountProof(proof: object): string }
}

const hex = (min: number, max: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: min, maxLength: max }).map((bytes) => Buffer.from(bytes).toString('hex'))
const proof = { appIdentifier: 'https://app.example', nonce: 'ab'.repeat(32) }
const address = '0xf8d6e0586b0a20c7'

describe('account proof', () => {
  it('encodes the same bytes as FCL', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 }).filter((text) => !/^0x/i.test(text)),
        hex(8, 8),
        hex(32, 80),
        (appIdentifier, account, nonce) => {
          const expected = WalletUtils.encodeAccountProof({ appIdentifier, address: `0x${account}`, nonce })
          expect(
            hexOf(
              concatBytes(
                domainTag('accountProof'),
                encodeAccountProof({ appIdentifier, address: `0x${account}`, nonce }),
              ),
            ),
          ).to.equal(expected)
        },
      ),
    )
  })

  it('verifies with its extension data, only for its application, account and nonce', async () => {
    const passkey = softPasskey()
    const signer = {
      address,
      keyIndex: 0,
      rpId: 'wallet.example',
      credentialId: Uint8Array.of(1),
      publicKey: passkey.publicKey,
    }
    const signature = await signAccountProof(proof, signer, passkey)
    await verifyAccountProof({ ...proof, address }, signature, passkey.publicKey)
    const asMessage = await signUserMessage(encodeAccountProof({ ...proof, address }), signer, passkey)
    const wrong = [
      [{ ...proof, address, appIdentifier: 'https://other.example' }, signature],
      [{ ...proof, address: '0x01cf0e2f2f715450' }, signature],
      [{ ...proof, address, nonce: 'ac'.repeat(32) }, signature],
      [{ ...proof, address }, asMessage],
      [
        { ...proof, address },
        { ...signature, extensionData: undefined },
      ],
    ] as const
    for (const [wanted, given] of wrong) {
      expect(
        await verifyAccountProof(wanted, given, passkey.publicKey).then(
          () => undefined,
          (error: unknown) => error,
        ),
        JSON.stringify(wanted),
      ).to.be.instanceOf(SigningError)
    }
  })

  it('is rejected with a short nonce or an unnamed application', () => {
    for (const [part, field] of [
      [{ nonce: 'ab'.repeat(31) }, 'nonce'],
      [{ nonce: 'xy' }, 'nonce'],
      [{ appIdentifier: '' }, 'appIdentifier'],
      [{ appIdentifier: '0xab' }, 'appIdentifier'],
    ] as const) {
      expect(() => encodeAccountProof({ ...proof, address, ...part }))
        .to.throw(SigningError)
        .with.property('field', field)
    }
  })
})
