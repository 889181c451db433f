import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { base64UrlOf } from '../../clients/signing/bytes.ts'
import type { Bytes } from '../../clients/signing/bytes.ts'
import type { Assertion, AssertionRequest } from '../../clients/signing/passkey.ts'

/** A software passkey that signs as an authenticator does. */
export function softPasskey({
  flags = 0x1d,
  rest = Buffer.alloc(0),
  mutateClientData = (data: object): object => data,
} = {}): {
  readonly publicKey: Bytes
  readonly getCredential: (request: AssertionRequest) => Promise<Assertion>
  readonly requested: AssertionRequest[]
} {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const requested: AssertionRequest[] = []
  return {
    requested,
    publicKey: Uint8Array.from(publicKey.export({ type: 'spki', format: 'der' }).subarray(-65)),
    getCredential: async (request) => {
      requested.push(request)
      const { challenge } = request.publicKey
      const clientDataJSON = Buffer.from(
        JSON.stringify(
          mutateClientData({
            type: 'webauthn.get',
            challenge: base64UrlOf(challenge),
            origin: 'https://wallet.example',
            crossOrigin: false,
          }),
        ),
      )
      const authenticatorData = Buffer.concat([
        createHash('sha256').update('wallet.example').digest(),
        Buffer.of(flags, 0, 0, 0, 7),
        rest,
      ])
      const signature = sign(
        'sha256',
        Buffer.concat([authenticatorData, createHash('sha256').update(clientDataJSON).digest()]),
        privateKey,
      )
      return { response: { authenticatorData, clientDataJSON, signature } }
    },
  }
}
