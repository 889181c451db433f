import { z } from 'zod'
import { assertionResponse } from '../ceremonies/responses.ts'
import { webAuthn } from '../ceremonies/webauthn-library.ts'
import { functionError } from '../function-error.ts'
import { challengeMs } from '../stores/challenge-store.ts'
import { checkAssertion } from './check-assertion.ts'
import type { SessionCall } from './endpoint.ts'
import { readData, requireOwnRpId, rpId } from './read-data.ts'
import { takeChallenge } from './take-challenge.ts'

/** How long after a sign-in people may add and remove passkeys without a confirmation, ms. */
const recentMs = 15 * 60_000

/** What stands in `confirmation` of what changes passkeys: the answer to the options of `/passkeys/confirm`. */
export const confirmation = z.object({ challengeId: z.uuid(), response: assertionResponse }).optional()

const input = z.object({ rpId })

/** `/passkeys/confirm`: options for a signature that confirms a change, by one of the passkeys that the user has. */
export async function startConfirmation({ data, signedIn: { user }, caller, parts }: SessionCall): Promise<unknown> {
  const { relyingParty, passkeys, challenges, audit } = parts
  requireOwnRpId(readData(input, data).rpId, relyingParty)
  const own = await passkeys.descriptors(user.id, relyingParty.id)
  if (own.length === 0) throw functionError('CREDENTIAL_NOT_FOUND', 'You have no passkey to confirm by: sign in again.')
  const challenge = await challenges.create({ kind: 'confirmation', userId: user.id }, relyingParty.id)
  const { generateAuthenticationOptions } = await webAuthn()
  const options = await generateAuthenticationOptions({
    rpID: relyingParty.id, challenge: challenge.bytes, userVerification: 'required', timeout: challengeMs, allowCredentials: descriptorsOf(own),
  })
  await audit.note(caller, { event: 'authentication_started', isDone: true, userId: user.id, reason: 'confirmation' })
  return { options, challengeId: challenge.id }
}

/**
 * Who changes passkeys has proved lately who they are: by the session, or by a signature for this very change. A session that was left open
 * on a machine of others is not enough.
 * @throws ApiError 403 `REAUTHENTICATION_REQUIRED`, and what checking the signature throws
 */
export async function requireRecent({ signedIn, caller, parts }: SessionCall, given: z.output<typeof confirmation>): Promise<void> {
  if (given === undefined) {
    if (Date.now() - signedIn.authenticatedAt.getTime() <= recentMs) return
    throw functionError('REAUTHENTICATION_REQUIRED', 'You signed in more than 15 minutes ago: confirm by a passkey (/passkeys/confirm), or sign in again.')
  }
  const userId = signedIn.user.id
  const challenge = await takeChallenge({ id: given.challengeId, kind: 'confirmation', userId }, caller, parts)
  const found = await parts.passkeys.signer(given.response.id, parts.relyingParty.id)
  const passkey = await checkAssertion({ response: given.response, challenge, caller, parts, userId, found })
  await parts.audit.note(caller, { event: 'authentication_completed', isDone: true, userId, credentialId: passkey.credentialId, reason: 'confirmation' })
}

/** As the library takes them. */
export function descriptorsOf(own: readonly { readonly id: string; readonly transports: readonly string[] }[]): { id: string; transports: Transports }[] {
  return own.map(({ id, transports }) => ({ id, transports: [...transports] as Transports }))
}

/** Browsers ignore those that they do not know. */
type Transports = ('ble' | 'cable' | 'hybrid' | 'internal' | 'nfc' | 'smart-card' | 'usb')[]
