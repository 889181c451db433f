import { ApiError } from '../../../base/errors.ts'

/** What was wrong with what an authenticator sent; a word for the audit log. */
export type FailureReason =
  | 'malformed'
  | 'type'
  | 'challenge'
  | 'origin'
  | 'cross-origin'
  | 'relying-party'
  | 'user-presence'
  | 'user-verification'
  | 'attestation'
  | 'algorithm'
  | 'public-key'
  | 'credential-id'
  | 'not-discoverable'
  | 'signature'
  | 'user-handle'
  | 'backup'
  | 'other-account'
  | 'counter'

const texts: Readonly<Record<FailureReason, string>> = {
  malformed: 'The response of the authenticator cannot be read.',
  type: 'The response is of another kind of ceremony.',
  challenge: 'The response answers another challenge.',
  origin: 'Pages of this origin may not use the passkeys.',
  'cross-origin': 'Passkeys cannot be used in a frame of another site.',
  'relying-party': 'The response is for another relying party.',
  'user-presence': 'The authenticator did not see that somebody was there.',
  'user-verification': 'The authenticator did not verify its user: a PIN, a fingerprint or the like is needed.',
  attestation: 'The response has an attestation that was not asked for.',
  algorithm: 'The key is not one of ES256, which is what accounts on the chain have.',
  'public-key': 'The key is no point of the curve P-256.',
  'credential-id': 'The response names another credential than the one in it.',
  'not-discoverable': 'The authenticator did not keep the passkey, so nobody could sign in by it.',
  signature: 'The response is not signed by this passkey.',
  'user-handle': 'The passkey is of another user.',
  backup: 'The passkey may be on several devices now and might not before, or the other way round.',
  'other-account': 'The passkey is not of the account that was named.',
  counter: 'The passkey was used by a copy of its authenticator: its counter has not grown.',
}

/** That what an authenticator sent is not what was asked of it. */
export class VerificationFailure extends Error {
  readonly reason: FailureReason

  constructor(reason: FailureReason, options?: { readonly cause?: unknown }) {
    super(texts[reason], options)
    this.reason = reason
  }
}

/** @param status 401 where somebody wanted to be let in, 422 where they are in */
export function verificationFailed({ reason, message }: VerificationFailure, status: 401 | 422): ApiError {
  if (reason === 'public-key') return new ApiError(422, 'NO_PUBLIC_KEY', message)
  return status === 401
    ? new ApiError(401, 'VERIFICATION_FAILED', message)
    : new ApiError(422, 'VERIFICATION_FAILED', message)
}
