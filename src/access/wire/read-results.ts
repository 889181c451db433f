import { transactionStatuses } from '../messages.ts'
import type { EventMessage, TransactionResultMessage } from '../messages.ts'
import { noBytes, WireReader } from './wire-reader.ts'
import type { Mutable } from './wire-reader.ts'

/** Longer types are not cached, to bound memory. */
const maxLength = 512

interface Entry {
  readonly bytes: Buffer
  readonly text: string
}

/**
 * Interns event types by their bytes. A two-way table of fixed size: if both slots are taken, the
 * first is replaced.
 */
export class EventTypeCache {
  readonly #entries: (Entry | undefined)[]
  readonly #mask: number

  /** @param slots maximum number of types; a power of two */
  constructor(slots = 4096) {
    this.#entries = Array.from({ length: slots }, () => undefined)
    this.#mask = slots - 1
  }

  text(bytes: Buffer, from: number, to: number): string {
    const length = to - from
    if (length > maxLength) return bytes.toString('utf8', from, to)
    let hash = length
    for (let i = from; i < to; i++) hash = (Math.imul(hash, 31) + (bytes[i] as number)) | 0
    const slot = (hash ^ (hash >>> 15)) & this.#mask
    const first = this.#entries[slot]
    if (first !== undefined && same(first.bytes, bytes, from, length)) return first.text
    const other = slot ^ 1
    const second = this.#entries[other]
    if (second !== undefined && same(second.bytes, bytes, from, length)) return second.text
    const entry = { bytes: Buffer.from(bytes.subarray(from, to)), text: bytes.toString('utf8', from, to) }
    this.#entries[first !== undefined && second === undefined ? other : slot] = entry
    return entry.text
  }
}

function same(known: Buffer, bytes: Buffer, from: number, length: number): boolean {
  if (known.length !== length) return false
  for (let i = 0; i < length; i++) if (known[i] !== bytes[from + i]) return false
  return true
}

/** A few hundred types make up almost all events of a network. */
const eventTypes = new EventTypeCache()

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

/** Reads results of both services; the legacy one sends no transaction id. */
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
