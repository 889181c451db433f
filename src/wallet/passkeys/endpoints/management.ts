import { z } from 'zod'
import { ApiError } from '../../../base/errors.ts'
import { credentialId } from '../ceremonies/responses.ts'
import { confirmation, requireRecent } from './confirmation.ts'
import type { SessionCall } from './endpoint.ts'
import { readData, shortName } from './read-data.ts'

const removeInput = z.object({ credentialId, confirmation })

const updateInput = z.object({ credentialId, authenticatorName: shortName })

/** Lines of the audit log that their user is shown. */
const mostActivities = 100

/** `/passkeys/list` */
export async function listPasskeys({ signedIn: { user }, parts: { passkeys } }: SessionCall): Promise<unknown> {
  return { passkeys: await passkeys.list(user.id) }
}

/** `/passkeys/activity`: what happened to the passkeys of whoever is signed in, the newest first. */
export async function listActivity({ signedIn: { user }, parts: { audit } }: SessionCall): Promise<unknown> {
  return { activity: await audit.of(user.id, mostActivities) }
}

/** `/passkeys/remove`: nobody signs in by it any more. What it can do on the chain is up to the keys of the accounts there. */
export async function removePasskey(call: SessionCall): Promise<unknown> {
  const { data, signedIn: { user }, caller, parts: { passkeys, audit } } = call
  const given = readData(removeInput, data)
  const about = { event: 'passkey_removed', userId: user.id, credentialId: given.credentialId } as const
  try {
    await requireRecent(call, given.confirmation)
    await passkeys.remove(user.id, given.credentialId, (client) => audit.note(caller, { ...about, isDone: true }, client))
  } catch (error) {
    if (error instanceof ApiError) await audit.note(caller, { ...about, isDone: false, reason: error.code })
    throw error
  }
  return { removed: true }
}

/** `/passkeys/update`: gives it another name. */
export async function updatePasskey({ data, signedIn: { user }, caller, parts: { passkeys, audit } }: SessionCall): Promise<unknown> {
  const given = readData(updateInput, data)
  const about = { event: 'passkey_updated', isDone: true, userId: user.id, credentialId: given.credentialId } as const
  return { passkey: await passkeys.rename(user.id, given.credentialId, given.authenticatorName, (client) => audit.note(caller, about, client)) }
}
