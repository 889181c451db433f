/**
 * Byte fields are views into the received response: copy them, or the whole response stays in
 * memory. Source: `flow/access/access.proto` and `flow/entities/*.proto` of onflow/flow.
 */

export interface BlockMessage {
  /** 32 bytes. */
  readonly id: Buffer
  readonly parentId: Buffer
  readonly height: number
  /** Microseconds since 1970, UTC; within the range of timestamptz. */
  readonly timestampUs: number
  readonly collectionIds: readonly Buffer[]
}

export interface SignatureMessage {
  /** 8 bytes; empty on a system transaction. */
  readonly address: Buffer
  readonly keyId: number
  readonly signature: Buffer
  /** FLIP-264; empty for a plain signature. */
  readonly extensionData: Buffer
}

/** Without its id (`flow/chain/transaction-id.ts` computes it). */
export interface TransactionMessage {
  readonly script: Buffer
  /** One JSON-CDC value each, as received, with any trailing newline. */
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
  readonly payloadSignatures: readonly SignatureMessage[]
  readonly envelopeSignatures: readonly SignatureMessage[]
}

export interface EventMessage {
  readonly type: string
  readonly transactionIndex: number
  /** Within its transaction. */
  readonly eventIndex: number
  /** CCF or JSON-CDC, distinguished by the first byte. */
  readonly payload: Buffer
}

export const transactionStatuses = ['UNKNOWN', 'PENDING', 'FINALIZED', 'EXECUTED', 'SEALED', 'EXPIRED'] as const
export type TransactionStatus = (typeof transactionStatuses)[number]

export interface TransactionResultMessage {
  /** 32 bytes. */
  readonly transactionId: Buffer
  readonly status: TransactionStatus
  /** 0 succeeded, 1 failed. */
  readonly statusCode: number
  /** UTF-8, possibly with U+0000. Empty on success. */
  readonly errorMessage: string
  readonly events: readonly EventMessage[]
  /** 32 bytes, all zero for system transactions; empty if the node does not report it. */
  readonly collectionId: Buffer
  /** 0 if the node does not report them. */
  readonly computationUsage: bigint
}

export type EventEncoding = 'ccf' | 'json-cdc'

export interface MissingPart {
  readonly part: 'transactions' | 'results' | 'result'
  /** For `result`: its index in the block. */
  readonly index?: number
  readonly reason: string
}

export interface FetchedBlock {
  readonly block: BlockMessage
  /** In block order: user transactions by collection, then system transactions. */
  readonly transactions: readonly TransactionMessage[]
  /** 32 bytes each, computed from the bodies. */
  readonly transactionIds: readonly Buffer[]
  /** `undefined` if listed in `missing`. */
  readonly results: readonly (TransactionResultMessage | undefined)[]
  readonly missing: readonly MissingPart[]
  readonly byteLength: number
  readonly endpoint: string
}

export interface HeadMessage {
  readonly id: Buffer
  readonly parentId: Buffer
  readonly height: number
  readonly timestampUs: number
}
