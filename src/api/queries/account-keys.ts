import { sql } from 'slonik'
import type { DatabasePool } from 'slonik'
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
  database: DatabasePool, publicKey: Buffer, after: PublicKeyPlace | undefined, count: number,
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
