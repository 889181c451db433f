import { bytesOfHex, hexOf } from '../bytes.ts'
import { SigningError } from '../signing-error.ts'
import { cadence } from './cadence-arguments.ts'
import type { FlowChain } from './transaction-scripts.ts'
import { transactionScript } from './transaction-scripts.ts'

/** What a transaction does: the part of it that does not depend on who sends it when. */
export interface TransactionCode {
  readonly script: string
  /** JSON-CDC. */
  readonly arguments: readonly string[]
}

/** Cadence's own numbers; the access API and RLP number them otherwise. */
export const keyAlgorithms = {
  signature: { ECDSA_P256: 1, ECDSA_secp256k1: 2 },
  hash: { SHA2_256: 1, SHA3_256: 3 },
} as const

export interface NewKey {
  /** Hex of the point: 128 digits, or 130 with 04 in front. */
  readonly publicKey: string
  /** Default: as passkeys are, ECDSA_P256. */
  readonly signatureAlgorithm?: keyof typeof keyAlgorithms.signature | undefined
  /** Default: as passkeys need it, SHA2_256. */
  readonly hashAlgorithm?: keyof typeof keyAlgorithms.hash | undefined
  /** 0 to 1000, which is what an account needs to be signed for, and the default. */
  readonly weight?: number | undefined
}

/** An account with one key. @param startBalance beyond the chain's minimum, in 10^-8 FLOW @throws SigningError */
export function createAccount(
  chain: FlowChain,
  { startBalance = 0n, ...key }: NewKey & { readonly startBalance?: bigint | undefined },
): TransactionCode {
  return {
    script: transactionScript('create-account', chain),
    arguments: [...keyArguments(key), cadence.ufix64(startBalance)],
  }
}

/** @param sent amount in units of 10^-8 FLOW @throws SigningError */
export function sendFlow(
  chain: FlowChain,
  { amount, to }: { readonly amount: bigint; readonly to: string },
): TransactionCode {
  return {
    script: transactionScript('send-flow', chain),
    arguments: [cadence.ufix64(amount), cadence.address(to, 'to')],
  }
}

/** One more key of the signer's account. @throws SigningError */
export function addKey(chain: FlowChain, key: NewKey): TransactionCode {
  return { script: transactionScript('add-key', chain), arguments: keyArguments(key) }
}

/** Takes a key from the signer's account for good. @throws SigningError */
export function revokeKey(chain: FlowChain, keyIndex: number): TransactionCode {
  if (!Number.isSafeInteger(keyIndex) || keyIndex < 0)
    throw new SigningError('keyIndex', 'has to be a whole number of at least 0')
  return { script: transactionScript('revoke-key', chain), arguments: [cadence.int(keyIndex)] }
}

function keyArguments({
  publicKey,
  signatureAlgorithm = 'ECDSA_P256',
  hashAlgorithm = 'SHA2_256',
  weight = 1000,
}: NewKey): string[] {
  const bytes = bytesOfHex(publicKey, 'publicKey')
  const point = bytes.length === 65 && bytes[0] === 4 ? bytes.subarray(1) : bytes
  if (point.length !== 64) throw new SigningError('publicKey', 'has to be a point: 64 bytes, or 65 with 04 in front')
  if (!Number.isSafeInteger(weight) || weight < 0 || weight > 1000)
    throw new SigningError('weight', 'has to be a whole number from 0 to 1000')
  return [
    cadence.string(hexOf(point)),
    cadence.uint8(keyAlgorithms.signature[signatureAlgorithm]),
    cadence.uint8(keyAlgorithms.hash[hashAlgorithm]),
    cadence.ufix64(BigInt(weight) * 100_000_000n),
  ]
}
