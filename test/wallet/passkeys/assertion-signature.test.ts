import { createHash, randomBytes } from 'node:crypto'
import { verifyAuthenticationResponse } from '@simplewebauthn/server'
import { expect } from 'chai'
import fc from 'fast-check'
import type { AssertionResponse } from '../../../src/wallet/passkeys/ceremonies/responses.ts'
import { VerificationFailure } from '../../../src/wallet/passkeys/ceremonies/verification-failure.ts'
import { verifyAssertion } from '../../../src/wallet/passkeys/ceremonies/verify-assertion.ts'
import { readRelyingParty } from '../../../src/wallet/passkeys/relying-party.ts'
import { assertionOf, preparePasskeys } from '../../../scripts/bench/wallet/prepared-passkeys.ts'
import type { PreparedPasskey } from '../../../scripts/bench/wallet/prepared-passkeys.ts'

const origin = 'http://localhost'
const relyingParty = readRelyingParty({ url: origin, rpId: undefined, rpName: 'Wallet', origins: [] })
const [passkey, other] = preparePasskeys(2) as [PreparedPasskey, PreparedPasskey]

interface Given {
  readonly response: AssertionResponse
  readonly challenge: string
  readonly publicKey: Buffer
}

/** The counter, or `refused`. */
async function ours({ response, challenge, publicKey }: Given): Promise<unknown> {
  const challengeHash = createHash('sha256').update(challenge).digest()
  return verifyAssertion(response, { ...passkey, publicKey }, { relyingParty, challengeHash, needsUserHandle: true }).then(({ counter }) => counter, (error: unknown) => {
    if (error instanceof VerificationFailure) return 'refused'
    throw error
  })
}

/** The same of the library that reads registrations. */
async function theirs({ response, challenge, publicKey }: Given): Promise<unknown> {
  return verifyAuthenticationResponse({
    response: { ...response, clientExtensionResults: {}, response: { ...response.response, userHandle: response.response.userHandle ?? '' } }, expectedChallenge: challenge,
    expectedOrigin: origin, expectedRPID: 'localhost', requireUserVerification: true,
    credential: { id: passkey.credentialId, publicKey: new Uint8Array(publicKey), counter: 0 },
  }).then(({ verified, authenticationInfo }) => (verified ? authenticationInfo.newCounter : 'refused'), () => 'refused')
}

function given(): Given {
  const challenge = randomBytes(32).toString('base64url')
  return { response: assertionOf(passkey, challenge), challenge, publicKey: passkey.publicKey }
}

function changed(one: Given, field: 'signature' | 'authenticatorData' | 'clientDataJSON', change: (bytes: Buffer) => Buffer): Given {
  const bytes = change(Buffer.from(one.response.response[field], 'base64url'))
  return { ...one, response: { ...one.response, response: { ...one.response.response, [field]: bytes.toString('base64url') } } }
}

describe('the signature of an assertion', () => {
  it('is taken, and gives the counter', async () => {
    const one = given()
    expect([await ours(one), await theirs(one)]).to.deep.equal([passkey.counter, passkey.counter])
    expect(await ours({ ...given(), publicKey: other.publicKey })).to.equal('refused')
  })

  it('is taken and refused as the library does it, whatever byte is another', async () => {
    const fields = fc.constantFrom('signature' as const, 'authenticatorData' as const, 'clientDataJSON' as const)
    await fc.assert(fc.asyncProperty(fields, fc.nat(), fc.integer({ min: 1, max: 255 }), async (field, place, flip) => {
      const one = changed(given(), field, (bytes) => {
        const at = place % bytes.length
        bytes[at] = (bytes[at] ?? 0) ^ flip
        return bytes
      })
      const [here, there] = [await ours(one), await theirs(one)]
      // What is refused there is refused here. Not the other way round: a signature is written in one way only.
      if (there === 'refused') expect(here).to.equal('refused')
      expect(here).to.equal('refused')
    }), { numRuns: 150 })
  })

  it('is refused with bytes behind it, and with data behind the counter that no flag names', async () => {
    for (const field of ['signature', 'authenticatorData'] as const) {
      expect(await ours(changed(given(), field, (bytes) => Buffer.concat([bytes, Buffer.of(0)]))), field).to.equal('refused')
      expect(await ours(changed(given(), field, (bytes) => bytes.subarray(0, -1))), field).to.equal('refused')
    }
    const one = given()
    const padded = { ...one, response: { ...one.response, response: { ...one.response.response, signature: `${one.response.response.signature}=` } } }
    expect(await ours(padded)).to.equal('refused')
  })

  it('is checked by a key that is written in another order, and by no key of another kind', async () => {
    const [x, y] = [passkey.publicKeySec1.subarray(1, 33), passkey.publicKeySec1.subarray(33)]
    const reordered = Buffer.concat([Buffer.from('a503260102', 'hex'), Buffer.from('225820', 'hex'), y, Buffer.from('215820', 'hex'), x, Buffer.from('2001', 'hex')])
    expect(await ours({ ...given(), publicKey: reordered })).to.equal(passkey.counter)
    for (const [from, to] of [['0326', '033901'], ['2001', '2002'], ['0102', '0101']] as const) {
      const key = Buffer.from(passkey.publicKey.toString('hex').replace(from, to), 'hex')
      expect(await ours({ ...given(), publicKey: key }), to).to.equal('refused')
    }
    const offCurve = Buffer.from(passkey.publicKey)
    offCurve[76] = (offCurve[76] ?? 0) ^ 1
    expect(await ours({ ...given(), publicKey: offCurve })).to.equal('refused')
  })
})
