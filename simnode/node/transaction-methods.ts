import type { EventEncoding } from '../../src/access/messages.ts'
import type { NodeBlock, NodeView, UnaryMethod } from './node-view.ts'
import { blockForContent, findBlock, Refusal, encodingOf, metadataField, blockOf } from './node-view.ts'
import { bytesField, bytesOf, numberOf, repeatedMessage, contentsOf, varintField } from './wire.ts'

const zeroId = Buffer.alloc(32)

function unknownTransaction(id: Buffer): Refusal {
  return new Refusal('NOT_FOUND', `could not find transaction with ID ${id.toString('hex')}`)
}

/** Past the end the emulator names the zero id. */
function singleResult(view: NodeView, block: NodeBlock, index: number, encoding: EventEncoding): Buffer {
  const result = block.results(encoding)[index]
  if (result === undefined) throw unknownTransaction(zeroId)
  return Buffer.concat([result, metadataField(view, 9)])
}

function transactionResponse(view: NodeView, body: Buffer): Buffer {
  return Buffer.concat([bytesField(1, body), metadataField(view, 2)])
}

function repeated(view: NodeView, messages: readonly Buffer[]): Buffer {
  return repeatedMessage(1, messages, metadataField(view, 2))
}

function placeOf(view: NodeView, request: Buffer): { block: NodeBlock; index: number } | undefined {
  const id = bytesOf(request, 1)
  const blockId = bytesOf(request, 2)
  const place = view.chain.placeOfTransaction(id)
  let block: NodeBlock | undefined
  if (blockId.length > 0) block = findBlock(view, blockId)
  else if (place !== undefined && place.height <= view.head && place.height >= view.sporkRootHeight) {
    block = view.chain.block(place.height)
  }
  const index = block?.transactionIds.findIndex((candidate) => candidate.equals(id)) ?? -1
  return block === undefined || index === -1 ? undefined : { block, index }
}

const byBlockId = (view: NodeView, request: Buffer): number | undefined => view.chain.heightOfBlock(bytesOf(request, 1))
const byTransaction = (view: NodeView, request: Buffer): number | undefined => placeOf(view, request)?.block.height

/** Default: the system chunk. */
function systemIndex(view: NodeView, request: Buffer, idFieldNumber: number): { block: NodeBlock; index: number } {
  const block = findBlock(view, bytesOf(request, 1))
  const id = bytesOf(request, idFieldNumber)
  const count = block?.transactionIds.length ?? 0
  const index = id.length === 0 ? count - 1 : (block?.transactionIds.findIndex((x) => x.equals(id)) ?? -1)
  if (block === undefined || index < block.userTransactionCount) {
    throw unknownTransaction(id.length === 0 ? zeroId : id)
  }
  return { block, index }
}

export const transactionMethods: Readonly<Record<string, UnaryMethod>> = {
  GetTransactionsByBlockID: {
    height: byBlockId,
    answer: (view, request) => repeated(view, blockForContent(view, bytesOf(request, 1)).transactions),
  },
  GetTransactionResultsByBlockID: {
    height: byBlockId,
    answer: (view, request) =>
      repeated(view, blockForContent(view, bytesOf(request, 1)).results(encodingOf(request, 2))),
  },
  GetTransactionResultByIndex: {
    height: byBlockId,
    answer: (view, request) =>
      singleResult(view, blockForContent(view, bytesOf(request, 1)), numberOf(request, 2), encodingOf(request, 3)),
  },
  GetTransaction: {
    height: byTransaction,
    answer(view, request) {
      const id = bytesOf(request, 1)
      const place = placeOf(view, bytesField(1, id))
      const body = place?.block.transactions[place.index] ?? view.chain.systemTransaction(id)
      if (body === undefined) throw unknownTransaction(id)
      return transactionResponse(view, body)
    },
  },
  GetTransactionResult: {
    height: byTransaction,
    answer(view, request) {
      const place = placeOf(view, request)
      if (place !== undefined) return singleResult(view, place.block, place.index, encodingOf(request, 4))
      // Unknown transactions are not an error: status UNKNOWN, zero ids.
      const ids = [5, 6, 7].map((number) => bytesField(number, zeroId))
      return Buffer.concat([...ids, metadataField(view, 9)])
    },
  },
  GetSystemTransaction: {
    height: byBlockId,
    answer(view, request) {
      const { block, index } = systemIndex(view, request, 2)
      return transactionResponse(view, block.transactions[index] as Buffer)
    },
  },
  GetSystemTransactionResult: {
    height: byBlockId,
    answer(view, request) {
      const { block, index } = systemIndex(view, request, 4)
      return singleResult(view, block, index, encodingOf(request, 2))
    },
  },
}

function eventsOf(block: NodeBlock, type: string, encoding: EventEncoding): Buffer {
  const events = [...block.eventsBesideResults(type, encoding)]
  for (const result of block.results(encoding)) {
    for (const event of contentsOf(result, 4)) if (bytesOf(event, 1).toString() === type) events.push(event)
  }
  return Buffer.concat([
    bytesField(1, block.id),
    varintField(2, block.height),
    ...events.map((event) => bytesField(3, event)),
    bytesField(4, block.timestamp),
  ])
}

function response(view: NodeView, results: readonly Buffer[]): Buffer {
  return Buffer.concat([...results.map((result) => bytesField(1, result)), metadataField(view, 2)])
}

/** A range ends silently at the head, as on the emulator. */
export const eventMethods: Readonly<Record<string, UnaryMethod>> = {
  GetEventsForHeightRange: {
    answer(view, request) {
      const [from, to] = [numberOf(request, 2), numberOf(request, 3)]
      if (to < from) {
        throw new Refusal('INVALID_ARGUMENT', `start height (${from}) must not be larger than end height (${to})`)
      }
      const type = bytesOf(request, 1).toString()
      const results: Buffer[] = []
      for (let height = Math.max(from, view.sporkRootHeight); height <= Math.min(to, view.head); height++) {
        results.push(eventsOf(view.chain.block(height), type, encodingOf(request, 4)))
      }
      return response(view, results)
    },
  },
  GetEventsForBlockIDs: {
    answer(view, request) {
      const type = bytesOf(request, 1).toString()
      const blocks = contentsOf(request, 2).map((id) => blockOf(view, id))
      return response(
        view,
        blocks.map((block) => eventsOf(block, type, encodingOf(request, 3))),
      )
    },
  },
}
