/** A transaction that is to be signed, as people and libraries write it. */
export interface FlowTransaction {
  /** Cadence. */
  readonly script: string
  /** Each as JSON-CDC text; a line break at its end is left out, as Flow's own libraries do. */
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
  /** FLIP-264: how it was signed, and what has to be known to check that. Nothing, or one byte 0: the plain scheme. */
  readonly extensionData?: Uint8Array | undefined
}

/** Who signs: an account by one of its keys. */
export interface Signer {
  readonly address: string
  readonly keyIndex: number
}
