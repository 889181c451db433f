import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { confirmation, requireAbandoned, requireConfirmed } from './confirm.ts'
import { readData, shortName } from './endpoint.ts'
import type { SessionCall } from './endpoint.ts'
import { confirmationMissing, unknownCredential, requireNotLast } from './passkey-store.ts'
import { credentialId } from './webauthn.ts'

const removeInput = z.object({ credentialId, confirmation, abandon: z.array(z.string().max(20)).max(300).default([]) })

const updateInput = z.object({ credentialId, authenticatorName: shortName })

const maxActivities = 100
/** Each is a query of the chain. */
const maxRemoved = 20

export async function listPasskeys({ signedIn: { user }, parts: { passkeys } }: SessionCall): Promise<unknown> {
  return { passkeys: await passkeys.list(user.id) }
}

/**
 * For the WebAuthn signal API, which makes password managers delete all others: removed passkeys
 * stay while they are keys of an account, because signing in restores them.
 */
export async function listAccepted({
  signedIn: { user },
  parts: { passkeys, keysOnChain, relyingParty, recovery },
  signal,
}: SessionCall): Promise<unknown> {
  const [live, removed, handle, pending] = await Promise.all([
    passkeys.descriptors(user.id, relyingParty.id),
    passkeys.removedOf(user.id),
    passkeys.handleOf(user.id),
    recovery.pending(user.id),
  ])
  // Password managers would delete the passkey of a recovery.
  if (removed.length > maxRemoved || pending !== undefined) return { isComplete: false }
  const needed = []
  for (const passkey of removed) if (await keysOnChain.isKey(passkey, signal)) needed.push(passkey.credentialId)
  return {
    userHandle: Buffer.from(handle).toString('base64url'),
    credentialIds: [...live.map(({ id }) => id), ...needed],
    isComplete: true,
  }
}

export async function listActivity({ signedIn: { user }, parts: { audit } }: SessionCall): Promise<unknown> {
  return { activity: await audit.of(user.id, maxActivities) }
}

/** Losses are checked before and again with the confirmation. */
export async function removePasskey(call: SessionCall): Promise<unknown> {
  const {
    data,
    signedIn: { user },
    caller,
    parts,
  } = call
  const { passkeys, audit } = parts
  const given = readData(removeInput, data)
  const about = { event: 'passkey_removed', userId: user.id, credentialId: given.credentialId } as const
  try {
    const live = await passkeys.of(user.id)
    const disconnect = live.find((one) => one.credentialId === given.credentialId)
    if (disconnect === undefined) throw unknownCredential()
    requireNotLast(live.length)
    await requireAbandoned(user.id, [disconnect], given.abandon, call)
    const change = { action: 'remove-passkey', credentialId: given.credentialId, abandon: given.abandon } as const
    // Passkeys of another relying party cannot confirm.
    if (!(await requireConfirmed({ userId: user.id, change, given: given.confirmation, caller, parts })))
      throw confirmationMissing()
    await passkeys.remove(user.id, given.credentialId, live, async (client) => {
      await audit.note(caller, { ...about, isDone: true }, client)
      await parts.notifyOwner(client, user.email, 'removed', caller)
    })
  } catch (error) {
    if (error instanceof ApiError) await audit.note(caller, { ...about, isDone: false, reason: error.code })
    throw error
  }
  parts.deliverMails()
  return { removed: true }
}

export async function updatePasskey({
  data,
  signedIn: { user },
  caller,
  parts: { passkeys, audit },
}: SessionCall): Promise<unknown> {
  const given = readData(updateInput, data)
  const about = { event: 'passkey_updated', isDone: true, userId: user.id, credentialId: given.credentialId } as const
  return {
    passkey: await passkeys.rename(user.id, given.credentialId, given.authenticatorName, (client) =>
      audit.note(caller, about, client),
    ),
  }
}
