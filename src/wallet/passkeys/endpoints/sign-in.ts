import { z } from 'zod'
import { assertionResponse } from '../ceremonies/responses.ts'
import { VerificationFailure, verificationFailed } from '../ceremonies/verification-failure.ts'
import { webAuthn } from '../ceremonies/webauthn-library.ts'
import { functionError } from '../function-error.ts'
import { challengeMs, digestOfEmail } from '../stores/challenge-store.ts'
import { checkAssertion } from './check-assertion.ts'
import type { OpenCall } from './endpoint.ts'
import { readData, requireOwnRpId, rpId } from './read-data.ts'
import { takeChallenge } from './take-challenge.ts'

const startInput = z.object({ rpId, email: z.string().trim().min(1).max(320).optional() })

const finishInput = z.object({ rpId, challengeId: z.uuid(), response: assertionResponse })

/**
 * `/login/start`: options for a sign-in. They are the same for everybody, with an e-mail address and without: authenticators find the passkeys
 * by themselves, since all here are discoverable. So nobody learns of whom there are accounts.
 */
export async function startSignIn({ data, caller, parts: { relyingParty, challenges, audit, rates, limits } }: OpenCall): Promise<unknown> {
  const given = readData(startInput, data)
  requireOwnRpId(given.rpId, relyingParty)
  if (given.email !== undefined) await rates.take('passkey login/start of e-mail', digestOfEmail(given.email).toString('hex'), limits.begin.account)
  const challenge = await challenges.create({ kind: 'sign-in', email: given.email }, relyingParty.id)
  const { generateAuthenticationOptions } = await webAuthn()
  const options = await generateAuthenticationOptions({
    rpID: relyingParty.id, challenge: challenge.bytes, userVerification: 'required', timeout: challengeMs, allowCredentials: [],
  })
  await audit.note(caller, { event: 'authentication_started', isDone: true })
  return { options, challengeId: challenge.id }
}

/** `/login/finish`: gives what is traded at the auth server for a session. */
export async function finishSignIn({ data, caller, parts }: OpenCall): Promise<unknown> {
  const { relyingParty, sessions, audit, rates, limits } = parts
  const given = readData(finishInput, data)
  requireOwnRpId(given.rpId, relyingParty)
  const challenge = await takeChallenge({ id: given.challengeId, kind: 'sign-in' }, caller, parts)
  const { userId, credentialId } = await checkAssertion({
    response: given.response, challenge, caller, parts, userId: undefined,
    before: (passkey) => rates.take('passkey login/finish of account', passkey.userId, limits.ceremony.account),
  })
  const refused = { event: 'authentication_failed', isDone: false, userId, credentialId } as const
  const user = await sessions.findUser(userId)
  if (user === undefined) {
    await audit.note(caller, { ...refused, reason: 'unknown user' })
    throw functionError('CREDENTIAL_NOT_FOUND', 'This passkey is not known here (any more).')
  }
  if (challenge.emailHash !== null && (user.email === undefined || !digestOfEmail(user.email).equals(challenge.emailHash))) {
    await audit.note(caller, { ...refused, reason: 'other-account' })
    throw verificationFailed(new VerificationFailure('other-account'), 401)
  }
  const tokenHash = await sessions.createTokenHash(userId)
  await audit.note(caller, { event: 'authentication_completed', isDone: true, userId, credentialId })
  return { verified: true, tokenHash, email: user.email ?? null }
}
