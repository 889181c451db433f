import { createHash } from 'node:crypto'
import { z } from 'zod'
import { userChange } from '../auth/user-changes.ts'
import type { UserChange } from '../auth/user-changes.ts'
import { checkAssertion, assertionResponse, webAuthn } from './webauthn.ts'
import { challengeMs, consumeChallenge } from './challenges.ts'
import { functionError, readData, requireOwnRpId, rpId } from './endpoint.ts'
import type { OpenCall, PasskeyParts, SessionCall } from './endpoint.ts'
import type { Caller } from './passkey-audit.ts'
import { confirmationMissing } from './passkey-store.ts'
import type { KnownPasskey } from './passkey-store.ts'

/** Time after a sign-in to add the first passkey, ms. */
export const recentMs = 15 * 60_000

export const confirmation = z.object({ challengeId: z.uuid(), response: assertionResponse }).optional()

const input = z.object({ rpId, change: userChange })

export async function startConfirmation({ data, signedIn: { user }, caller, parts }: SessionCall): Promise<unknown> {
  const { relyingParty, passkeys, challenges, audit } = parts
  const given = readData(input, data)
  requireOwnRpId(given.rpId, relyingParty)
  const own = await passkeys.descriptors(user.id, relyingParty.id)
  if (own.length === 0)
    throw functionError('CREDENTIAL_NOT_FOUND', 'You have no passkey to confirm with. Sign in again.')
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

interface ToConfirm {
  readonly userId: string
  readonly change: UserChange
  readonly given: z.output<typeof confirmation>
  readonly caller: Caller
  readonly parts: PasskeyParts
}

/**
 * A session is not enough: anyone who reads the user's mailbox can get one. @returns false: the
 * user has no passkey. @throws ApiError 403 `REAUTHENTICATION_REQUIRED`
 */
export async function requireConfirmed({ userId, change, given, caller, parts }: ToConfirm): Promise<boolean> {
  const { passkeys, relyingParty, audit } = parts
  if (given === undefined) {
    if (await passkeys.hasAny(userId, relyingParty.id)) throw confirmationMissing()
    return false
  }
  const challenge = await consumeChallenge(
    { id: given.challengeId, kind: 'confirmation', userId, actionHash: digestOfChange(change) },
    caller,
    parts,
  )
  const found = await passkeys.signer(given.response.id, relyingParty.id)
  const passkey = await checkAssertion({ response: given.response, challenge, caller, parts, userId, found })
  if (
    'abandon' in change &&
    change.abandon.length > 0 &&
    (await parts.recovery.isLimited(userId, passkey.credentialId))
  )
    throw functionError(
      'RECOVERED_PASSKEY',
      'A passkey from a recovery by e-mail, or later, cannot give up accounts. Confirm with an older passkey.',
    )
  await parts.recovery.cancel(userId, passkey.credentialId)
  await audit.note(caller, {
    event: 'authentication_completed',
    isDone: true,
    userId,
    credentialId: passkey.credentialId,
    reason: `confirmation: ${change.action}`,
  })
  return true
}

/** @throws ApiError 403 `REAUTHENTICATION_REQUIRED` */
export async function requireConfirmedOrRecent(
  { signedIn, caller, parts }: SessionCall,
  change: UserChange,
  given: ToConfirm['given'],
): Promise<boolean> {
  const isConfirmed = await requireConfirmed({ userId: signedIn.user.id, change, given, caller, parts })
  if (isConfirmed || Date.now() - signedIn.authenticatedAt.getTime() <= recentMs) return isConfirmed
  throw functionError('REAUTHENTICATION_REQUIRED', 'Your sign-in is older than 15 minutes. Sign in again.')
}

/**
 * The user must name accounts that become unusable. @throws ApiError 409 `ONLY_KEY` with the
 * addresses as `accounts`
 */
export async function requireAbandoned(
  userId: string,
  removing: readonly KnownPasskey[],
  abandoned: readonly string[],
  { parts, signal }: Pick<OpenCall, 'parts' | 'signal'>,
): Promise<void> {
  const lost = await parts.keysOnChain.lostWithout(userId, removing, signal)
  const named = addressesOf(abandoned)
  if (lost.every((address) => named.includes(address.toLowerCase()))) return
  throw functionError(
    'ONLY_KEY',
    `No key could sign for ${lost.join(', ')} afterwards. Add the key of another passkey or wallet to the account ` +
      'first, or name the account in "abandon".',
    { details: { facts: { accounts: lost } } },
  )
}

export function descriptorsOf(
  own: readonly { readonly id: string; readonly transports: readonly string[] }[],
): { id: string; transports: Transports }[] {
  return own.map(({ id, transports }) => ({ id, transports: [...transports] as Transports }))
}

/** Browsers ignore unknown transports. */
type Transports = ('ble' | 'cable' | 'hybrid' | 'internal' | 'nfc' | 'smart-card' | 'usb')[]

export function digestOfChange(change: UserChange): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([change.action, ...objectOf(change)]))
    .digest()
}

function objectOf(change: UserChange): readonly string[] {
  switch (change.action) {
    case 'add-passkey':
      return []
    case 'email-recovery':
      return [String(change.isEnabled)]
    case 'accept-device':
      return [change.credentialId]
    case 'remove-passkey':
      return [change.credentialId, ...addressesOf(change.abandon)]
    case 'make-api-key':
      return [change.name.trim()]
    case 'change-email':
      return [change.email.trim().toLowerCase()]
    case 'delete-user':
  }
  return addressesOf(change.abandon)
}

function addressesOf(given: readonly string[]): readonly string[] {
  return [...new Set(given.map((address) => address.toLowerCase()))].toSorted()
}
