import type { AssertionResponse } from '../ceremonies/responses.ts'
import { VerificationFailure, verificationFailed } from '../ceremonies/verification-failure.ts'
import { verifyAssertion } from '../ceremonies/verify-assertion.ts'
import type { VerifiedAssertion } from '../ceremonies/verify-assertion.ts'
import { functionError } from '../function-error.ts'
import type { Caller } from '../stores/caller.ts'
import type { TakenChallenge } from '../stores/challenge-store.ts'
import type { OwnedPasskey } from '../stores/passkey-store.ts'
import type { PasskeyParts } from './endpoint.ts'

export interface AssertionCheck {
  readonly response: AssertionResponse
  readonly challenge: TakenChallenge
  readonly caller: Caller
  readonly parts: PasskeyParts
  /** Who is signed in, whose passkey it has to be. Undefined: nobody is, and the authenticator says whose it is. */
  readonly userId: string | undefined
  /** The passkey that the response names; undefined: there is none (any more). */
  readonly found: OwnedPasskey | undefined
  /**
   * Notes that the passkey has signed, after all else was found right. Default: `PasskeyStore.used`.
   * @returns false where its counter is not higher than before
   */
  readonly accept?: (passkey: OwnedPasskey, verified: VerifiedAssertion) => Promise<boolean>
}

/**
 * Finds out by which passkey, and so by whom, a challenge was signed, and writes down what was refused.
 * @throws ApiError 404 `CREDENTIAL_NOT_FOUND`, by which password managers forget a passkey that was removed here; 401 or 422 `VERIFICATION_FAILED`
 */
export async function checkAssertion({
  response,
  challenge,
  caller,
  parts,
  userId,
  found,
  accept,
}: AssertionCheck): Promise<OwnedPasskey> {
  const { passkeys, audit, relyingParty } = parts
  const passkey = userId === undefined || found?.userId === userId ? found : undefined
  const refused = { isDone: false, userId: passkey?.userId ?? userId, credentialId: response.id }
  if (passkey === undefined) {
    await audit.note(caller, { ...refused, event: 'authentication_failed', reason: 'unknown passkey' })
    throw unknownPasskey()
  }
  try {
    const verified = await verifyAssertion(response, passkey, {
      relyingParty,
      challengeHash: challenge.hash,
      needsUserHandle: userId === undefined,
    })
    const isAccepted = await (accept === undefined
      ? passkeys.used(passkey.credentialId, verified)
      : accept(passkey, verified))
    if (!isAccepted) throw new VerificationFailure('counter')
  } catch (error) {
    if (!(error instanceof VerificationFailure)) throw error
    await audit.note(caller, {
      ...refused,
      event: error.reason === 'counter' ? 'counter_mismatch' : 'authentication_failed',
      reason: error.reason,
    })
    throw verificationFailed(error, userId === undefined ? 401 : 422)
  }
  return passkey
}

/** Password managers forget a passkey for which a service answers this. */
export function unknownPasskey(): Error {
  return functionError('CREDENTIAL_NOT_FOUND', 'This passkey is not known here (any more).')
}
