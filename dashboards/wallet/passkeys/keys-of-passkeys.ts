import { keyOfPasskey } from '../chain/signing-passkey.ts'
import type { ChainAccount, ChainKey, PasskeyRow } from '../contract.ts'

type KeyedPasskey = Pick<PasskeyRow, 'id' | 'publicKeySec1Hex'>

/** The passkey that a key on the chain is of. */
export function passkeyOfKey<Passkey extends KeyedPasskey>(
  passkeys: readonly Passkey[],
  { public_key: publicKey }: Pick<ChainKey, 'public_key'>,
): Passkey | undefined {
  return passkeys.find(
    ({ publicKeySec1Hex }) => publicKeySec1Hex.replace(/^04/, '').toLowerCase() === publicKey.toLowerCase(),
  )
}

/** Who can sign for an account. */
export interface AccountSigners<Passkey> {
  /** Those that sign alone. */
  readonly passkeys: readonly Passkey[]
  /** Keys that are good, and none of these passkeys. */
  readonly others: number
}

export function signersOf<Passkey extends KeyedPasskey>(
  account: ChainAccount,
  passkeys: readonly Passkey[],
): AccountSigners<Passkey> {
  return {
    passkeys: passkeys.filter(({ publicKeySec1Hex }) => keyOfPasskey(account, publicKeySec1Hex) !== undefined),
    others: account.keys.filter((key) => !key.is_revoked && passkeyOfKey(passkeys, key) === undefined).length,
  }
}

/** Whether an account that somebody names can be theirs here, and if not, what is in the way. */
export type ImportFinding<Passkey> =
  | { readonly kind: 'key'; readonly passkey: Passkey }
  | { readonly kind: 'no-key' }
  /** A passkey is a key that cannot sign for the account, or not alone. */
  | {
      readonly kind: 'bad-key'
      readonly passkey: Passkey
      readonly key: ChainKey
      readonly why: 'revoked' | 'weight' | 'algorithm'
    }

export function findImportKey<Passkey extends KeyedPasskey>(
  account: ChainAccount,
  passkeys: readonly Passkey[],
): ImportFinding<Passkey> {
  const [signer] = signersOf(account, passkeys).passkeys
  if (signer !== undefined) return { kind: 'key', passkey: signer }
  // The one that is nearest to good says what is to do.
  const found = account.keys.flatMap((key) => {
    const passkey = passkeyOfKey(passkeys, key)
    return passkey === undefined ? [] : [{ kind: 'bad-key' as const, passkey, key, why: whyBad(key) }]
  })
  return (
    found.find(({ why }) => why === 'weight') ??
    found.find(({ why }) => why === 'algorithm') ??
    found[0] ?? { kind: 'no-key' }
  )
}

function whyBad({
  is_revoked: isRevoked,
  signature_algorithm: signature,
  hash_algorithm: hash,
}: ChainKey): 'revoked' | 'weight' | 'algorithm' {
  if (isRevoked) return 'revoked'
  return signature === 'ECDSA_P256' && hash === 'SHA2_256' ? 'weight' : 'algorithm'
}
