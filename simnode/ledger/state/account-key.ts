import { hash } from 'node:crypto'
import type { Account } from '../world/account.ts'

/** The algorithms of account keys, as the access API (`api`) and as Cadence (`cadence`) number them. */
export const signatureAlgorithms = {
  ECDSA_P256: { api: 2, cadence: 1 },
  ECDSA_secp256k1: { api: 3, cadence: 2 },
} as const
export const hashAlgorithms = { SHA2_256: { api: 1, cadence: 1 }, SHA3_256: { api: 3, cadence: 3 } } as const

/** What is said of a key when it is added. */
export interface NewAccountKey {
  /** 64 bytes. */
  readonly publicKey: Buffer
  readonly signatureAlgorithm: keyof typeof signatureAlgorithms
  readonly hashAlgorithm: keyof typeof hashAlgorithms
  /** In units of 10^-8: 1000.0 signs for an account alone. */
  readonly weight: bigint
}

/** A key of an account. */
export interface AccountKey extends NewAccountKey {
  /** What the next transaction that it proposes has to say. */
  readonly sequenceNumber: number
  readonly isRevoked: boolean
}

export const fullWeight = 100_000_000_000n

/** What all keys have that the chain's own people use. The bytes are no point of any curve: nobody can sign with it. */
export function inventedKey(account: Account, keyIndex: number): NewAccountKey {
  return {
    publicKey: hash('sha512', `key ${keyIndex} of ${account.hex}`, 'buffer'),
    signatureAlgorithm: 'ECDSA_P256',
    hashAlgorithm: 'SHA3_256',
    weight: fullWeight,
  }
}
