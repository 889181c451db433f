import { hash } from 'node:crypto'

/** A signature as its transaction carries it. */
export interface BodySignature {
  /** 8 bytes; empty on a system transaction. */
  readonly address: Buffer
  readonly keyId: number
  readonly signature: Buffer
  /** FLIP-264; empty for a plain signature. */
  readonly extensionData: Buffer
}

/** A transaction as an access node sends it, as far as its id depends on it. */
export interface TransactionBody {
  readonly script: Buffer
  readonly arguments: readonly Buffer[]
  /** 32 bytes, or empty on a system transaction. */
  readonly referenceBlockId: Buffer
  readonly gasLimit: bigint
  /** 8 bytes, or empty on a system transaction. */
  readonly proposerAddress: Buffer
  readonly proposerKeyId: number
  readonly proposerSequenceNumber: bigint
  readonly payer: Buffer
  readonly authorizers: readonly Buffer[]
  readonly payloadSignatures: readonly BodySignature[]
  readonly envelopeSignatures: readonly BodySignature[]
}

const maxUint64 = 0xffff_ffff_ffff_ffffn

/**
 * Writes RLP from its end to its start: a list's header comes after its items, when their length is known, so nothing
 * is measured or moved. Items of a list are therefore given last to first.
 */
export class BackwardRlp {
  #bytes: Buffer
  #start: number

  constructor(initialCapacity = 64 * 1024) {
    this.#bytes = Buffer.allocUnsafeSlow(initialCapacity)
    this.#start = initialCapacity
  }

  /** Bytes written so far; taken before the items of a list, it is what `list` needs. */
  get length(): number {
    return this.#bytes.length - this.#start
  }

  /** A byte string. */
  string(value: Uint8Array): void {
    const length = value.length
    this.#reserve(length + 9)
    if (length === 1 && (value[0] as number) < 0x80) {
      this.#bytes[--this.#start] = value[0] as number
      return
    }
    this.#start -= length
    this.#bytes.set(value, this.#start)
    this.#header(length, 0x80)
  }

  /** A byte string of exactly `size` bytes, filled with zeros in front or cut in front. */
  fixed(value: Uint8Array, size: number): void {
    if (value.length === size) {
      this.string(value)
      return
    }
    this.#reserve(size + 9)
    const kept = value.length > size ? value.subarray(value.length - size) : value
    this.#start -= size
    this.#bytes.fill(0, this.#start, this.#start + size - kept.length)
    this.#bytes.set(kept, this.#start + size - kept.length)
    this.#header(size, 0x80)
  }

  /** An unsigned integer up to 2^53. */
  uint(value: number): void {
    this.#reserve(9)
    if (value > 0 && value < 0x80) {
      this.#bytes[--this.#start] = value
      return
    }
    const length = this.#digits(value)
    this.#bytes[--this.#start] = 0x80 + length
  }

  /** An unsigned 64-bit integer. */
  uint64(value: bigint): void {
    if (value <= BigInt(Number.MAX_SAFE_INTEGER)) {
      this.uint(Number(value))
      return
    }
    this.#reserve(9)
    let length = 0
    for (let rest = value & maxUint64; rest > 0n; rest >>= 8n, length++) {
      this.#bytes[--this.#start] = Number(rest & 0xffn)
    }
    this.#bytes[--this.#start] = 0x80 + length
  }

  /** Closes the list of everything that was written since `length` was `before`. */
  list(before: number): void {
    this.#reserve(9)
    this.#header(this.length - before, 0xc0)
  }

  /** What was written; valid until the next write. */
  view(): Buffer {
    return this.#bytes.subarray(this.#start)
  }

  /** Forgets the content and keeps the storage. */
  clear(): void {
    this.#start = this.#bytes.length
  }

  #header(length: number, offset: number): void {
    if (length < 56) {
      this.#bytes[--this.#start] = offset + length
      return
    }
    const lengthOfLength = this.#digits(length)
    this.#bytes[--this.#start] = offset + 55 + lengthOfLength
  }

  /** Writes a number in base 256 without leading zeros; returns how many bytes that were. */
  #digits(value: number): number {
    let rest = value
    let count = 0
    while (rest > 0) {
      this.#bytes[--this.#start] = rest % 256
      rest = Math.floor(rest / 256)
      count++
    }
    return count
  }

  #reserve(count: number): void {
    if (this.#start >= count) return
    const used = this.length
    const grown = Buffer.allocUnsafeSlow(Math.max(this.#bytes.length * 2, used + count))
    this.#bytes.copy(grown, grown.length - used, this.#start)
    this.#bytes = grown
    this.#start = grown.length - used
  }
}

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
 * A transaction as nodes keep it: with signatures ordered by signer, then by key. The payer's message and the id are of
 * this form, whatever order the users signed in.
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
