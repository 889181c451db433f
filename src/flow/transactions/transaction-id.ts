import { hash } from 'node:crypto'

export interface BodySignature {
  /** 8 bytes; empty on a system transaction. */
  readonly address: Buffer
  readonly keyId: number
  readonly signature: Buffer
  /** FLIP-264; empty for a plain signature. */
  readonly extensionData: Buffer
}

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
 * Writes RLP backwards: list headers follow their items, so nothing is moved. Write the items of a
 * list last to first.
 */
export class BackwardRlp {
  #bytes = Buffer.allocUnsafeSlow(64 * 1024)
  #start = this.#bytes.length

  /** Read it before the items of a list and pass it to `list`. */
  get length(): number {
    return this.#bytes.length - this.#start
  }

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

  /** Exactly `size` bytes, zero-padded or cut on the left. */
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

  /** Up to 2^53. */
  uint(value: number): void {
    this.#reserve(9)
    if (value > 0 && value < 0x80) {
      this.#bytes[--this.#start] = value
      return
    }
    const length = this.#digits(value)
    this.#bytes[--this.#start] = 0x80 + length
  }

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

  /** @param before `length` before the items */
  list(before: number): void {
    this.#reserve(9)
    this.#header(this.length - before, 0xc0)
  }

  /** Valid until the next write. */
  view(): Buffer {
    return this.#bytes.subarray(this.#start)
  }

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

  /** Without leading zeros. @returns number of bytes */
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
/** Neither proposer, payer nor authorizer: Go's -1 as an unsigned integer. */
const unknownSigner = 0xffff_ffff_ffff_ffffn
/** Larger buffers are not reused. */
const maxRetainedBytes = 4 * 1024 * 1024

let rlp = new BackwardRlp()

/**
 * SHA3-256 of the RLP list of payload, payload signatures and envelope signatures. System
 * transactions arrive with empty addresses and reference block, hashed as zeros. Source:
 * onflow/flow-go `model/flow/transaction.go`, `transaction_body_builder.go`.
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
  if (encoded.length > maxRetainedBytes) rlp = new BackwardRlp()
  return id
}

/** Message of the proposer and of authorizers that do not pay, without its tag. */
export function transactionPayload(transaction: TransactionBody): Buffer {
  rlp.clear()
  writePayload(transaction)
  return Buffer.from(rlp.view())
}

/** Message of the payer, without its tag. */
export function transactionEnvelope(transaction: TransactionBody): Buffer {
  rlp.clear()
  writeSignatures(transaction.payloadSignatures, signerList(transaction))
  writePayload(transaction)
  rlp.list(0)
  return Buffer.from(rlp.view())
}

/** Ordered by signer, then by key: the canonical form. */
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

/** Plain signatures are hashed without extension data, as before FLIP-264. */
function isPlain(extensionData: Buffer): boolean {
  return extensionData.length === 0 || (extensionData.length === 1 && extensionData[0] === 0)
}

/** Distinct. Signatures refer to positions in this list. */
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
  // An index: the iterator of a typed array allocates.
  for (let i = 0; i < address.length; i++) if (address[i] !== 0) return false
  return true
}
