import type { ChainAccount } from '../answers.gen.ts'
import type { ChainKey, PasskeyRow } from '../types.ts'

type KeyedPasskey = Pick<PasskeyRow, 'id' | 'publicKeySec1Hex'>

export function passkeyOfKey<Passkey extends KeyedPasskey>(
  passkeys: readonly Passkey[],
  { public_key: publicKey }: Pick<ChainKey, 'public_key'>,
): Passkey | undefined {
  return passkeys.find(
    ({ publicKeySec1Hex }) => publicKeySec1Hex.replace(/^04/, '').toLowerCase() === publicKey.toLowerCase(),
  )
}

interface AccountSigners<Passkey> {
  readonly passkeys: readonly Passkey[]
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

export type ImportFinding<Passkey> =
  | { readonly kind: 'key'; readonly passkey: Passkey }
  | { readonly kind: 'no-key' }
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

export interface SigningPasskey {
  /** base64url */
  readonly credentialId: string
  /** 130 hex digits */
  readonly publicKeySec1Hex: string
  readonly lastUsedAt?: string | null | undefined
}

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
 * Passkeys that can sign alone, the most likely first: browsers reject passkeys of other devices.
 * @param account its own passkey first @param here the passkey last used in this browser
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

export function passkeyName({
  authenticatorName: name,
  deviceType,
}: Pick<PasskeyRow, 'authenticatorName' | 'deviceType'>): string {
  return name ?? (deviceType === 'multiDevice' ? 'Synced passkey' : 'Device-bound passkey')
}

export function withUniqueNames<Passkey extends Pick<PasskeyRow, 'authenticatorName' | 'deviceType'>>(
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
