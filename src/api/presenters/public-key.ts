import { z } from 'zod'
import { addressFormat, countFormat, heightFormat } from '../formats/formats.ts'
import { hashAlgorithmName, signatureAlgorithmName } from './account.ts'

/** A key of an account, found by its bytes. */
export const publicKeySchema = z
  .strictObject({
    address: addressFormat,
    key_index: countFormat.describe('Index of the key in the account.'),
    public_key: z.string().describe('Hex digits, no 0x.'),
    signing_algorithm: z.string().nullable().describe('ECDSA_P256, ECDSA_secp256k1 or BLS_BLS12_381.'),
    hashing_algorithm: z.string().nullable().describe('SHA2_256, SHA3_256, …; null where no event said it.'),
    weight: countFormat.nullable().describe('Weight of 1000 that a transaction needs; null where no event said it.'),
    revoked: z.boolean(),
    added_height: heightFormat.nullable().describe('Block that added it; null while that is not indexed.'),
    revoked_height: heightFormat.nullable().describe('Block that revoked it.'),
  })
  .meta({ id: 'PublicKey' })
export type PublicKey = z.output<typeof publicKeySchema>

/** As it is read from the database. */
export const publicKeyRow = z.object({
  address: z.string(),
  key_index: z.number(),
  public_key: z.string(),
  signing_algorithm: z.number().nullable(),
  hashing_algorithm: z.number().nullable(),
  weight: z.number().nullable(),
  is_revoked: z.boolean(),
  added_height: z.number().nullable(),
  revoked_height: z.number().nullable(),
})
export type PublicKeyRow = z.output<typeof publicKeyRow>

export function presentPublicKey(row: PublicKeyRow): PublicKey {
  return {
    address: row.address,
    key_index: row.key_index,
    public_key: row.public_key,
    signing_algorithm: signatureAlgorithmName(row.signing_algorithm),
    hashing_algorithm: hashAlgorithmName(row.hashing_algorithm),
    weight: row.weight,
    revoked: row.is_revoked,
    added_height: row.added_height,
    revoked_height: row.revoked_height,
  }
}
