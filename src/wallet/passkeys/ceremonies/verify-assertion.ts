import { rawSignatureOf } from '../../../../clients/signing/der-signature.ts'
import { requireAuthenticatorData } from './authenticator-data.ts'
import type { BackupFlags } from './authenticator-data.ts'
import { readClientData } from './client-data.ts'
import type { Expected } from './client-data.ts'
import type { AssertionResponse } from './responses.ts'
import { VerificationFailure } from './verification-failure.ts'
import { webAuthn } from './webauthn-library.ts'

/** Of a passkey, what its signatures are checked by. */
export interface SigningPasskey {
  readonly credentialId: string
  /** COSE. */
  readonly publicKey: Buffer
  readonly deviceType: BackupFlags['deviceType']
  /** Of its owner. */
  readonly userHandle: Buffer
}

export interface VerifiedAssertion {
  /** To be compared with what was seen before, where it is kept. */
  readonly counter: number
  readonly isBackedUp: boolean
}

export interface AssertionExpected extends Expected {
  /** Whether the authenticator has to say whose passkey it is: where nobody was named before. */
  readonly needsUserHandle: boolean
}

/** Checks what a passkey signed: now, for us, by a verified user. @throws VerificationFailure */
export async function verifyAssertion(given: AssertionResponse, passkey: SigningPasskey, expected: AssertionExpected): Promise<VerifiedAssertion> {
  const { relyingParty, needsUserHandle } = expected
  const { response } = given
  const { challenge, origin } = readClientData(response.clientDataJSON, 'webauthn.get', expected)
  if (given.id !== passkey.credentialId || given.rawId !== passkey.credentialId) throw new VerificationFailure('credential-id')
  const { deviceType, isBackedUp } = requireAuthenticatorData(Buffer.from(response.authenticatorData, 'base64url'), relyingParty)
  if (deviceType !== passkey.deviceType) throw new VerificationFailure('backup')
  const userHandle = response.userHandle ?? undefined
  const isOwner = userHandle === undefined ? !needsUserHandle : userHandle === passkey.userHandle.toString('base64url')
  if (!isOwner) throw new VerificationFailure('user-handle')
  requireStrictSignature(response.signature)
  const { clientDataJSON, authenticatorData, signature } = response
  const signed = { clientDataJSON, authenticatorData, signature }
  const { verifyAuthenticationResponse } = await webAuthn()
  const verified = await verifyAuthenticationResponse({
    response: { id: given.id, rawId: given.rawId, type: given.type, clientExtensionResults: {}, response: signed },
    expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: relyingParty.id, requireUserVerification: true,
    // The library looks at counters before signatures, so that anybody could have a passkey taken for a copy. They are compared where they are kept.
    credential: { id: passkey.credentialId, publicKey: new Uint8Array(passkey.publicKey), counter: 0 },
  }).catch((error: unknown) => {
    throw new VerificationFailure('signature', { cause: error })
  })
  if (!verified.verified) throw new VerificationFailure('signature')
  return { counter: verified.authenticationInfo.newCounter, isBackedUp }
}

/** The library takes signatures with bytes after their end too, so that one could be written in many ways. */
function requireStrictSignature(text: string): void {
  try {
    rawSignatureOf(new Uint8Array(Buffer.from(text, 'base64url')))
  } catch (error) {
    throw new VerificationFailure('signature', { cause: error })
  }
}
