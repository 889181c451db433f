import type { KnownPasskey } from './known-passkey.ts'

/** What the chain says of the passkeys of a user. Both ask access nodes. */
export interface KeysOnChain {
  /**
   * Accounts of the user for which nobody could sign any more without these passkeys: each other key of full weight is
   * revoked, or that of a passkey that was removed. An account on a network without a node counts as lost where it
   * belongs to one of these passkeys.
   * @returns addresses in text form
   * @throws ApiError 409 `ONLY_KEY` while an account is being created with one of them, 503 `INTERNAL` where the chain
   * does not answer
   */
  lostWithout(userId: string, leaving: readonly KnownPasskey[], signal: AbortSignal): Promise<readonly string[]>
  /**
   * Whether a passkey, even a removed one, is a key of full weight of one of the user's accounts. @throws ApiError 503
   * `INTERNAL`
   */
  isKey(passkey: KnownPasskey, signal: AbortSignal): Promise<boolean>
}

/** Where no accounts are kept. */
export const noKeysOnChain: KeysOnChain = {
  lostWithout: () => Promise.resolve([]),
  isKey: () => Promise.resolve(false),
}
