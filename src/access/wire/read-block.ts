import type { BlockMessage, HeadMessage } from '../messages.ts'
import { noBytes, WireReader } from './wire-reader.ts'
import type { Mutable } from './wire-reader.ts'

/** Either service. @throws WireError, also for a response without a block */
export function readBlockResponse(answer: Buffer): BlockMessage {
  const block: Mutable<BlockMessage> = { ...emptyHead(), collectionIds: [] }
  readFirstField(answer, (reader) => {
    const tag = reader.tag()
    if (tag === 0x2a) readGuarantee(reader, block.collectionIds)
    else readHeadField(reader, tag, block)
  })
  return block
}

/** Either service. @throws WireError, also for a response without a header */
export function readBlockHeaderResponse(answer: Buffer): HeadMessage {
  const head = emptyHead()
  readFirstField(answer, (reader) => readHeadField(reader, reader.tag(), head))
  return head
}

function emptyHead(): Mutable<HeadMessage> {
  return { id: noBytes, parentId: noBytes, height: 0, timestampUs: 0 }
}

function readFirstField(answer: Buffer, readField: (reader: WireReader) => void): void {
  const reader = new WireReader(answer)
  let found = false
  while (reader.position < reader.limit) {
    const tag = reader.tag()
    if (tag === 0x0a) {
      found = true
      const outer = reader.enter()
      while (reader.position < reader.limit) readField(reader)
      reader.limit = outer
    } else reader.skip(tag)
  }
  if (!found) reader.fail('response without a block')
}

function readHeadField(reader: WireReader, tag: number, head: Mutable<HeadMessage>): void {
  switch (tag) {
    case 0x0a:
      head.id = reader.view()
      break
    case 0x12:
      head.parentId = reader.view()
      break
    case 0x18:
      head.height = reader.count()
      break
    case 0x22:
      head.timestampUs = readTimestamp(reader, head.timestampUs)
      break
    default:
      reader.skip(tag)
  }
}

function readGuarantee(reader: WireReader, collectionIds: Buffer[]): void {
  let id: Buffer = noBytes
  const outer = reader.enter()
  while (reader.position < reader.limit) {
    const tag = reader.tag()
    if (tag === 0x0a) id = reader.view()
    else reader.skip(tag)
  }
  reader.limit = outer
  collectionIds.push(id)
}

/**
 * Microseconds since 1970, rounded down.
 * @param before value of an earlier part of the same field: protobuf merges them
 */
function readTimestamp(reader: WireReader, before: number): number {
  let seconds = Math.floor(before / 1e6)
  let micros = before - seconds * 1e6
  const outer = reader.enter()
  while (reader.position < reader.limit) {
    const tag = reader.tag()
    switch (tag) {
      case 0x08:
        seconds = reader.signedCount()
        break
      case 0x10:
        micros = Math.floor(reader.int32() / 1000)
        break
      default:
        reader.skip(tag)
    }
  }
  reader.limit = outer
  const result = seconds * 1e6 + micros
  if (!Number.isSafeInteger(result)) reader.fail('timestamp out of range')
  return result
}

/**
 * Either service; ids are views into the response.
 * @throws WireError, also for a response without a collection
 */
export function readCollectionResponse(answer: Buffer): Buffer[] {
  const reader = new WireReader(answer)
  const transactionIds: Buffer[] = []
  let found = false
  while (reader.position < reader.limit) {
    const tag = reader.tag()
    if (tag === 0x0a) {
      found = true
      const outer = reader.enter()
      while (reader.position < reader.limit) {
        const field = reader.tag()
        if (field === 0x12) transactionIds.push(reader.view())
        else reader.skip(field)
      }
      reader.limit = outer
    } else reader.skip(tag)
  }
  if (!found) reader.fail('response without a collection')
  return transactionIds
}
