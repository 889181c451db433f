import { status } from '@grpc/grpc-js'
import type { EventEncoding } from '../../src/access/messages.ts'
import { bytesField, numberOf, varintField } from './wire.ts'

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

/** A gRPC status by name, e.g. `NOT_FOUND`. */
export type StatusName = Exclude<keyof typeof status, 'OK'>

/** A call ends with this status instead of an answer. */
export class Refusal extends Error {
  /** gRPC status code by number. */
  readonly code: number

  constructor(code: number | StatusName, message: string) {
    super(message)
    this.name = 'Refusal'
    this.code = typeof code === 'number' ? code : status[code]
  }
}

/** What a node shows at one moment: a chain, up to a head, from a root on. */
export interface NodeView<Chain extends NodeChain = NodeChain> {
  readonly chain: Chain
  /** The latest height; everything is sealed at once, as on the emulator. */
  readonly head: number
  /** The lowest height that is served; the chain may go deeper. */
  readonly sporkRootHeight: number
  /** Chains served before whose blocks are still found by id, as orphans. */
  readonly orphanChains: readonly Chain[]
}

/**
 * A height, if the node serves it.
 * @throws Refusal NOT_FOUND: above the head with the emulator's words, below the root with those of a node of a later
 *   spork. Source: flow-go `engine/access/rpc/backend`, where heights are resolved.
 */
export function servedHeight(view: NodeView, height: number): number {
  if (height < view.sporkRootHeight) {
    throw new Refusal(
      'NOT_FOUND',
      `block height ${height} is less than the spork root block height ` +
        `${view.sporkRootHeight}. Try to use a historic node: key not found`,
    )
  }
  if (height > view.head) throw new Refusal('NOT_FOUND', `could not find block at height ${height}`)
  return height
}

/** The block at a height. @throws Refusal NOT_FOUND, as `servedHeight` */
export function blockAt(view: NodeView, height: number): NodeBlock {
  return view.chain.block(servedHeight(view, height))
}

/** The block of an id, or undefined where the node does not know it or does not have it yet. */
export function findBlock(view: NodeView, id: Buffer): NodeBlock | undefined {
  const height = view.chain.heightOfBlock(id)
  if (height === undefined || height > view.head || height < view.sporkRootHeight) return undefined
  return view.chain.block(height)
}

/** A block that was served before the chain was switched, where the node keeps such blocks. */
export function findOrphan(view: NodeView, id: Buffer): NodeBlock | undefined {
  for (const chain of view.orphanChains) {
    const height = chain.heightOfBlock(id)
    if (height !== undefined) return chain.block(height)
  }
  return undefined
}

/** The block of an id. @throws Refusal NOT_FOUND */
export function blockOf(view: NodeView, id: Buffer): NodeBlock {
  const block = findBlock(view, id)
  if (block === undefined) throw new Refusal('NOT_FOUND', unknownBlock(id))
  return block
}

/** The block of an id for the calls that list its content. @throws Refusal INTERNAL, as the emulator does */
export function blockForContent(view: NodeView, id: Buffer): NodeBlock {
  const block = findBlock(view, id)
  if (block === undefined) {
    throw new Refusal('INTERNAL', `failed to get block ${id.toString('hex')}: ${unknownBlock(id)}`)
  }
  const { bulkError } = block
  if (bulkError !== undefined) throw new Refusal(bulkError.code, bulkError.message)
  return block
}

function unknownBlock(id: Buffer): string {
  return `could not find block with ID ${id.toString('hex')}`
}

/** How one unary call of `flow.access.AccessAPI` is answered. */
export interface UnaryMethod<Chain extends NodeChain = NodeChain> {
  /** @throws Refusal when the call ends with another status than OK */
  answer(view: NodeView<Chain>, request: Buffer): Buffer
  /** The height that the call is about, where it is about one that the node knows. */
  height?(view: NodeView<Chain>, request: Buffer): number | undefined
}

/** `event_encoding_version` of a request; its field number differs from message to message. */
export function encodingOf(request: Buffer, fieldNumber: number): EventEncoding {
  return numberOf(request, fieldNumber) === 1 ? 'ccf' : 'json-cdc'
}

/** The field every answer ends with. */
export function metadataField(view: NodeView, fieldNumber: number): Buffer {
  return bytesField(fieldNumber, view.chain.metadata)
}

/** `block_status`: everything is SEALED. */
export const sealedField = varintField(2, 2)

/** How a call ends without an answer. */
export interface CallFailure {
  /** gRPC status code. */
  readonly code: number
  readonly details: string
}

/** A call with one request and one answer, by whatever protocol it came. It is answered or fails, once; it may also get nothing. */
export interface UnaryCall {
  /** The client's `address:port`. */
  readonly peer: string
  /** The message of the call's request. */
  readonly request: Buffer
  answer(message: Buffer): void
  fail(failure: CallFailure): void
}
