import { decode } from 'rlp'
import type { DecodedTransaction } from '../decoded-block.ts'
import { addressField, amountField, FieldShapeError } from '../event-fields.ts'
import type { PayloadFields, PayloadValue } from '../payload-value.ts'

/** Source: onflow/crypto `sign.go`, `hash/hash.go`. */
export const signingAlgorithms: Readonly<Record<number, string>> = {
  1: 'BLS_BLS12_381',
  2: 'ECDSA_P256',
  3: 'ECDSA_secp256k1',
}

export const hashingAlgorithms: Readonly<Record<number, string>> = {
  1: 'SHA2_256',
  2: 'SHA2_384',
  3: 'SHA3_256',
  4: 'SHA3_384',
  5: 'KMAC128_BLS_BLS12_381',
  6: 'KECCAK_256',
}

/**
 * Cadence's enum `SignatureAlgorithm` numbers the algorithms differently: 1 is ECDSA_P256.
 * `HashAlgorithm` uses the same numbers. Source: onflow/cadence `sema/crypto_algorithm_types.go`.
 */
export const signingAlgorithmByRawValue: Readonly<Record<string, number>> = { 1: 2, 2: 3, 3: 1 }

export interface AccountKeyChange {
  readonly eventIndex: number
  readonly address: string
  readonly isRemoved: boolean
  /** Undefined if neither the event nor the transaction has it. */
  readonly keyIndex: number | undefined
  /** Undefined for a revocation by index. */
  readonly key: AccountKey | undefined
}

interface AccountKeyProblem {
  readonly eventIndex: number
  readonly eventType: string
  readonly message: string
}

const maxKeyIndex = 0x7fff_ffff

/**
 * Key indexes start at 0 and are never reused. Before Cadence 1.0 events omit the index; it is
 * inferred here only for accounts that the same transaction created.
 *
 *     1.0     AccountKeyAdded(address, publicKey: PublicKey, weight, hashAlgorithm, keyIndex)
 *     before  AccountKeyAdded(address, publicKey: PublicKey)    `keys.add`
 *             AccountKeyAdded(address, publicKey: [UInt8])      `addPublicKey`: an encoded key
 *     1.0     AccountKeyRemoved(address, publicKey: Int)        the index, also before: `keys.revoke`
 *     before  AccountKeyRemoved(address, publicKey: [UInt8])    `removePublicKey`
 *
 * Source: onflow/cadence `stdlib/flow.go`, `stdlib/account.go` of the releases.
 */
export function accountKeyChanges({ events }: DecodedTransaction): {
  readonly changes: readonly AccountKeyChange[]
  readonly problems: readonly AccountKeyProblem[]
} {
  const changes: AccountKeyChange[] = []
  const problems: AccountKeyProblem[] = []
  const created = new Map<string, number>()
  for (const { type, index: eventIndex, fields } of events) {
    if (!type.startsWith('flow.Account')) continue
    const isAdded = type === 'flow.AccountKeyAdded'
    if (!isAdded && type !== 'flow.AccountKeyRemoved') {
      const address = type === 'flow.AccountCreated' ? fields?.['address'] : undefined
      if (typeof address === 'string') created.set(address, 0)
      continue
    }
    if (fields === undefined) continue
    try {
      const address = addressField(fields)
      if (isAdded) {
        const count = created.get(address)
        const keyIndex = fields['keyIndex'] === undefined ? count : indexOf(fields['keyIndex'], 'keyIndex')
        const key = addedKey(fields)
        if (count !== undefined) created.set(address, count + 1)
        changes.push({ eventIndex, address, isRemoved: false, keyIndex, key })
      } else {
        changes.push({ eventIndex, address, isRemoved: true, ...removedKey(fields) })
      }
    } catch (error) {
      if (!(error instanceof FieldShapeError)) throw error
      problems.push({ eventIndex, eventType: type, message: error.message })
    }
  }
  return { changes, problems }
}

function addedKey(fields: PayloadFields): AccountKey {
  const { publicKey, hashAlgorithm } = fields
  const encoded = bytesOf(publicKey)
  if (encoded !== undefined) return decodeAccountKey(encoded)
  const parts = typeof publicKey === 'object' && publicKey !== null && !Array.isArray(publicKey) ? publicKey : {}
  const bytes = bytesOf(parts['publicKey'])
  const signingAlgorithm = ofRawValue(signingAlgorithmByRawValue, parts['signatureAlgorithm'])
  if (bytes === undefined || signingAlgorithm === undefined) {
    throw new FieldShapeError('field publicKey is not a PublicKey')
  }
  return {
    publicKey: bytes,
    signingAlgorithm,
    hashingAlgorithm: hashingAlgorithmOf(hashAlgorithm),
    weight: weightOf(fields),
  }
}

function hashingAlgorithmOf(rawValue: PayloadValue | undefined): number | undefined {
  if (rawValue === undefined) return undefined
  if (typeof rawValue === 'string' && Object.hasOwn(hashingAlgorithms, rawValue)) return Number(rawValue)
  throw new FieldShapeError('field hashAlgorithm is not a HashAlgorithm')
}

/** The chain truncates to an integer. Source: onflow/cadence `stdlib/account.go`, keys.add. */
function weightOf(fields: PayloadFields): number | undefined {
  const weight = fields['weight'] === undefined ? undefined : Math.trunc(Number(amountField(fields, 'weight')))
  if (weight !== undefined && weight > maxWeight) throw new FieldShapeError('field weight is too large')
  return weight
}

function removedKey({ publicKey }: PayloadFields): Pick<AccountKeyChange, 'keyIndex' | 'key'> {
  const encoded = bytesOf(publicKey)
  return encoded === undefined
    ? { keyIndex: indexOf(publicKey, 'publicKey'), key: undefined }
    : { keyIndex: undefined, key: decodeAccountKey(encoded) }
}

function indexOf(value: PayloadValue | undefined, name: string): number {
  const index = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : -1
  if (index < 0 || index > maxKeyIndex) throw new FieldShapeError(`field ${name} is not the index of a key`)
  return index
}

function bytesOf(value: PayloadValue | undefined): Buffer | undefined {
  const isBytes = typeof value === 'string' && /^0x(?:[0-9a-f]{2})+$/.test(value)
  return isBytes ? Buffer.from(value.slice(2), 'hex') : undefined
}

function ofRawValue(numbers: Readonly<Record<string, number>>, value: PayloadValue | undefined): number | undefined {
  return typeof value === 'string' && Object.hasOwn(numbers, value) ? numbers[value] : undefined
}

interface AccountKey {
  readonly publicKey: Buffer
  readonly signingAlgorithm: number
  readonly hashingAlgorithm: number | undefined
  /** Of 1000; undefined if unknown. */
  readonly weight: number | undefined
}

/** Limit of the column; the chain's limit is 1000. */
const maxWeight = 0x7fff_ffff

/**
 * Before Cadence 1.0: an RLP list of public key, signing algorithm, hashing algorithm and weight.
 * Source: onflow/flow-go `model/flow/account_encoder.go`.
 *
 * @throws FieldShapeError
 */
function decodeAccountKey(bytes: Uint8Array): AccountKey {
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
