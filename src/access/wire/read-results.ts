import { transactionStatuses } from '../messages.ts'
import type { EventMessage, TransactionResultMessage } from '../messages.ts'
import { EventTypeCache } from './event-type-cache.ts'
import type { Mutable } from './mutable.ts'
import { noBytes, WireReader } from './wire-reader.ts'

/** Shared by all answers: a few hundred types make up almost all events of a network. */
const eventTypes = new EventTypeCache()

/** Reads a `TransactionResultsResponse`. */
export function readTransactionResultsResponse(answer: Buffer): TransactionResultMessage[] {
  const reader = new WireReader(answer)
  const results: TransactionResultMessage[] = []
  while (reader.position < reader.limit) {
    const tag = reader.tag()
    if (tag === 0x0a) {
      const outer = reader.enter()
      results.push(readResult(reader))
      reader.limit = outer
    } else reader.skip(tag)
  }
  return results
}

/** Reads a `TransactionResultResponse` of either service; the legacy one has no transaction id. */
export function readTransactionResultResponse(answer: Buffer): TransactionResultMessage {
  return readResult(new WireReader(answer))
}

function readResult(reader: WireReader): TransactionResultMessage {
  const result: Mutable<TransactionResultMessage> = {
    transactionId: noBytes,
    status: 'UNKNOWN',
    statusCode: 0,
    errorMessage: '',
    events: [],
    collectionId: noBytes,
    computationUsage: 0n,
  }
  while (reader.position < reader.limit) {
    const tag = reader.tag()
    switch (tag) {
      case 0x08:
        result.status = transactionStatuses[reader.int32()] ?? 'UNKNOWN'
        break
      case 0x10:
        result.statusCode = reader.uint32()
        break
      case 0x1a:
        result.errorMessage = reader.string()
        break
      case 0x22:
        result.events.push(readEvent(reader))
        break
      case 0x32:
        result.transactionId = reader.view()
        break
      case 0x3a:
        result.collectionId = reader.view()
        break
      case 0x50:
        result.computationUsage = reader.uint64()
        break
      default:
        reader.skip(tag)
    }
  }
  return result
}

function readEvent(reader: WireReader): EventMessage {
  let type = ''
  let transactionIndex = 0
  let eventIndex = 0
  let payload: Buffer = noBytes
  const outer = reader.enter()
  while (reader.position < reader.limit) {
    const tag = reader.tag()
    switch (tag) {
      case 0x0a:
        type = reader.cachedString(eventTypes)
        break
      case 0x18:
        transactionIndex = reader.uint32()
        break
      case 0x20:
        eventIndex = reader.uint32()
        break
      case 0x2a:
        payload = reader.view()
        break
      default:
        reader.skip(tag)
    }
  }
  reader.limit = outer
  return { type, transactionIndex, eventIndex, payload }
}
