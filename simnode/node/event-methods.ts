import type { EventEncoding } from '../../src/access/messages.ts'
import type { NodeBlock } from './node-chain.ts'
import { blockOf } from './node-view.ts'
import type { NodeView } from './node-view.ts'
import { Refusal } from './refusal.ts'
import { encodingOf, metadataField } from './unary-method.ts'
import type { UnaryMethod } from './unary-method.ts'
import { bytesField, bytesOf, contentsOf, numberOf, varintField } from './wire.ts'

/** `EventsResponse.Result` of one block: its events of exactly that type. */
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

/** The calls for events of one type. A range ends silently at the head and has no other limit, as on the emulator. */
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
