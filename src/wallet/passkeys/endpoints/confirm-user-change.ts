import { z } from 'zod'
import type { ConfirmUserChange } from '../../auth/user-change.ts'
import { confirmation, requireAbandoned, requireConfirmed } from './confirmation.ts'
import type { PasskeyParts } from './endpoint.ts'
import { readData } from './read-data.ts'

const input = z.object({ confirmation })

/** Confirms changes of a user by their passkeys, and has them name the accounts that are lost with all of these. */
export function confirmUserChange(partsNow: () => PasskeyParts): ConfirmUserChange {
  return {
    hasPasskey: (userId) => {
      const { passkeys, relyingParty } = partsNow()
      return passkeys.hasAny(userId, relyingParty.id)
    },
    confirm: async ({ userId, change, given, client: { address, userAgent }, signal }) => {
      const parts = partsNow()
      const { confirmation: read } = readData(input, { confirmation: given ?? undefined })
      if (change.action === 'delete-user')
        await requireAbandoned(userId, await parts.passkeys.of(userId), change.abandon, { parts, signal })
      return requireConfirmed({ userId, change, given: read, caller: { address, userAgent, origin: undefined }, parts })
    },
  }
}
