import type { NodeBlock, NodeView, UnaryMethod } from './node-view.ts'
import { blockAt, blockOf, findBlock, findOrphan, Refusal, metadataField, sealedField } from './node-view.ts'
import { bytesField, bytesOf, contentsOf, numberOf, varintField } from './wire.ts'

function response(view: NodeView, message: Buffer): Buffer {
  return Buffer.concat([bytesField(1, message), sealedField, metadataField(view, 3)])
}

function inRequestedForm(block: NodeBlock, request: Buffer): Buffer {
  return numberOf(request, 2) === 1 ? block.full : block.light
}

/** `block_status` of an orphan is UNKNOWN, which proto3 omits. */
function byIdResponse(view: NodeView, request: Buffer, messageOf: (block: NodeBlock) => Buffer): Buffer {
  const id = bytesOf(request, 1)
  const orphan = findBlock(view, id) === undefined ? findOrphan(view, id) : undefined
  if (orphan === undefined) return response(view, messageOf(blockOf(view, id)))
  return Buffer.concat([bytesField(1, messageOf(orphan)), metadataField(view, 3)])
}

function collectionPlace(view: NodeView, request: Buffer): { block: NodeBlock; index: number } {
  const id = bytesOf(request, 1)
  const place = view.chain.placeOfCollection(id)
  if (place === undefined || place.height > view.head || place.height < view.sporkRootHeight) {
    throw new Refusal('NOT_FOUND', `could not find collection with ID ${id.toString('hex')}`)
  }
  return { block: view.chain.block(place.height), index: place.index }
}

const byHeight = (_view: NodeView, request: Buffer): number => numberOf(request, 1)
const byId = (view: NodeView, request: Buffer): number | undefined => view.chain.heightOfBlock(bytesOf(request, 1))
const byCollection = (view: NodeView, request: Buffer): number | undefined =>
  view.chain.placeOfCollection(bytesOf(request, 1))?.height
const latest = (view: NodeView): number => view.head

export const blockMethods: Readonly<Record<string, UnaryMethod>> = {
  GetLatestBlockHeader: { height: latest, answer: (view) => response(view, blockAt(view, view.head).header) },
  GetBlockHeaderByHeight: {
    height: byHeight,
    answer: (view, request) => response(view, blockAt(view, numberOf(request, 1)).header),
  },
  GetBlockHeaderByID: {
    height: byId,
    answer: (view, request) => byIdResponse(view, request, (block) => block.header),
  },
  GetLatestBlock: {
    height: latest,
    answer: (view, request) => response(view, inRequestedForm(blockAt(view, view.head), request)),
  },
  GetBlockByHeight: {
    height: byHeight,
    answer: (view, request) => response(view, inRequestedForm(blockAt(view, numberOf(request, 1)), request)),
  },
  GetBlockByID: {
    height: byId,
    answer: (view, request) => byIdResponse(view, request, (block) => inRequestedForm(block, request)),
  },
  GetCollectionByID: {
    height: byCollection,
    answer(view, request) {
      const { block, index } = collectionPlace(view, request)
      return Buffer.concat([bytesField(1, block.collections[index] as Buffer), metadataField(view, 2)])
    },
  },
  GetFullCollectionByID: {
    height: byCollection,
    answer(view, request) {
      const { block, index } = collectionPlace(view, request)
      const collection = block.collections[index] as Buffer
      const bodies = contentsOf(collection, 2).map((id) => {
        const place = block.transactionIds.findIndex((candidate) => candidate.equals(id))
        return bytesField(1, block.transactions[place] as Buffer)
      })
      return Buffer.concat([...bodies, metadataField(view, 2)])
    },
  },
}

/** One message a block, from a start height up to the head. */
export interface StreamMethod {
  /** @throws Refusal without a start block */
  start(view: NodeView, request: Buffer): number
  message(block: NodeBlock, request: Buffer): Buffer
}

type Start = StreamMethod['start']

/** As in flow-go's start height tracker. */
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
const requestedBlock =
  (fullFieldNumber: number) =>
  (block: NodeBlock, request: Buffer): Buffer =>
    bytesField(1, numberOf(request, fullFieldNumber) === 1 ? block.full : block.light)

/**
 * After a switch of the chain a stream continues at its next height, as on a real node: clients
 * detect a rollback by parent ids.
 */
export const streamMethods: Readonly<Record<string, StreamMethod>> = {
  SubscribeBlocksFromStartHeight: { start: fromHeight, message: requestedBlock(3) },
  SubscribeBlocksFromStartBlockID: { start: fromBlockId, message: requestedBlock(3) },
  SubscribeBlocksFromLatest: { start: fromLatest, message: requestedBlock(2) },
  SubscribeBlockHeadersFromStartHeight: { start: fromHeight, message: header },
  SubscribeBlockHeadersFromStartBlockID: { start: fromBlockId, message: header },
  SubscribeBlockHeadersFromLatest: { start: fromLatest, message: header },
  SubscribeBlockDigestsFromStartHeight: { start: fromHeight, message: digest },
  SubscribeBlockDigestsFromStartBlockID: { start: fromBlockId, message: digest },
  SubscribeBlockDigestsFromLatest: { start: fromLatest, message: digest },
}
