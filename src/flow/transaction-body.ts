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
