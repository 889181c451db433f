import { createHash, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import {
  assertionResponse,
  registrationResponse,
  VerificationFailure,
  verifyAssertion,
} from '../../../src/wallet/passkeys/webauthn.ts'
import { verifyRegistration } from '../../../src/wallet/passkeys/register.ts'
import { readRelyingParty } from '../../../src/wallet/passkeys/relying-party.ts'
import { cborOf } from '../support/cbor.ts'
import type { Cbor } from '../support/cbor.ts'
import { origin, rpId } from '../support/passkey-world.ts'
import { SoftAuthenticator } from '../support/soft-authenticator.ts'

const relyingParty = readRelyingParty({ url: origin, rpId, rpName: 'Wallet', origins: [] })
const challenge = randomBytes(32).toString('base64url')
const expected = { relyingParty, challengeHash: createHash('sha256').update(challenge).digest() }
const authenticator = new SoftAuthenticator(origin)
const handle = randomBytes(32).toString('base64url')
const made = authenticator.create({
  challenge,
  rp: { id: rpId, name: '' },
  user: { id: handle, name: '', displayName: '' },
  pubKeyCredParams: [],
})
const signed = authenticator.get({ challenge, rpId })
const base64Url = fc
  .uint8Array({ minLength: 1, maxLength: 300 })
  .map((bytes) => Buffer.from(bytes).toString('base64url'))

/** The same bytes with some changed, removed or added. */
const changed = (text: string): fc.Arbitrary<string> => {
  const bytes = Buffer.from(text, 'base64url')
  const flipped = fc
    .array(fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 4 })
    .map((changes) => {
      const copy = Buffer.from(bytes)
      for (const [at, by] of changes) copy.writeUInt8(copy.readUInt8(at) ^ by, at)
      return copy
    })
  const cut = fc.nat(bytes.length - 2).map((length) => bytes.subarray(0, length + 1))
  const longer = fc.uint8Array({ minLength: 1, maxLength: 50 }).map((more) => Buffer.concat([bytes, more]))
  return fc
    .oneof(flipped, cut, longer)
    .filter((other) => !other.equals(bytes))
    .map((other) => other.toString('base64url'))
}

/** Outcome of an attempt. Errors other than a refusal are thrown, which fails the test. */
async function outcomeOf<T>(attempt: Promise<T>): Promise<T | 'refused'> {
  try {
    return await attempt
  } catch (error) {
    if (error instanceof VerificationFailure) return 'refused'
    throw error
  }
}

describe('hostile passkey data', () => {
  const register = (response: object): Promise<unknown> =>
    outcomeOf(
      verifyRegistration(
        registrationResponse.parse({ ...made, response: { ...made.response, ...response } }),
        expected,
      ),
    )

  it('is rejected without a crash for any attestation', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(base64Url, changed(made.response.attestationObject)), async (attestationObject) => {
        const outcome = await register({ attestationObject })
        // A change of unsigned bits may be accepted, but must not change the credential.
        if (outcome !== 'refused') expect(outcome).to.include({ credentialId: made.id })
      }),
      { numRuns: 1500 },
    )
  })

  it('is rejected without a crash for any client data', async () => {
    const json = fc.json().map((text) => Buffer.from(text).toString('base64url'))
    await fc.assert(
      fc.asyncProperty(fc.oneof(base64Url, json, changed(made.response.clientDataJSON)), async (clientDataJSON) => {
        const outcome = await register({ clientDataJSON })
        if (outcome === 'refused') return
        const read = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()) as object
        expect(read).to.include({ challenge, origin, type: 'webauthn.create' })
      }),
      { numRuns: 1500 },
    )
  })

  it('is rejected without a crash for any signed data', async () => {
    const passkey = {
      credentialId: made.id,
      publicKey: Buffer.alloc(0),
      deviceType: 'multiDevice' as const,
      userHandle: Buffer.from(handle, 'base64url'),
    }
    const { publicKey } = await verifyRegistration(registrationResponse.parse(made), expected)
    const verify = (response: object): Promise<unknown> =>
      outcomeOf(
        verifyAssertion(
          assertionResponse.parse({ ...signed, response: { ...signed.response, ...response } }),
          { ...passkey, publicKey },
          { ...expected, needsUserHandle: true },
        ),
      )
    expect(await verify({})).to.include({ counter: 1 })
    const { clientDataJSON, authenticatorData, signature } = signed.response
    const wrong = fc.oneof(
      fc.record({ clientDataJSON: fc.oneof(base64Url, changed(clientDataJSON)) }),
      fc.record({ authenticatorData: fc.oneof(base64Url, changed(authenticatorData)) }),
      fc.record({ signature: fc.oneof(base64Url, changed(signature)) }),
      fc.record({ userHandle: changed(handle) }),
    )
    await fc.assert(
      fc.asyncProperty(wrong, async (response) => {
        expect(await verify(response)).to.equal('refused')
      }),
      { numRuns: 2000 },
    )
  })

  it('is rejected at any nesting depth and declared length', async () => {
    const deep = Buffer.concat([Buffer.alloc(12_000, 0x81), Buffer.of(0)])
    const claims = Buffer.from('bbffffffffffffffff', 'hex')
    const withData = (data: Uint8Array): Buffer =>
      cborOf(
        new Map<string, Cbor>([
          ['fmt', 'none'],
          ['attStmt', new Map()],
          ['authData', data],
        ]),
      )
    const head = Buffer.concat([
      createHash('sha256').update(rpId).digest(),
      Buffer.of(0xdd, 0, 0, 0, 0),
      Buffer.alloc(16),
      Buffer.of(0, 16),
      Buffer.alloc(16, 1),
    ])
    for (const bytes of [
      deep,
      claims,
      Buffer.of(0x9f),
      Buffer.of(0x5f),
      Buffer.of(0xf6),
      withData(Buffer.concat([head, deep.subarray(0, 10_000)])),
      withData(Buffer.concat([head, claims])),
    ]) {
      expect(await register({ attestationObject: bytes.toString('base64url') })).to.equal('refused')
    }
  })
})
