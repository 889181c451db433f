import type { EventEncoding } from '../../../src/access/messages.ts'
import { ByteWriter } from '../../../src/platform/byte-writer.ts'
import type { EventShape } from './cadence-type.ts'
import type { CadenceValue } from './cadence-value.ts'
import { writeEventPayload } from './event-payload.ts'
import { messagesOf } from './message-batch.ts'
import { beginMessage, endMessage, writeBytesField, writeBytesIfAny, writeVarintField } from './protobuf.ts'

/** An event as a result tells it: what it is of, and the values of its fields in their order. */
export interface EventParts {
  readonly shape: EventShape
  readonly values: readonly CadenceValue[]
}

/** The result of one transaction of a block. */
export interface ResultParts {
  /** 32 bytes. */
  readonly transactionId: Buffer
  /** 32 bytes, zeros for a system transaction. */
  readonly collectionId: Buffer
  /** Undefined where it succeeded. */
  readonly error: string | undefined
  readonly computation: number
  readonly events: readonly EventParts[]
}

const sealed = 4
const failed = 1

const typeFields = new Map<EventShape, Buffer>()

/** `TransactionResultResponse` messages of a block's transactions in their order, without metadata. */
export function resultMessages(
  block: { readonly height: number; readonly id: Buffer },
  results: readonly ResultParts[],
  encoding: EventEncoding,
): Buffer[] {
  return messagesOf(results, (out, result, transactionIndex) => {
    writeVarintField(out, 1, sealed)
    if (result.error !== undefined) {
      writeVarintField(out, 2, failed)
      writeBytesIfAny(out, 3, Buffer.from(result.error))
    }
    result.events.forEach((event, eventIndex) => {
      const start = beginMessage(out, 4)
      writeEvent(out, event, result.transactionId, transactionIndex, eventIndex, encoding)
      endMessage(out, start)
    })
    writeBytesField(out, 5, block.id)
    writeBytesField(out, 6, result.transactionId)
    writeBytesField(out, 7, result.collectionId)
    writeVarintField(out, 8, block.height)
    writeVarintField(out, 10, result.computation)
  })
}

function writeEvent(
  out: ByteWriter,
  { shape, values }: EventParts,
  transactionId: Buffer,
  transactionIndex: number,
  eventIndex: number,
  encoding: EventEncoding,
): void {
  out.raw(typeField(shape))
  writeBytesField(out, 2, transactionId)
  writeVarintField(out, 3, transactionIndex)
  writeVarintField(out, 4, eventIndex)
  const start = beginMessage(out, 5)
  writeEventPayload(out, shape, values, encoding)
  endMessage(out, start)
}

/** The field `type` of the events of a shape. */
function typeField(shape: EventShape): Buffer {
  const found = typeFields.get(shape)
  if (found !== undefined) return found
  const out = new ByteWriter(128)
  writeBytesField(out, 1, Buffer.from(shape.id))
  const made = out.view()
  typeFields.set(shape, made)
  return made
}
