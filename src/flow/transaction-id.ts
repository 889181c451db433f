import { hash } from 'node:crypto'
import { BackwardRlp } from './backward-rlp.ts'
import type { BodySignature, TransactionBody } from './transaction-body.ts'

const addressLength = 8
const identifierLength = 32
/** What a signer that is neither proposer, payer nor authorizer is hashed as: Go's -1 as an unsigned integer. */
const unknownSigner = 0xffff_ffff_ffff_ffffn
/** Above this a body is a rare giant, and its buffer is not kept. */
const keptCapacity = 4 * 1024 * 1024

let rlp = new BackwardRlp()

/**
 * The id of a transaction, 32 bytes: SHA3-256 over the RLP list of payload, payload signatures and envelope
 * signatures. System transactions arrive with empty addresses and an empty reference block, and are hashed with zeros
 * in their place.
 * Source: onflow/flow-go `model/flow/transaction.go` (canonical forms), `transaction_body_builder.go` (signer list).
 */
export function transactionId(transaction: TransactionBody): Buffer {
  rlp.clear()
  const signers = signerList(transaction)
  writeSignatures(transaction.envelopeSignatures, signers)
  writeSignatures(transaction.payloadSignatures, signers)
  writePayload(transaction)
  rlp.list(0)
  const encoded = rlp.view()
  const id = Buffer.from(hash('sha3-256', encoded, 'hex'), 'hex')
  if (encoded.length > keptCapacity) rlp = new BackwardRlp()
  return id
}

/** What proposer and authorizers sign who do not pay, without the tag in front: RLP of all but the signatures. */
export function transactionPayload(transaction: TransactionBody): Buffer {
  rlp.clear()
  writePayload(transaction)
  return Buffer.from(rlp.view())
}

/** What the payer signs, without the tag in front: RLP of the payload and the signatures over it. */
export function transactionEnvelope(transaction: TransactionBody): Buffer {
  rlp.clear()
  writeSignatures(transaction.payloadSignatures, signerList(transaction))
  writePayload(transaction)
  rlp.list(0)
  return Buffer.from(rlp.view())
}

/**
 * A transaction as nodes keep it: they put the signatures that they are sent in order, by signer and then by key, before they look at them. What the payer
 * signs, and the id, are of these, in whatever order people have signed.
 */
export function withOrderedSignatures<Transaction extends TransactionBody>(transaction: Transaction): Transaction {
  const signers = signerList(transaction)
  const placeOf = ({ address }: BodySignature): number => signers.findIndex((signer) => signer.equals(address))
  const ordered = (signatures: readonly BodySignature[]): BodySignature[] =>
    signatures.toSorted((a, b) => placeOf(a) - placeOf(b) || a.keyId - b.keyId)
  return {
    ...transaction,
    payloadSignatures: ordered(transaction.payloadSignatures),
    envelopeSignatures: ordered(transaction.envelopeSignatures),
  }
}

function writePayload(transaction: TransactionBody): void {
  const before = rlp.length
  const { authorizers, arguments: values } = transaction
  for (let i = authorizers.length - 1; i >= 0; i--) rlp.fixed(authorizers[i] as Buffer, addressLength)
  rlp.list(before)
  rlp.fixed(transaction.payer, addressLength)
  rlp.uint64(transaction.proposerSequenceNumber)
  rlp.uint(transaction.proposerKeyId)
  rlp.fixed(transaction.proposerAddress, addressLength)
  rlp.uint64(transaction.gasLimit)
  rlp.fixed(transaction.referenceBlockId, identifierLength)
  const beforeArguments = rlp.length
  for (let i = values.length - 1; i >= 0; i--) rlp.string(values[i] as Buffer)
  rlp.list(beforeArguments)
  rlp.string(transaction.script)
  rlp.list(before)
}

function writeSignatures(signatures: readonly BodySignature[], signers: readonly Buffer[]): void {
  const before = rlp.length
  for (let i = signatures.length - 1; i >= 0; i--) {
    const { address, keyId, signature, extensionData } = signatures[i] as BodySignature
    const end = rlp.length
    if (!isPlain(extensionData)) rlp.string(extensionData)
    rlp.string(signature)
    rlp.uint(keyId)
    const index = signers.findIndex((signer) => signer.equals(address))
    if (index < 0) rlp.uint64(unknownSigner)
    else rlp.uint(index)
    rlp.list(end)
  }
  rlp.list(before)
}

/** A signature of the plain scheme is hashed as it was before FLIP-264: without its extension data. */
function isPlain(extensionData: Buffer): boolean {
  return extensionData.length === 0 || (extensionData.length === 1 && extensionData[0] === 0)
}

/** Proposer, payer, authorizers, each account once; a signature names its signer by the position in this list. */
function signerList({ proposerAddress, payer, authorizers }: TransactionBody): Buffer[] {
  const signers: Buffer[] = []
  if (!isZero(proposerAddress)) signers.push(proposerAddress)
  if (!isZero(payer) && !payer.equals(proposerAddress)) signers.push(payer)
  for (const authorizer of authorizers) {
    if (!signers.some((signer) => signer.equals(authorizer))) signers.push(authorizer)
  }
  return signers
}

function isZero(address: Buffer): boolean {
  for (const byte of address) if (byte !== 0) return false
  return true
}
