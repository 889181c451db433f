import type { NodeBlock } from './node-chain.ts'
import { blockOf } from './node-view.ts'
import type { NodeView } from './node-view.ts'
import { Refusal } from './refusal.ts'
import { bytesField, bytesOf, numberOf, varintField } from './wire.ts'

/** How one subscription of `flow.access.AccessAPI` is answered: one message a block, from a height up to the head. */
export interface StreamMethod {
  /** The first height. @throws Refusal when there is no block to start from */
  start(view: NodeView, request: Buffer): number
  message(block: NodeBlock, request: Buffer): Buffer
}

type Start = StreamMethod['start']

/** A start above the head is NOT_FOUND, one below the root INVALID_ARGUMENT, as in flow-go's start height tracker. */
const fromHeight: Start = (view, request) => {
  const height = numberOf(request, 1)
  if (height < view.sporkRootHeight) {
    const root = view.sporkRootHeight
    throw new Refusal('INVALID_ARGUMENT', `start height must be greater than or equal to the root height ${root}`)
  }
  if (height > view.head) throw new Refusal('NOT_FOUND', `could not get header for height ${height}: key not found`)
  return height
}
const fromBlockId: Start = (view, request) => blockOf(view, bytesOf(request, 1)).height
const fromLatest: Start = (view) => view.head

const header = (block: NodeBlock): Buffer => bytesField(1, block.header)
const digest = (block: NodeBlock): Buffer =>
  Buffer.concat([bytesField(1, block.id), varintField(2, block.height), bytesField(3, block.timestamp)])
const blockAsAsked =
  (fullFieldNumber: number) =>
  (block: NodeBlock, request: Buffer): Buffer =>
    bytesField(1, numberOf(request, fullFieldNumber) === 1 ? block.full : block.light)

/**
 * The subscriptions. A stream keeps its next height when the chain is switched to another version: it tells no
 * height twice, as on a real node, so a client learns of a rollback only from parent ids.
 */
export const streamMethods: Readonly<Record<string, StreamMethod>> = {
  SubscribeBlocksFromStartHeight: { start: fromHeight, message: blockAsAsked(3) },
  SubscribeBlocksFromStartBlockID: { start: fromBlockId, message: blockAsAsked(3) },
  SubscribeBlocksFromLatest: { start: fromLatest, message: blockAsAsked(2) },
  SubscribeBlockHeadersFromStartHeight: { start: fromHeight, message: header },
  SubscribeBlockHeadersFromStartBlockID: { start: fromBlockId, message: header },
  SubscribeBlockHeadersFromLatest: { start: fromLatest, message: header },
  SubscribeBlockDigestsFromStartHeight: { start: fromHeight, message: digest },
  SubscribeBlockDigestsFromStartBlockID: { start: fromBlockId, message: digest },
  SubscribeBlockDigestsFromLatest: { start: fromLatest, message: digest },
}
