import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
import { ifHeard } from '../chain/chain-problem.ts'
import { ChainSilentError } from '../chain/present-chain.ts'
import type { PresentChain } from '../chain/present-chain.ts'
import { publicKeyRow } from '../presenters/public-key.ts'
import type { PublicKeyRow } from '../presenters/public-key.ts'

/** A place among the keys of accounts that have the same bytes. */
export interface PublicKeyPlace {
  readonly isRevoked: boolean
  readonly address: string
  readonly index: number
}

/** Up to `count` keys of accounts with these bytes after a place: those in force first, then by account. */
export async function listKeysByPublicKey(
  database: DatabasePool,
  publicKey: Buffer,
  after: PublicKeyPlace | undefined,
  count: number,
): Promise<readonly PublicKeyRow[]> {
  const { isRevoked, address, index } = after ?? { isRevoked: false, address: '', index: -1 }
  return database.any(sql.type(publicKeyRow)`
    select address, key_index, encode(public_key, 'hex') as public_key, signing_algorithm, hashing_algorithm, weight,
      is_revoked, added_height, revoked_height
    from app.account_keys
    where public_key = ${sql.binary(publicKey)} and (is_revoked, address, key_index) > (${isRevoked}, ${address}, ${index})
    order by is_revoked, address, key_index
    limit ${count}
  `)
}

/** The same for keys with one of several bytes. */
export async function listKeysByPublicKeys(
  database: DatabasePool,
  publicKeys: readonly Buffer[],
  after: PublicKeyPlace | undefined,
  count: number,
): Promise<readonly PublicKeyRow[]> {
  const lists = await Promise.all(publicKeys.map((publicKey) => listKeysByPublicKey(database, publicKey, after, count)))
  return inOrder(lists.flat()).slice(0, count)
}

function inOrder(rows: readonly PublicKeyRow[]): PublicKeyRow[] {
  const rank = ({ is_revoked: isRevoked, address, key_index: index }: PublicKeyRow): string =>
    `${Number(isRevoked)} ${address} ${String(index).padStart(10)}`
  return rows.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))
}

/**
 * A list of keys, complete, with those that the chain says of accounts it was asked about lately. An account that the list has is left
 * as it is.
 * @param publicKeys bytes of the keys
 */
export async function withKeysOfChain(
  chain: PresentChain,
  publicKeys: readonly Buffer[],
  rows: readonly PublicKeyRow[],
  limit: number,
): Promise<readonly PublicKeyRow[]> {
  const digits = publicKeys.map((key) => key.toString('hex'))
  const addresses = new Set(digits.flatMap((key) => chain.accountsSeenWithKey(key)))
  for (const { address } of rows) addresses.delete(address)
  const found = await Promise.all(
    [...addresses].slice(0, limit - rows.length).map((address) => ifHeard(chain.account(address))),
  )
  const more = found
    .flatMap((heard) => (heard instanceof ChainSilentError ? [] : (heard.value ?? [])))
    .flatMap(({ address, keys }) =>
      keys
        .filter(({ publicKey }) => digits.includes(publicKey))
        .map((key): PublicKeyRow => ({
          address,
          key_index: key.index,
          public_key: key.publicKey,
          signing_algorithm: key.signatureAlgorithm,
          hashing_algorithm: key.hashAlgorithm,
          weight: key.weight,
          is_revoked: key.isRevoked,
          added_height: null,
          revoked_height: null,
        })),
    )
  return inOrder([...rows, ...more]).slice(0, limit)
}
