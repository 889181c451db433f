import type { EventEncoding } from '../../src/access/messages.ts'

/** What a node says instead of an answer: the gRPC status code by number, and the words. */
export interface NodeError {
  readonly code: number
  readonly message: string
}

/** One block as the messages that answers are put together from. */
export interface NodeBlock {
  readonly height: number
  /** 32 bytes. */
  readonly id: Buffer
  /** `google.protobuf.Timestamp` */
  readonly timestamp: Buffer
  /** `entities.Block` as without `full_block_response`. */
  readonly light: Buffer
  /** `entities.Block` as with `full_block_response`. */
  readonly full: Buffer
  /** `entities.BlockHeader` */
  readonly header: Buffer
  /** `entities.Collection` messages in the order of the guarantees. */
  readonly collections: readonly Buffer[]
  /** `entities.Transaction` messages in block order, system transactions last. */
  readonly transactions: readonly Buffer[]
  /** By position. A system transaction has the same id wherever it stands. */
  readonly transactionIds: readonly Buffer[]
  /** How many of the transactions are in collections; the others are system transactions. */
  readonly userTransactionCount: number
  readonly hasFailedTransaction: boolean
  /** What the node says instead of listing transactions and results. */
  readonly bulkError: NodeError | undefined
  /** `TransactionResultResponse` messages in block order, without metadata. */
  results(encoding: EventEncoding): readonly Buffer[]
  /** `entities.Event` messages that only the calls for events of one type tell. */
  eventsBesideResults(type: string, encoding: EventEncoding): readonly Buffer[]
}

/** Where a transaction or a collection stands. */
export interface ChainPlace {
  readonly height: number
  readonly index: number
}

/** A chain that a node can serve. The same chain is the same bytes, whatever was asked of it before. */
export interface NodeChain {
  /** Which of the node's chains it is. */
  readonly name: string
  readonly lowest: number
  /** Infinity where it goes on for ever. */
  readonly highest: number
  /** The head of a node that was not told one. */
  readonly firstHead: number
  /** `entities.Metadata`, the same in every answer. */
  readonly metadata: Buffer
  /** @param height from `lowest` to `highest` */
  block(height: number): NodeBlock
  heightOfBlock(id: Buffer): number | undefined
  placeOfCollection(id: Buffer): ChainPlace | undefined
  /** Of a user transaction, the last place when it stands in several. */
  placeOfTransaction(id: Buffer): ChainPlace | undefined
  /** The body of a system transaction, which has the same id and body in many blocks. */
  systemTransaction(id: Buffer): Buffer | undefined
}
