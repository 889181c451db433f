import { counterOf, isSignedBy } from './assertion-signature.ts'
import { requireAuthenticatorData } from './authenticator-data.ts'
import type { BackupFlags } from './authenticator-data.ts'
import { readClientData } from './client-data.ts'
import type { Expected } from './client-data.ts'
import type { AssertionResponse } from './responses.ts'
import { VerificationFailure } from './verification-failure.ts'

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
export async function verifyAssertion(
  given: AssertionResponse,
  passkey: SigningPasskey,
  expected: AssertionExpected,
): Promise<VerifiedAssertion> {
  const { relyingParty, needsUserHandle } = expected
  const { response } = given
  readClientData(response.clientDataJSON, 'webauthn.get', expected)
  if (given.id !== passkey.credentialId || given.rawId !== passkey.credentialId)
    throw new VerificationFailure('credential-id')
  const { deviceType, isBackedUp } = requireAuthenticatorData(
    Buffer.from(response.authenticatorData, 'base64url'),
    relyingParty,
  )
  if (deviceType !== passkey.deviceType) throw new VerificationFailure('backup')
  const userHandle = response.userHandle ?? undefined
  const isOwner = userHandle === undefined ? !needsUserHandle : userHandle === passkey.userHandle.toString('base64url')
  if (!isOwner) throw new VerificationFailure('user-handle')
  return { counter: await requireSignature(response, passkey), isBackedUp }
}

/** @returns the signature counter @throws VerificationFailure */
async function requireSignature(
  { clientDataJSON, authenticatorData, signature }: AssertionResponse['response'],
  { publicKey }: SigningPasskey,
): Promise<number> {
  let isSigned: boolean
  let counter: number
  try {
    const data = strictBytes(authenticatorData)
    counter = await counterOf(data)
    isSigned = await isSignedBy(publicKey, {
      clientDataJSON: Buffer.from(clientDataJSON, 'base64url'),
      authenticatorData: data,
      signature: strictBytes(signature),
    })
  } catch (error) {
    throw new VerificationFailure('signature', { cause: error })
  }
  if (!isSigned) throw new VerificationFailure('signature')
  return counter
}

/** Bytes have one text: nobody sends the same signature in another one. */
function strictBytes(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url')
  if (bytes.toString('base64url') !== text) throw new Error('base64url is expected, without padding')
  return bytes
}
