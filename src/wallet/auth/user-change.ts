import { z } from 'zod'
import type { AuthClient } from './sessions/open-session.ts'

/** Accounts on the chain that a user gives up with a change, because only the passkeys that go can sign for them. */
const abandon = z.array(z.string().max(20)).max(300).default([])

/** A change that a user with a passkey confirms by an assertion for this very change. */
export const userChange = z.discriminatedUnion('action', [
  z.object({ action: z.literal('add-passkey') }),
  z.object({ action: z.literal('remove-passkey'), credentialId: z.string().max(1400), abandon }),
  z.object({ action: z.literal('change-email'), email: z.string().max(320) }),
  z.object({ action: z.literal('delete-user'), abandon }),
])
export type UserChange = z.output<typeof userChange>

/** How the wallet asks for such a confirmation. */
export interface ConfirmUserChange {
  /** Whether the user has a passkey to confirm by. */
  hasPasskey(userId: string): Promise<boolean>
  /**
   * Checks the confirmation of a change.
   * @param given as the client sent it; undefined: nothing
   * @returns false: the user has no passkey to confirm by
   * @throws ApiError 403 `reauthentication_needed` where it is missing, 409 `only_key` where the user does not abandon
   * accounts that would be lost, and what checking an assertion throws
   */
  confirm(asked: {
    readonly userId: string
    readonly change: UserChange
    readonly given: unknown
    readonly client: AuthClient
    readonly signal: AbortSignal
  }): Promise<boolean>
}
