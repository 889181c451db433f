import type { ChainAccount, ChainKey } from '../contract.ts'

/** A passkey that may be a key of an account. */
export interface SigningPasskey {
  /** base64url. */
  readonly credentialId: string
  /** 130 hex digits. */
  readonly publicKeySec1Hex: string
  /** When somebody signed in by it; undefined or null: never, or nobody knows. */
  readonly lastUsedAt?: string | null | undefined
}

/** The key of an account that is a passkey's: it has to be good, and to sign alone. */
export function keyOfPasskey({ keys }: ChainAccount, publicKeySec1Hex: string): ChainKey | undefined {
  const digits = publicKeySec1Hex.replace(/^04/, '').toLowerCase()
  return keys.find(
    (key) =>
      key.public_key.toLowerCase() === digits &&
      !key.is_revoked &&
      key.weight >= 1000 &&
      key.signature_algorithm === 'ECDSA_P256' &&
      key.hash_algorithm === 'SHA2_256',
  )
}

/**
 * The passkeys of somebody that can sign for an account alone, the likeliest first: the one that was used in this browser, or else the one by which they signed
 * in last, wherever that was. A browser is asked for one only, and says no to one that is on another device.
 * @param account that for which it was made first, and the others
 * @param here the passkey that was used in this browser last
 */
export function signersFor(
  account: SigningPasskey & { readonly others: readonly SigningPasskey[] },
  state: ChainAccount,
  here: string | undefined,
): readonly (SigningPasskey & { readonly key: ChainKey })[] {
  const good = [account, ...account.others].flatMap(({ credentialId, publicKeySec1Hex, lastUsedAt }) => {
    const key = keyOfPasskey(state, publicKeySec1Hex)
    return key === undefined ? [] : [{ credentialId, publicKeySec1Hex, lastUsedAt, key }]
  })
  const rank = ({ credentialId, lastUsedAt }: SigningPasskey): number =>
    credentialId === here ? Infinity : Date.parse(lastUsedAt ?? '') || 0
  return good.toSorted((a, b) => (rank(a) === rank(b) ? 0 : rank(b) - rank(a)))
}
