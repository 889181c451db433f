import { decode } from 'rlp'
import { FieldShapeError } from '../event-fields.ts'
import { hashingAlgorithms, signingAlgorithms } from './key-algorithms.ts'

/** A key as it is before it has an index. */
export interface AccountKey {
  readonly publicKey: Buffer
  /** As `signingAlgorithms` has it. */
  readonly signingAlgorithm: number
  /** As `hashingAlgorithms` has it; undefined where it was not told. */
  readonly hashingAlgorithm: number | undefined
  /** Of 1000; undefined where it was not told. */
  readonly weight: number | undefined
}

/** What PostgreSQL takes; the chain takes no more than 1000. */
export const maxWeight = 0x7fff_ffff

/**
 * Reads the account key that `addPublicKey` took before Cadence 1.0: the RLP list of public key, signing algorithm,
 * hashing algorithm and weight. A key that was stored has its sequence number behind, and whether it was revoked.
 * Source: onflow/flow-go `model/flow/account_encoder.go`.
 * @throws FieldShapeError where the bytes are no such list
 */
export function decodeAccountKey(bytes: Uint8Array): AccountKey {
  const [publicKey, ...numbers] = listOf(bytes)
  const [signingAlgorithm = 0, hashingAlgorithm = 0, weight = -1] = numbers.slice(0, 3).map(numberOf)
  if (
    publicKey === undefined ||
    publicKey.length === 0 ||
    !Object.hasOwn(signingAlgorithms, signingAlgorithm) ||
    !Object.hasOwn(hashingAlgorithms, hashingAlgorithm) ||
    weight < 0 ||
    weight > maxWeight
  ) {
    throw notAKey()
  }
  return { publicKey: Buffer.from(publicKey), signingAlgorithm, hashingAlgorithm, weight }
}

function listOf(bytes: Uint8Array): Uint8Array[] {
  let decoded: unknown
  try {
    decoded = decode(bytes)
  } catch (error) {
    throw notAKey(error)
  }
  if (!Array.isArray(decoded)) throw notAKey()
  return decoded.map((item: unknown) => {
    if (item instanceof Uint8Array) return item
    throw notAKey()
  })
}

function numberOf(bytes: Uint8Array): number {
  if (bytes.length > 4) throw notAKey()
  return bytes.reduce((number, byte) => number * 256 + byte, 0)
}

function notAKey(cause?: unknown): FieldShapeError {
  return new FieldShapeError('field publicKey is not an encoded account key', { cause })
}
