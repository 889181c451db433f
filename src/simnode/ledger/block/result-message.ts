import type { EventEncoding } from '../../../access/messages.ts'
import type { DraftTransaction } from '../draft.ts'
import { writeEventPayload } from '../encoding/event-payload.ts'
import { MessageWriter } from './message-writer.ts'

const writer = new MessageWriter(256 * 1024)
const sealed = 4

/** Where a transaction stands. */
export interface ResultPlace {
  readonly height: number
  readonly blockId: Buffer
  readonly transactionId: Buffer
  /** All zero for a system transaction. */
  readonly collectionId: Buffer
  /** Within the block. */
  readonly index: number
}

/** `TransactionResultResponse` without metadata. */
export function encodeResult(draft: DraftTransaction, place: ResultPlace, encoding: EventEncoding): Buffer {
  writer.clear()
  writer.number(1, sealed)
  if (draft.error !== undefined) {
    writer.number(2, 1)
    writer.content(3, Buffer.from(draft.error))
  }
  draft.events.forEach(({ shape, values }, index) => {
    writer.nested(4, () => {
      writer.content(1, typeBytes(shape.id))
      writer.content(2, place.transactionId)
      writer.number(3, place.index)
      writer.number(4, index)
      writer.nested(5, () => writeEventPayload(writer, shape, values, encoding))
    })
  })
  writer.content(5, place.blockId)
  writer.content(6, place.transactionId)
  writer.content(7, place.collectionId)
  writer.number(8, place.height)
  writer.number(10, draft.computation)
  return writer.take()
}

const knownTypes = new Map<string, Buffer>()

function typeBytes(type: string): Buffer {
  const found = knownTypes.get(type)
  if (found !== undefined) return found
  const bytes = Buffer.from(type)
  knownTypes.set(type, bytes)
  return bytes
}
