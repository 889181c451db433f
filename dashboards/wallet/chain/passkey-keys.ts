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
interface AccountSigners<Passkey> {
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
 * The passkeys of somebody that can sign for an account alone, the likeliest first: the one that was used in this
 * browser, or else the one by which they signed in last, wherever that was. A browser is asked for one only, and says
 * no to one that is on another device.
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

/** As its user called it, or where it is. */
export function passkeyName({
  authenticatorName: name,
  deviceType,
}: Pick<PasskeyRow, 'authenticatorName' | 'deviceType'>): string {
  return name ?? (deviceType === 'multiDevice' ? 'Passkey of several devices' : 'Passkey of one device')
}

/** Passkeys with unique names: equal names are numbered by age. */
export function withOwnNames<Passkey extends Pick<PasskeyRow, 'authenticatorName' | 'deviceType'>>(
  passkeys: readonly Passkey[],
): readonly Passkey[] {
  const names = passkeys.map(passkeyName)
  return passkeys.map((passkey, at) => {
    const name = names[at] ?? ''
    const isShared = names.filter((one) => one === name).length > 1
    return isShared
      ? { ...passkey, authenticatorName: `${name} (${names.slice(0, at + 1).filter((one) => one === name).length})` }
      : passkey
  })
}
