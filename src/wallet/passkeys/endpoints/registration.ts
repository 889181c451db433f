import { z } from 'zod'
import { ApiError } from '../../../base/errors.ts'
import { authenticatorName } from '../ceremonies/authenticator-names.ts'
import { registrationResponse } from '../ceremonies/responses.ts'
import { es256 } from '../ceremonies/sec1-key.ts'
import { VerificationFailure, verificationFailed } from '../ceremonies/verification-failure.ts'
import { verifyRegistration } from '../ceremonies/verify-registration.ts'
import { webAuthn } from '../ceremonies/webauthn-library.ts'
import { functionError } from '../function-error.ts'
import { challengeMs } from '../stores/challenge-store.ts'
import { requireRoom } from '../stores/passkey-store.ts'
import { confirmation, descriptorsOf, requireConfirmedOrRecent } from './confirmation.ts'
import { digestOfChange } from '../user-change.ts'
import type { SessionCall } from './endpoint.ts'
import { readData, requireOwnRpId, rpId, shortName } from './read-data.ts'
import { takeChallenge } from './take-challenge.ts'

const startInput = z.object({
  rpId,
  /** Of other servers of this function; the name is a setting here. */
  rpName: z.string().max(200).optional(),
  walletName: shortName.optional(),
  confirmation,
})

const finishInput = z.object({
  rpId,
  challengeId: z.uuid(),
  response: registrationResponse,
  authenticatorName: shortName.optional(),
})

const addition = { action: 'add-passkey' } as const

/** `/register/start`: options for a new passkey of the user. A user who has one confirms it by that. */
export async function startRegistration(call: SessionCall): Promise<unknown> {
  const {
    data,
    signedIn: { user },
    caller,
    parts: { relyingParty, passkeys, challenges, audit },
  } = call
  const given = readData(startInput, data)
  requireOwnRpId(given.rpId, relyingParty)
  const isConfirmed = await requireConfirmedOrRecent(call, addition, given.confirmation)
  const own = await passkeys.descriptors(user.id, relyingParty.id)
  requireRoom(own.length)
  const handle = await passkeys.handleOf(user.id)
  const challenge = await challenges.create(
    { kind: 'registration', userId: user.id, actionHash: isConfirmed ? digestOfChange(addition) : undefined },
    relyingParty.id,
  )
  const { generateRegistrationOptions } = await webAuthn()
  const options = await generateRegistrationOptions({
    rpID: relyingParty.id,
    rpName: relyingParty.name,
    challenge: challenge.bytes,
    timeout: challengeMs,
    userID: handle,
    userName: user.email ?? given.walletName ?? relyingParty.name,
    userDisplayName: given.walletName ?? user.email ?? relyingParty.name,
    attestationType: 'none',
    supportedAlgorithmIDs: [es256],
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    excludeCredentials: descriptorsOf(own),
  })
  await audit.note(caller, { event: 'registration_started', isDone: true, userId: user.id })
  return { options, challengeId: challenge.id }
}

/** `/register/finish`: keeps the passkey that was made. */
export async function finishRegistration({ data, signedIn: { user }, caller, parts }: SessionCall): Promise<unknown> {
  const { relyingParty, passkeys, audit, sessions } = parts
  const given = readData(finishInput, data)
  requireOwnRpId(given.rpId, relyingParty)
  const challenge = await takeChallenge({ id: given.challengeId, kind: 'registration', userId: user.id }, caller, parts)
  const about = { userId: user.id, credentialId: given.response.id }
  try {
    const made = await verifyRegistration(given.response, { relyingParty, challengeHash: challenge.hash })
    const name = given.authenticatorName ?? authenticatorName(made.aaguid)
    const passkey = await passkeys.add(
      user.id,
      relyingParty.id,
      {
        ...made,
        name,
        isConfirmed: challenge.actionHash !== null,
      },
      async (client) => {
        if (!(await sessions.holdUser(client, user.id)))
          throw functionError('UNAUTHORIZED', 'The account was removed meanwhile.')
        await audit.note(caller, { ...about, event: 'registration_completed', isDone: true }, client)
        await parts.tellOwner(client, user.email, 'added', caller)
      },
    )
    parts.deliverMails()
    return { verified: true, credentialId: passkey.id, publicKeySec1Hex: made.publicKeySec1.toString('hex'), passkey }
  } catch (error) {
    const reason =
      error instanceof VerificationFailure ? error.reason : error instanceof ApiError ? error.code : undefined
    if (reason !== undefined)
      await audit.note(caller, { ...about, event: 'registration_failed', isDone: false, reason })
    throw error instanceof VerificationFailure ? verificationFailed(error, 422) : error
  }
}
