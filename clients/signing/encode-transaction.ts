import { concatBytes, sha256, areEqual, bytesOfHex, hexOf } from './bytes.ts'
import type { Bytes } from './bytes.ts'
import { encodeRlp } from './rlp.ts'
import type { RlpInput } from './rlp.ts'
import { SigningError } from './signing-error.ts'

export interface FlowTransaction {
  readonly script: string
  /** Each as JSON-CDC text; a trailing line break is removed, as in Flow's libraries. */
  readonly arguments: readonly string[]
  /** 64 hex digits. */
  readonly referenceBlockId: string
  /** 1 to 9,999. */
  readonly computeLimit: number
  readonly proposalKey: { readonly address: string; readonly keyIndex: number; readonly sequenceNumber: bigint }
  readonly payer: string
  readonly authorizers: readonly string[]
  readonly payloadSignatures: readonly TransactionSignature[]
  readonly envelopeSignatures: readonly TransactionSignature[]
}

export interface TransactionSignature {
  /** Up to 16 hex digits, with or without 0x. */
  readonly address: string
  readonly keyIndex: number
  /** 64 bytes, r and s. */
  readonly signature: Uint8Array
  /** FLIP-264: signature scheme and its data. Empty, or one byte 0: the plain scheme. */
  readonly extensionData?: Uint8Array | undefined
}

export interface Signer {
  readonly address: string
  readonly keyIndex: number
}

/** Prevents signatures of messages and account proofs from being valid for transactions. */
export const domainTags = {
  transaction: 'FLOW-V0.0-transaction',
  user: 'FLOW-V0.0-user',
  accountProof: 'FCL-ACCOUNT-PROOF-V0.0',
} as const
export type Domain = keyof typeof domainTags

const tagLength = 32

/** 32 bytes: the text, padded with zeros. */
export function domainTag(domain: Domain): Bytes {
  const tag = new Uint8Array(tagLength)
  tag.set(new TextEncoder().encode(domainTags[domain]))
  return tag
}

/** SHA-256 over tag and message, 32 bytes. */
export function challengeOf(domain: Domain, message: Uint8Array): Promise<Bytes> {
  return sha256(concatBytes(domainTag(domain), message))
}

const addressLength = 8
const identifierLength = 32
const maxUint64 = 2n ** 64n - 1n
const utf8 = new TextEncoder()

export type SignedPart = 'payload' | 'envelope'

/**
 * Without the domain tag. Source: onflow/flow-go `model/flow/transaction.go`. @throws SigningError
 */
export function encodePayload(transaction: FlowTransaction): Bytes {
  return encodeRlp(payloadFields(transaction))
}

/** Includes extension data of payload signatures, as the chain checks. @throws SigningError */
export function encodeEnvelope(transaction: FlowTransaction): Bytes {
  return encodeRlp([payloadFields(transaction), signatureFields(transaction, 'payloadSignatures')])
}

/** Its SHA3-256 is the id. @throws SigningError */
export function encodeTransaction(transaction: FlowTransaction): Bytes {
  return encodeRlp([
    payloadFields(transaction),
    signatureFields(transaction, 'payloadSignatures'),
    signatureFields(transaction, 'envelopeSignatures'),
  ])
}

/**
 * The payer signs the envelope, even if it has other roles. @throws SigningError for an account
 * without a role in the transaction
 */
export function partSignedBy(transaction: FlowTransaction, { address }: Pick<Signer, 'address'>): SignedPart {
  const account = accountOf(address, 'signer.address')
  const is = (other: string, field: string): boolean => areEqual(account, accountOf(other, field))
  if (is(transaction.payer, 'payer')) return 'envelope'
  const { proposalKey, authorizers } = transaction
  if (is(proposalKey.address, 'proposalKey.address') || authorizers.some((one, at) => is(one, `authorizers[${at}]`)))
    return 'payload'
  throw new SigningError(
    'signer.address',
    `0x${hexOf(account)} is neither proposer, payer nor authorizer of the transaction`,
  )
}

/** Without a trailing line break, as in Flow's libraries. */
export function argumentText(argument: string): string {
  return argument.replace(/\n$/, '')
}

function payloadFields(transaction: FlowTransaction): RlpInput[] {
  const { script, proposalKey, computeLimit, referenceBlockId, payer, authorizers } = transaction
  return [
    utf8.encode(script),
    transaction.arguments.map((argument) => utf8.encode(argumentText(argument))),
    fixed(referenceBlockId, identifierLength, 'referenceBlockId'),
    count(computeLimit, 'computeLimit'),
    accountOf(proposalKey.address, 'proposalKey.address'),
    count(proposalKey.keyIndex, 'proposalKey.keyIndex'),
    uint64(proposalKey.sequenceNumber, 'proposalKey.sequenceNumber'),
    accountOf(payer, 'payer'),
    authorizers.map((address, at) => accountOf(address, `authorizers[${at}]`)),
  ]
}

/** In the order of the chain: by signer, then by key. */
function signatureFields(transaction: FlowTransaction, list: 'payloadSignatures' | 'envelopeSignatures'): RlpInput[] {
  const signers = signerList(transaction)
  const placed = transaction[list].map((signature, at) => ({
    ...signature,
    signer: placeOf(signature, signers, `${list}[${at}].address`),
    field: `${list}[${at}].keyIndex`,
  }))
  const ordered = placed.toSorted((a, b) => a.signer - b.signer || a.keyIndex - b.keyIndex)
  return ordered.map(({ signer, keyIndex, signature, extensionData, field }) => [
    signer,
    count(keyIndex, field),
    signature,
    ...(isPlain(extensionData) ? [] : [extensionData]),
  ])
}

function placeOf({ address }: TransactionSignature, signers: readonly Bytes[], field: string): number {
  const account = accountOf(address, field)
  const place = signers.findIndex((signer) => areEqual(signer, account))
  if (place < 0)
    throw new SigningError(field, `0x${hexOf(account)} is neither proposer, payer nor authorizer of the transaction`)
  return place
}

/** Proposer, payer, authorizers; each account once. */
function signerList({ proposalKey, payer, authorizers }: FlowTransaction): readonly Bytes[] {
  const all = [
    accountOf(proposalKey.address, 'proposalKey.address'),
    accountOf(payer, 'payer'),
    ...authorizers.map((one, at) => accountOf(one, `authorizers[${at}]`)),
  ]
  return all.filter((account, at) => all.findIndex((other) => areEqual(account, other)) === at)
}

/** Signatures of the plain scheme are encoded without extension data, as before FLIP-264. */
function isPlain(extensionData: Uint8Array | undefined): extensionData is undefined {
  return (
    extensionData === undefined || extensionData.length === 0 || (extensionData.length === 1 && extensionData[0] === 0)
  )
}

/** 8 bytes, left-padded with zeros. @throws SigningError */
export function accountOf(address: string, field: string): Bytes {
  const digits = address.replace(/^0x/i, '')
  if (!/^[0-9a-f]{1,16}$/i.test(digits))
    throw new SigningError(field, `must be an address of up to ${2 * addressLength} hex digits`)
  return bytesOfHex(digits.padStart(2 * addressLength, '0'), field)
}

function fixed(hex: string, length: number, field: string): Bytes {
  const bytes = bytesOfHex(hex, field)
  if (bytes.length !== length) throw new SigningError(field, `must be ${2 * length} hex digits`)
  return bytes
}

function count(value: number, field: string): number {
  if (!Number.isSafeInteger(value) || value < 0) throw new SigningError(field, 'must be a non-negative integer')
  return value
}

function uint64(value: bigint, field: string): bigint {
  if (value < 0n || value > maxUint64) throw new SigningError(field, 'must be from 0 to 2^64 - 1')
  return value
}
