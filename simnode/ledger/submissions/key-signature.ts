import { createPublicKey, verify } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import type { AccountKey, NewAccountKey } from '../state/account-key.ts'

type SignatureAlgorithm = NewAccountKey['signatureAlgorithm']

/** SubjectPublicKeyInfo of an uncompressed point: what comes before its 64 bytes. */
const heads: Readonly<Record<SignatureAlgorithm, Buffer>> = {
  ECDSA_P256: Buffer.from('3059301306072a8648ce3d020106082a8648ce3d03010703420004', 'hex'),
  ECDSA_secp256k1: Buffer.from('3056301006072a8648ce3d020106052b8104000a03420004', 'hex'),
}
const hashes = { SHA2_256: 'sha256', SHA3_256: 'sha3-256' } as const

/** How many points there are on each curve: both halves of a signature are below. */
const orders: Readonly<Record<SignatureAlgorithm, bigint>> = {
  ECDSA_P256: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  ECDSA_secp256k1: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
}

/** Whether bytes are a point of the curve, without which there is no key. */
export function isPoint(publicKey: Buffer, algorithm: SignatureAlgorithm): boolean {
  return keyObject(publicKey, algorithm) !== undefined
}

/** Whether bytes can be a signature of either curve. */
export function canBeSignature(signature: Buffer): boolean {
  if (signature.length !== 64) return false
  const halves = [signature.subarray(0, 32), signature.subarray(32)].map((half) => BigInt(`0x${half.toString('hex')}`))
  return Object.values(orders).some((order) => halves.every((half) => half > 0n && half < order))
}

/** Whether a key has signed bytes: by its own curve and its own hash, whatever else is true of the signature. */
export function isSignedBy(
  { publicKey, signatureAlgorithm, hashAlgorithm }: AccountKey,
  bytes: Buffer,
  signature: Buffer,
): boolean {
  const key = keyObject(publicKey, signatureAlgorithm)
  return (
    key !== undefined &&
    signature.length === 64 &&
    verify(hashes[hashAlgorithm], bytes, { key, dsaEncoding: 'ieee-p1363' }, signature)
  )
}

function keyObject(publicKey: Buffer, algorithm: SignatureAlgorithm): KeyObject | undefined {
  if (publicKey.length !== 64) return undefined
  try {
    return createPublicKey({ key: Buffer.concat([heads[algorithm], publicKey]), format: 'der', type: 'spki' })
  } catch {
    return undefined
  }
}
