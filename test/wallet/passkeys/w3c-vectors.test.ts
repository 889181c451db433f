import { createECDH, createHash } from 'node:crypto'
import {
  decodeAttestationObject,
  decodeCredentialPublicKey,
  parseAuthenticatorData,
} from '@simplewebauthn/server/helpers'
import { expect } from 'chai'
import { sec1KeyOf, VerificationFailure, verifyAssertion } from '../../../src/wallet/passkeys/webauthn.ts'
import { verifyRegistration } from '../../../src/wallet/passkeys/register.ts'
import { readRelyingParty } from '../../../src/wallet/passkeys/relying-party.ts'
import { readRepositoryFile } from '../../support/repository.ts'

interface Vector {
  readonly title: string
  readonly registration: {
    readonly challenge: string
    readonly credential_id: string
    readonly clientDataJSON: string
    readonly attestationObject: string
    readonly credential_private_key?: string
  }
  readonly authentication: {
    readonly challenge: string
    readonly clientDataJSON: string
    readonly authenticatorData: string
    readonly signature: string
  }
}

/**
 * Expected outcome of each vector: `good`, or the reason for rejection. Some vectors use unverified
 * users, frames or certificates.
 */
const outcomes: Readonly<Record<string, readonly [registration: string, authentication: string]>> = {
  'ES256 Credential with No Attestation': ['user-verification', 'user-verification'],
  'ES256 Credential with Self Attestation': ['good', 'user-verification'],
  'ES256 Credential with "crossOrigin": true in clientDataJSON': ['cross-origin', 'cross-origin'],
  'ES256 Credential with "topOrigin" in clientDataJSON': ['cross-origin', 'cross-origin'],
  'ES256 Credential with very long credential ID': ['user-verification', 'good'],
  'Packed Attestation with ES256 Credential': ['attestation', 'good'],
  'TPM Attestation with ES256 Credential': ['attestation', 'good'],
  'Android Key Attestation with ES256 Credential': ['attestation', 'user-verification'],
  'Apple Anonymous Attestation with ES256 Credential': ['attestation', 'user-verification'],
  'FIDO U2F Attestation with ES256 Credential': ['attestation', 'user-verification'],
  'Packed Attestation with RS256 Credential': ['attestation', 'user-verification'],
}

const base64Url = (hex: string): string => Buffer.from(hex, 'hex').toString('base64url')
const hashOf = (challenge: string): Buffer => createHash('sha256').update(base64Url(challenge)).digest()

describe('WebAuthn Level 3 test vectors', () => {
  const text = readRepositoryFile('test/wallet/passkeys/w3c-test-vectors.json')
  const { rpId, origin, vectors } = JSON.parse(text) as {
    readonly rpId: string
    readonly origin: string
    readonly vectors: readonly Vector[]
  }
  const relyingParty = readRelyingParty({ url: origin, rpId, rpName: 'Test', origins: [] })

  const outcomeOf = async (attempt: Promise<unknown>): Promise<string> => {
    try {
      await attempt
      return 'good'
    } catch (error) {
      if (error instanceof VerificationFailure) return error.reason
      throw error
    }
  }

  const register = (
    { registration }: Vector,
    clientDataJSON = registration.clientDataJSON,
  ): ReturnType<typeof verifyRegistration> => {
    const id = base64Url(registration.credential_id)
    const response = {
      clientDataJSON: base64Url(clientDataJSON),
      attestationObject: base64Url(registration.attestationObject),
    }
    return verifyRegistration(
      { id, rawId: id, type: 'public-key', response },
      { relyingParty, challengeHash: hashOf(registration.challenge) },
    )
  }

  const keyOf = ({ registration }: Vector): Buffer => {
    const data = decodeAttestationObject(new Uint8Array(Buffer.from(registration.attestationObject, 'hex'))).get(
      'authData',
    )
    const { credentialPublicKey } = parseAuthenticatorData(data)
    if (credentialPublicKey === undefined) throw new Error('the vector has no key')
    return Buffer.from(credentialPublicKey)
  }

  const sign = (vector: Vector, signature = vector.authentication.signature): ReturnType<typeof verifyAssertion> => {
    const { authentication, registration } = vector
    const id = base64Url(registration.credential_id)
    const response = {
      clientDataJSON: base64Url(authentication.clientDataJSON),
      authenticatorData: base64Url(authentication.authenticatorData),
      signature: base64Url(signature),
    }
    const isOfSeveral = (Number.parseInt(authentication.authenticatorData.slice(64, 66), 16) & 0x08) !== 0
    const passkey = {
      credentialId: id,
      publicKey: keyOf(vector),
      deviceType: isOfSeveral ? ('multiDevice' as const) : ('singleDevice' as const),
      userHandle: Buffer.alloc(32),
    }
    const expected = { relyingParty, challengeHash: hashOf(authentication.challenge), needsUserHandle: false }
    return verifyAssertion({ id, rawId: id, type: 'public-key', response }, passkey, expected)
  }

  it('include all vectors with ES256 keys, and one with RS256', () => {
    expect(vectors.map(({ title }) => title)).to.have.members(Object.keys(outcomes))
  })

  for (const vector of vectors) {
    const [registration = '', authentication = ''] = outcomes[vector.title] ?? []
    it(`${vector.title}: registration ${registration}, authentication ${authentication}`, async () => {
      expect([await outcomeOf(register(vector)), await outcomeOf(sign(vector))]).to.deep.equal([
        registration,
        authentication,
      ])
    })
  }

  it('yield the public keys of their private keys', () => {
    for (const vector of vectors.filter(({ title }) => title.includes('ES256'))) {
      const curve = createECDH('prime256v1')
      curve.setPrivateKey(vector.registration.credential_private_key ?? '', 'hex')
      const key: unknown = decodeCredentialPublicKey(new Uint8Array(keyOf(vector)))
      expect(sec1KeyOf(key as ReadonlyMap<unknown, unknown>).toString('hex'), vector.title).to.equal(
        curve.getPublicKey('hex'),
      )
    }
    const [rsa] = vectors.filter(({ title }) => title.includes('RS256'))
    const key: unknown = rsa === undefined ? undefined : decodeCredentialPublicKey(new Uint8Array(keyOf(rsa)))
    expect(() => sec1KeyOf(key as ReadonlyMap<unknown, unknown>))
      .to.throw(VerificationFailure)
      .with.property('reason', 'algorithm')
  })

  it('are rejected after any single-bit change', async () => {
    const self = vectors.find(({ title }) => title.includes('Self'))
    const long = vectors.find(({ title }) => title.includes('very long'))
    if (self === undefined || long === undefined) throw new Error('the vectors are not there')
    const made = await register(self)
    expect(made.credentialId).to.equal(base64Url(self.registration.credential_id))
    const flipped = (hex: string, at: number): string => {
      const bytes = Buffer.from(hex, 'hex')
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
      return bytes.toString('hex')
    }
    const signatureBytes = long.authentication.signature.length / 2
    for (let at = 4; at < signatureBytes; at += 7)
      expect(await outcomeOf(sign(long, flipped(long.authentication.signature, at))), String(at)).to.equal('signature')
    const attestation = self.registration.attestationObject
    for (const at of [40, 60, attestation.length / 2 - 1]) {
      const changed = { ...self, registration: { ...self.registration, attestationObject: flipped(attestation, at) } }
      expect(await outcomeOf(register(changed)), String(at)).to.not.equal('good')
    }
    expect(await outcomeOf(register(self, flipped(self.registration.clientDataJSON, 40)))).to.equal('challenge')
  })
})
