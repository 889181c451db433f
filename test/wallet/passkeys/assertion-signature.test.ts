import { createHash, randomBytes, sign } from 'node:crypto'
import { verifyAuthenticationResponse } from '@simplewebauthn/server'
import { expect } from 'chai'
import fc from 'fast-check'
import type { AssertionResponse } from '../../../src/wallet/passkeys/webauthn.ts'
import { VerificationFailure, verifyAssertion } from '../../../src/wallet/passkeys/webauthn.ts'
import { readRelyingParty } from '../../../src/wallet/passkeys/relying-party.ts'
import { assertionOf, preparePasskeys } from '../../../scripts/bench/prepared-passkeys.ts'
import type { PreparedPasskey } from '../../../scripts/bench/prepared-passkeys.ts'

const origin = 'http://localhost'
const relyingParty = readRelyingParty({ url: origin, rpId: undefined, rpName: 'Wallet', origins: [] })
const [passkey, other] = preparePasskeys(2) as [PreparedPasskey, PreparedPasskey]

interface Given {
  readonly response: AssertionResponse
  readonly challenge: string
  readonly publicKey: Buffer
}

/** Verifies with the wallet's code. Returns the counter or `refused`. */
async function ours({ response, challenge, publicKey }: Given): Promise<unknown> {
  const challengeHash = createHash('sha256').update(challenge).digest()
  return verifyAssertion(
    response,
    { ...passkey, publicKey },
    { relyingParty, challengeHash, needsUserHandle: true },
  ).then(
    ({ counter }) => counter,
    (error: unknown) => {
      if (error instanceof VerificationFailure) return 'refused'
      throw error
    },
  )
}

/** Verifies with the library that verifies registrations. */
async function theirs({ response, challenge, publicKey }: Given): Promise<unknown> {
  return verifyAuthenticationResponse({
    response: {
      ...response,
      clientExtensionResults: {},
      response: { ...response.response, userHandle: response.response.userHandle ?? '' },
    },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: 'localhost',
    requireUserVerification: true,
    credential: { id: passkey.credentialId, publicKey: new Uint8Array(publicKey), counter: 0 },
  }).then(
    ({ verified, authenticationInfo }) => (verified ? authenticationInfo.newCounter : 'refused'),
    () => 'refused',
  )
}

function given(): Given {
  const challenge = randomBytes(32).toString('base64url')
  return { response: assertionOf(passkey, challenge), challenge, publicKey: passkey.publicKey }
}

function changed(
  one: Given,
  field: 'signature' | 'authenticatorData' | 'clientDataJSON',
  change: (bytes: Buffer) => Buffer,
): Given {
  const bytes = change(Buffer.from(one.response.response[field], 'base64url'))
  return {
    ...one,
    response: { ...one.response, response: { ...one.response.response, [field]: bytes.toString('base64url') } },
  }
}

describe('assertion signature', () => {
  it('is accepted and returns the counter', async () => {
    const one = given()
    expect([await ours(one), await theirs(one)]).to.deep.equal([passkey.counter, passkey.counter])
    expect(await ours({ ...given(), publicKey: other.publicKey })).to.equal('refused')
  })

  it('is rejected whenever the library rejects it, for any changed byte', async () => {
    const fields = fc.constantFrom('signature' as const, 'authenticatorData' as const, 'clientDataJSON' as const)
    await fc.assert(
      fc.asyncProperty(fields, fc.nat(), fc.integer({ min: 1, max: 255 }), async (field, place, flip) => {
        const one = changed(given(), field, (bytes) => {
          const at = place % bytes.length
          bytes[at] = (bytes[at] ?? 0) ^ flip
          return bytes
        })
        const [here, there] = [await ours(one), await theirs(one)]
        // The wallet rejects all that the library rejects, and more: it accepts only one encoding
        // of a signature.
        if (there === 'refused') expect(here).to.equal('refused')
        expect(here).to.equal('refused')
      }),
      { numRuns: 150 },
    )
  })

  it('is rejected with trailing bytes, and with extension data without its flag', async () => {
    for (const field of ['signature', 'authenticatorData'] as const) {
      expect(await ours(changed(given(), field, (bytes) => Buffer.concat([bytes, Buffer.of(0)]))), field).to.equal(
        'refused',
      )
      expect(await ours(changed(given(), field, (bytes) => bytes.subarray(0, -1))), field).to.equal('refused')
    }
    const one = given()
    const padded = {
      ...one,
      response: {
        ...one.response,
        response: { ...one.response.response, signature: `${one.response.response.signature}=` },
      },
    }
    expect(await ours(padded)).to.equal('refused')
  })

  it('is rejected in any other encoding, and with integers out of range', async () => {
    const order = Buffer.from('ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551', 'hex')
    const integer = (bytes: Buffer): Buffer => Buffer.concat([Buffer.of(2, bytes.length), bytes])
    const sequence = (...parts: readonly Buffer[]): Buffer =>
      Buffer.concat([Buffer.of(0x30, Buffer.concat(parts).length), ...parts])
    const split = (der: Buffer): [Buffer, Buffer] => {
      const end = 4 + der.readUInt8(3)
      return [der.subarray(4, end), der.subarray(end + 2)]
    }
    const minimal = (value: Buffer): Buffer =>
      value.readUInt8(0) >= 0x80 ? Buffer.concat([Buffer.of(0), value]) : value
    const ways: Readonly<Record<string, (r: Buffer, s: Buffer, der: Buffer) => Buffer>> = {
      'length in two bytes': (_r, _s, der) => Buffer.concat([Buffer.of(0x30, 0x81), der.subarray(1)]),
      'length without end': (_r, _s, der) => Buffer.concat([Buffer.of(0x30, 0x80), der.subarray(2), Buffer.of(0, 0)]),
      'needless zero': (r, s) => sequence(integer(Buffer.concat([Buffer.of(0), r])), integer(s)),
      'no zero before a high bit': (r, s) =>
        sequence(integer(r.readUInt8(0) === 0 ? r.subarray(1) : Buffer.from(r).fill(0xff, 0, 1)), integer(s)),
      'three integers': (r, s) => sequence(integer(r), integer(s), integer(Buffer.of(1))),
      'one integer': (r) => sequence(integer(r)),
      'another tag': (r, s) => sequence(integer(r), Buffer.concat([Buffer.of(4, s.length), s])),
      'raw bytes': (r, s) =>
        Buffer.concat([r, s].map((value) => Buffer.concat([Buffer.alloc(32), value]).subarray(-32))),
      'r of 0': (_r, s) => sequence(integer(Buffer.of(0)), integer(s)),
      's of 0': (r) => sequence(integer(r), integer(Buffer.of(0))),
      'both of 0': () => sequence(integer(Buffer.of(0)), integer(Buffer.of(0))),
      'r of the order': (_r, s) => sequence(integer(minimal(order)), integer(s)),
      's of the order': (r) => sequence(integer(r), integer(minimal(order))),
      nothing: () => Buffer.of(0x30, 0),
    }
    for (const [what, write] of Object.entries(ways)) {
      const one = changed(given(), 'signature', (der) => write(...split(der), der))
      expect(await ours(one), what).to.equal('refused')
    }
    expect(
      await ours(changed(given(), 'signature', (der) => sequence(...split(der).map(integer)))),
      'as it was',
    ).to.equal(passkey.counter)
  })

  it('covers the signed client data, using the last of duplicate fields', async () => {
    const signedOver = (text: (challenge: string) => string): Given => {
      const one = given()
      const clientData = Buffer.from(text(one.challenge))
      const data = Buffer.from(one.response.response.authenticatorData, 'base64url')
      const signature = sign(
        'sha256',
        Buffer.concat([data, createHash('sha256').update(clientData).digest()]),
        passkey.privateKey,
      )
      return {
        ...one,
        response: {
          ...one.response,
          response: {
            ...one.response.response,
            clientDataJSON: clientData.toString('base64url'),
            signature: signature.toString('base64url'),
          },
        },
      }
    }
    const fields = (challenge: string): string =>
      `"type":"webauthn.get","challenge":"${challenge}","origin":"${origin}"`
    expect(await ours(signedOver((challenge) => `{${fields(challenge)}}`))).to.equal(passkey.counter)
    for (const [what, text] of [
      [
        'another challenge behind the right one',
        (challenge: string): string => `{${fields(challenge)},"challenge":"x"}`,
      ],
      [
        'another type behind the right one',
        (challenge: string): string => `{${fields(challenge)},"type":"webauthn.create"}`,
      ],
      [
        'another origin behind the right one',
        (challenge: string): string => `{${fields(challenge)},"origin":"http://localhost:1"}`,
      ],
      ['a name that is not a field', (challenge: string): string => `{"__proto__":{${fields(challenge)}}}`],
      ['a mark before it', (challenge: string): string => `\ufeff{${fields(challenge)}}`],
      ['something behind it', (challenge: string): string => `{${fields(challenge)}}{}`],
      ['a frame, as a text', (challenge: string): string => `{${fields(challenge)},"crossOrigin":"false"}`],
      ['a list around it', (challenge: string): string => `[{${fields(challenge)}}]`],
    ] as const)
      expect(await ours(signedOver(text)), what).to.equal('refused')
  })

  it('is verified with a key in any field order, and with no key of another type', async () => {
    const [x, y] = [passkey.publicKeySec1.subarray(1, 33), passkey.publicKeySec1.subarray(33)]
    const reordered = Buffer.concat([
      Buffer.from('a503260102', 'hex'),
      Buffer.from('225820', 'hex'),
      y,
      Buffer.from('215820', 'hex'),
      x,
      Buffer.from('2001', 'hex'),
    ])
    expect(await ours({ ...given(), publicKey: reordered })).to.equal(passkey.counter)
    for (const [from, to] of [
      ['0326', '033901'],
      ['2001', '2002'],
      ['0102', '0101'],
    ] as const) {
      const key = Buffer.from(passkey.publicKey.toString('hex').replace(from, to), 'hex')
      expect(await ours({ ...given(), publicKey: key }), to).to.equal('refused')
    }
    const offCurve = Buffer.from(passkey.publicKey)
    offCurve[76] = (offCurve[76] ?? 0) ^ 1
    expect(await ours({ ...given(), publicKey: offCurve })).to.equal('refused')
  })
})
