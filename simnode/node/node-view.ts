import { status } from '@grpc/grpc-js'
import type { EventEncoding } from '../../src/access/messages.ts'
import { bytesField, numberOf, varintField } from './wire.ts'

export interface NodeError {
  readonly code: number
  readonly message: string
}

export interface NodeBlock {
  readonly height: number
  /** 32 bytes. */
  readonly id: Buffer
  /** `google.protobuf.Timestamp` */
  readonly timestamp: Buffer
  /** `entities.Block` without `full_block_response` */
  readonly light: Buffer
  /** `entities.Block` with `full_block_response` */
  readonly full: Buffer
  /** `entities.BlockHeader` */
  readonly header: Buffer
  /** In the order of the guarantees. */
  readonly collections: readonly Buffer[]
  /** System transactions last. */
  readonly transactions: readonly Buffer[]
  /** A system transaction has the same id in every block. */
  readonly transactionIds: readonly Buffer[]
  readonly userTransactionCount: number
  readonly hasFailedTransaction: boolean
  /** Instead of transactions and results. */
  readonly bulkError: NodeError | undefined
  /** Without metadata. */
  results(encoding: EventEncoding): readonly Buffer[]
  /** Returned by the event calls only. */
  eventsBesideResults(type: string, encoding: EventEncoding): readonly Buffer[]
}

/** Index: among the block's transactions or collections. */
export interface ChainPlace {
  readonly height: number
  readonly index: number
}

/** Responses do not depend on earlier calls. */
export interface NodeChain {
  readonly name: string
  readonly lowest: number
  /** Infinity for an endless chain. */
  readonly highest: number
  readonly firstHead: number
  /** The same in every answer. */
  readonly metadata: Buffer
  /** @param height from `lowest` to `highest` */
  block(height: number): NodeBlock
  heightOfBlock(id: Buffer): number | undefined
  placeOfCollection(id: Buffer): ChainPlace | undefined
  /** The last place if it occurs several times. */
  placeOfTransaction(id: Buffer): ChainPlace | undefined
  systemTransaction(id: Buffer): Buffer | undefined
}

export type StatusName = Exclude<keyof typeof status, 'OK'>

/** A call ends with this status instead of an answer. */
export class Refusal extends Error {
  readonly code: number

  constructor(code: number | StatusName, message: string) {
    super(message)
    this.name = 'Refusal'
    this.code = typeof code === 'number' ? code : status[code]
  }
}

export interface NodeView<Chain extends NodeChain = NodeChain> {
  readonly chain: Chain
  /** The latest height, sealed as on the emulator. */
  readonly head: number
  readonly sporkRootHeight: number
  /** Chains whose blocks are found by id, as orphans. */
  readonly orphanChains: readonly Chain[]
}

/**
 * @throws Refusal NOT_FOUND, with the emulator's message above the head and a later spork's below
 * the root. Source: flow-go `engine/access/rpc/backend`.
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

export function blockAt(view: NodeView, height: number): NodeBlock {
  return view.chain.block(servedHeight(view, height))
}

/** Undefined also above the head. */
export function findBlock(view: NodeView, id: Buffer): NodeBlock | undefined {
  const height = view.chain.heightOfBlock(id)
  if (height === undefined || height > view.head || height < view.sporkRootHeight) return undefined
  return view.chain.block(height)
}

export function findOrphan(view: NodeView, id: Buffer): NodeBlock | undefined {
  for (const chain of view.orphanChains) {
    const height = chain.heightOfBlock(id)
    if (height !== undefined) return chain.block(height)
  }
  return undefined
}

export function blockOf(view: NodeView, id: Buffer): NodeBlock {
  const block = findBlock(view, id)
  if (block === undefined) throw new Refusal('NOT_FOUND', unknownBlock(id))
  return block
}

/** @throws Refusal INTERNAL, as the emulator does */
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

export interface UnaryMethod<Chain extends NodeChain = NodeChain> {
  /** @throws Refusal */
  answer(view: NodeView<Chain>, request: Buffer): Buffer
  height?(view: NodeView<Chain>, request: Buffer): number | undefined
}

export function encodingOf(request: Buffer, fieldNumber: number): EventEncoding {
  return numberOf(request, fieldNumber) === 1 ? 'ccf' : 'json-cdc'
}

export function metadataField(view: NodeView, fieldNumber: number): Buffer {
  return bytesField(fieldNumber, view.chain.metadata)
}

export const sealedField = varintField(2, 2)

export interface CallFailure {
  readonly code: number
  readonly details: string
}

/** Answered or failed once; a fault may do neither. */
export interface UnaryCall {
  /** The client's `address:port`. */
  readonly peer: string
  readonly request: Buffer
  answer(message: Buffer): void
  fail(failure: CallFailure): void
}
