import type { ChainAccount } from '../../chain/chain-reader.ts'

/** Keys that are remembered: some 5 MB. */
export const maxSeenKeys = 20_000

/** Accounts that are remembered of one key. */
export const maxAccountsOfKey = 20

/**
 * Which accounts had a key when the chain was asked about them. The index knows the keys that indexed transactions added; those that
 * accounts had before are known to nodes alone, which find no account by its key. The keys seen longest ago are dropped first.
 */
export class SeenKeys {
  readonly #accounts = new Map<string, Set<string>>()

  add({ address, keys }: ChainAccount): void {
    for (const { publicKey } of keys) {
      const accounts = this.#accounts.get(publicKey) ?? new Set<string>()
      this.#accounts.delete(publicKey)
      this.#accounts.set(publicKey, accounts)
      if (accounts.size < maxAccountsOfKey) accounts.add(address)
      const [oldest] = this.#accounts.keys()
      if (this.#accounts.size > maxSeenKeys && oldest !== undefined) this.#accounts.delete(oldest)
    }
  }

  /** @param publicKey hex digits in lower case */
  accountsOf(publicKey: string): readonly string[] {
    return [...(this.#accounts.get(publicKey) ?? [])]
  }
}
