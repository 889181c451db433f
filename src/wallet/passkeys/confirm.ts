import { createHash } from 'node:crypto'
import { z } from 'zod'
import { userChange } from '../auth/user-changes.ts'
import type { UserChange } from '../auth/user-changes.ts'
import { checkAssertion, assertionResponse, webAuthn } from './webauthn.ts'
import { challengeMs, takeChallenge } from './challenges.ts'
import { functionError, readData, requireOwnRpId, rpId } from './endpoint.ts'
import type { OpenCall, PasskeyParts, SessionCall } from './endpoint.ts'
import type { Caller } from './passkey-audit.ts'
import { confirmationMissing } from './passkey-store.ts'
import type { KnownPasskey } from './passkey-store.ts'

/** How long after a sign-in a user without passkeys may add the first one, ms. */
const recentMs = 15 * 60_000

/** `confirmation` of a change: the answer to the options of `/passkeys/confirm`. */
export const confirmation = z.object({ challengeId: z.uuid(), response: assertionResponse }).optional()

const input = z.object({ rpId, change: userChange })

/** `/passkeys/confirm`: options for an assertion that confirms one change, by one of the user's passkeys. */
export async function startConfirmation({ data, signedIn: { user }, caller, parts }: SessionCall): Promise<unknown> {
  const { relyingParty, passkeys, challenges, audit } = parts
  const given = readData(input, data)
  requireOwnRpId(given.rpId, relyingParty)
  const own = await passkeys.descriptors(user.id, relyingParty.id)
  if (own.length === 0) throw functionError('CREDENTIAL_NOT_FOUND', 'You have no passkey to confirm by: sign in again.')
  const challenge = await challenges.create(
    { kind: 'confirmation', userId: user.id, actionHash: digestOfChange(given.change) },
    relyingParty.id,
  )
  const { generateAuthenticationOptions } = await webAuthn()
  const options = await generateAuthenticationOptions({
    rpID: relyingParty.id,
    challenge: challenge.bytes,
    userVerification: 'required',
    timeout: challengeMs,
    allowCredentials: descriptorsOf(own),
  })
  await audit.note(caller, { event: 'authentication_started', isDone: true, userId: user.id, reason: 'confirmation' })
  return { options, challengeId: challenge.id }
}

/** A change that waits for its confirmation. */
interface ToConfirm {
  readonly userId: string
  readonly change: UserChange
  readonly given: z.output<typeof confirmation>
  readonly caller: Caller
  readonly parts: PasskeyParts
}

/**
 * Checks that a user with a passkey confirms a change by an assertion for this very change. A session is not enough,
 * however new: whoever reads the user's mailbox has one.
 * @returns false: the user has no passkey to confirm by
 * @throws ApiError 403 `REAUTHENTICATION_REQUIRED`, and what checking the assertion throws
 */
export async function requireConfirmed({ userId, change, given, caller, parts }: ToConfirm): Promise<boolean> {
  const { passkeys, relyingParty, audit } = parts
  if (given === undefined) {
    if (await passkeys.hasAny(userId, relyingParty.id)) throw confirmationMissing()
    return false
  }
  const challenge = await takeChallenge(
    { id: given.challengeId, kind: 'confirmation', userId, actionHash: digestOfChange(change) },
    caller,
    parts,
  )
  const found = await passkeys.signer(given.response.id, relyingParty.id)
  const passkey = await checkAssertion({ response: given.response, challenge, caller, parts, userId, found })
  await audit.note(caller, {
    event: 'authentication_completed',
    isDone: true,
    userId,
    credentialId: passkey.credentialId,
    reason: `confirmation: ${change.action}`,
  })
  return true
}

/**
 * The same, where users without a passkey must have signed in lately. @throws ApiError 403 `REAUTHENTICATION_REQUIRED`
 */
export async function requireConfirmedOrRecent(
  { signedIn, caller, parts }: SessionCall,
  change: UserChange,
  given: ToConfirm['given'],
): Promise<boolean> {
  const isConfirmed = await requireConfirmed({ userId: signedIn.user.id, change, given, caller, parts })
  if (isConfirmed || Date.now() - signedIn.authenticatedAt.getTime() <= recentMs) return isConfirmed
  throw functionError('REAUTHENTICATION_REQUIRED', 'You signed in more than 15 minutes ago: sign in again.')
}

/**
 * Checks that the user gives up the accounts that would be lost without some passkeys.
 * @throws ApiError 409 `ONLY_KEY` with the addresses as `accounts`
 */
export async function requireAbandoned(
  userId: string,
  leaving: readonly KnownPasskey[],
  abandoned: readonly string[],
  { parts, signal }: Pick<OpenCall, 'parts' | 'signal'>,
): Promise<void> {
  const lost = await parts.keysOnChain.lostWithout(userId, leaving, signal)
  const named = addressesOf(abandoned)
  if (lost.every((address) => named.includes(address.toLowerCase()))) return
  throw functionError(
    'ONLY_KEY',
    `Nobody could sign for ${lost.join(', ')} any more. Add the key of another passkey or wallet to the account ` +
      'first, or name the account in "abandon".',
    { details: { facts: { accounts: lost } } },
  )
}

/** As the library takes them. */
export function descriptorsOf(
  own: readonly { readonly id: string; readonly transports: readonly string[] }[],
): { id: string; transports: Transports }[] {
  return own.map(({ id, transports }) => ({ id, transports: [...transports] as Transports }))
}

/** Browsers ignore those that they do not know. */
type Transports = ('ble' | 'cable' | 'hybrid' | 'internal' | 'nfc' | 'smart-card' | 'usb')[]

/** SHA-256 of a change: an assertion for one confirms no other one. */
export function digestOfChange(change: UserChange): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([change.action, ...objectOf(change)]))
    .digest()
}

function objectOf(change: UserChange): readonly string[] {
  switch (change.action) {
    case 'add-passkey':
      return []
    case 'remove-passkey':
      return [change.credentialId, ...addressesOf(change.abandon)]
    case 'change-email':
      return [change.email.trim().toLowerCase()]
    case 'delete-user':
  }
  return addressesOf(change.abandon)
}

/** Addresses in one form and order. */
function addressesOf(given: readonly string[]): readonly string[] {
  return [...new Set(given.map((address) => address.toLowerCase()))].toSorted()
}
