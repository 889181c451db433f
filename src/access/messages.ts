/**
 * The messages of an access node that indexing needs, as plain values. Byte fields are views into the received
 * answer: whoever keeps one for long copies it, or the whole answer stays in memory.
 * Source of the shapes: `flow/access/access.proto` and `flow/entities/*.proto` of onflow/flow.
 */

/** A light block: header fields and the ids of its collections. */
export interface BlockMessage {
  /** 32 bytes. */
  readonly id: Buffer
  readonly parentId: Buffer
  readonly height: number
  /** Microseconds since 1970, UTC; what PostgreSQL's timestamptz can hold. */
  readonly timestampUs: number
  /** Ids of the guaranteed collections, in order. */
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

/** A transaction body. It carries no id: `chain/transaction-id.ts` computes it. */
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
  /** Index within its transaction. */
  readonly eventIndex: number
  /** CCF or JSON-CDC bytes, told apart by the first byte. */
  readonly payload: Buffer
}

/** Access API statuses, by number. */
export const transactionStatuses = ['UNKNOWN', 'PENDING', 'FINALIZED', 'EXECUTED', 'SEALED', 'EXPIRED'] as const
export type TransactionStatus = (typeof transactionStatuses)[number]

export interface TransactionResultMessage {
  /** 32 bytes. */
  readonly transactionId: Buffer
  readonly status: TransactionStatus
  /** 0 succeeded, 1 failed. */
  readonly statusCode: number
  /** UTF-8, may hold any character, U+0000 included. Empty on success. */
  readonly errorMessage: string
  readonly events: readonly EventMessage[]
  /** 32 bytes, all zero for system transactions; empty where the node does not say. */
  readonly collectionId: Buffer
  /** Computation units; 0 where the node does not say. */
  readonly computationUsage: bigint
}

/** How the events of an answer are encoded. */
export type EventEncoding = 'ccf' | 'json-cdc'

/** What a node can never serve of a block. The block is stored without it, and the hole with its reason. */
export interface MissingPart {
  readonly part: 'transactions' | 'results' | 'result'
  /** For `result`: its index in the block. */
  readonly index?: number
  /** The node's own words. */
  readonly reason: string
}

/** Everything that ingest needs of one height. */
export interface FetchedBlock {
  readonly block: BlockMessage
  /** In block order: user transactions by collection, then system transactions. */
  readonly transactions: readonly TransactionMessage[]
  /** By position, the id of each transaction: 32 bytes, computed from its body. */
  readonly transactionIds: readonly Buffer[]
  /** By position, the result of each transaction; `undefined` where `missing` says why. */
  readonly results: readonly (TransactionResultMessage | undefined)[]
  readonly missing: readonly MissingPart[]
  /** Bytes received for it, the measure by which memory is bounded. */
  readonly byteLength: number
  /** The node that served it, for messages to people. */
  readonly endpoint: string
}

/** A header as far as following the chain needs it. */
export interface HeadMessage {
  readonly id: Buffer
  readonly parentId: Buffer
  readonly height: number
  readonly timestampUs: number
}
