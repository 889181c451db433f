import { hash } from 'node:crypto'
import type { CorruptEventFault, EditingFault, OversizedFault } from './faults.ts'
import { bytesField, bytesOf, contentsOf, keepFields, numberOf, readFields, rewrite, varintField } from './wire.ts'

const tag = { payload: 129, eventType: 162, structType: 160, reference: 136, array: 139, simple: 137 } as const

const anyStruct = 39

/** RFC 8949 §3. */
function head(major: number, argument: number): Buffer {
  const initial = major << 5
  if (argument < 24) return Buffer.from([initial | argument])
  if (argument < 0x1_0000) return Buffer.from([initial | 25, argument >> 8, argument & 0xff])
  const bytes = Buffer.alloc(5, initial | 26)
  bytes.writeUInt32BE(argument, 1)
  return bytes
}

const bytes = (value: Buffer): Buffer => Buffer.concat([head(2, value.length), value])
const text = (value: string): Buffer => Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
const array = (...items: readonly Buffer[]): Buffer => Buffer.concat([head(4, items.length), ...items])
const tagged = (number: number, item: Buffer): Buffer => Buffer.concat([Buffer.from([0xd8, number]), item])

interface ExpandingEvent {
  readonly type: string
  readonly structs: number
  /** Length of the structs' only field name. */
  readonly nameLength: number
}

/** The field's name occurs once in CCF, but once per struct in JSON. */
export function expandingPayload({ type, structs, nameLength }: ExpandingEvent): Buffer {
  const eventId = Buffer.alloc(0)
  const structId = Buffer.from([1])
  const structField = array(text('n'.repeat(nameLength)), tagged(tag.simple, head(0, anyStruct)))
  const eventField = array(text('f'), tagged(tag.array, tagged(tag.reference, bytes(structId))))
  const definitions = array(
    tagged(tag.eventType, array(bytes(eventId), text(type), array(eventField))),
    tagged(tag.structType, array(bytes(structId), text(`${type}Struct`), array(structField))),
  )
  const nil = Buffer.from([0xf6])
  const values = Array.from({ length: structs }, () => array(nil))
  return tagged(tag.payload, array(definitions, array(tagged(tag.reference, bytes(eventId)), array(array(...values)))))
}

/** Unused by all messages of the access API. */
const unknownFieldNumber = 15_000

/** Wire type 7 does not exist: no reader accepts these bytes. */
function garbage(length: number): Buffer {
  return Buffer.alloc(length, 0xff)
}

/** Neither CBOR nor JSON: a break code without a beginning. */
const corruptPayload = Buffer.from([0xff, 0x00, 0xff, 0x00])

function otherId(...parts: (Buffer | string)[]): Buffer {
  return hash('sha3-256', Buffer.concat(parts.map((part) => Buffer.from(part))), 'buffer')
}

type BlockEdit = (number: number, content: Buffer) => Buffer | undefined

function editBlocks(method: string, answer: Buffer, editOf: (message: Buffer) => BlockEdit): Buffer {
  const isHeader = method.includes('Header')
  return editEach(answer, 1, (message) => {
    const edit = editOf(message)
    const inHeader = (header: Buffer): Buffer => rewrite(header, (field, content) => edit(field.number, content))
    if (isHeader) return inHeader(message)
    return rewrite(message, (field, content) =>
      field.number === 10 ? bytesField(10, inHeader(content)) : edit(field.number, content),
    )
  })
}

const wrongParent = (message: Buffer): BlockEdit => {
  const parentId = otherId(bytesOf(message, 2), bytesOf(message, 1))
  return (number) => (number === 2 ? bytesField(2, parentId) : undefined)
}

const heightAdded =
  (ahead: number) =>
  (message: Buffer): BlockEdit => {
    const height = numberOf(message, 3) + ahead
    const id = otherId(bytesOf(message, 1), String(height))
    return (number) => {
      if (number === 1) return bytesField(1, id)
      return number === 3 ? varintField(3, height) : undefined
    }
  }

function editEach(message: Buffer, number: number, edit: (content: Buffer, index: number) => Buffer): Buffer {
  let index = 0
  return rewrite(message, (field, content) =>
    field.number === number ? bytesField(number, edit(content, index++)) : undefined,
  )
}

function withoutLastResults(answer: Buffer, count: number): Buffer {
  const kept = contentsOf(answer, 1).length - count
  let index = 0
  return rewrite(answer, (field) => (field.number === 1 && index++ >= kept ? Buffer.alloc(0) : undefined))
}

function oversized(answer: Buffer, fault: OversizedFault): Buffer {
  const missing = Math.max(0, fault.bytes - answer.length)
  if (fault.by === 'expanding-events') return withExpandingEvents(answer, missing)
  if (fault.by !== 'events') return Buffer.concat([answer, bytesField(unknownFieldNumber, Buffer.alloc(missing))])
  let done = false
  return editEach(answer, 1, (result) => {
    const events = contentsOf(result, 4)
    const last = events.at(-1)
    if (done || last === undefined) return result
    done = true
    const indexless = keepFields(last, [1, 2, 3])
    const payload = bytesField(5, bytesOf(last, 5))
    const copies: Buffer[] = []
    for (let bytes = 0; bytes < missing;) {
      const copy = bytesField(4, Buffer.concat([indexless, varintField(4, events.length + copies.length), payload]))
      copies.push(copy)
      bytes += copy.length
    }
    const afterEvents = readFields(result).findLast((field) => field.number === 4)?.end ?? result.length
    return Buffer.concat([result.subarray(0, afterEvents), ...copies, result.subarray(afterEvents)])
  })
}

const expandingType = 'A.0000000000000001.Expanding.Event'
/** 62 kB in CCF, 64 MB of text. */
const expanding = expandingPayload({ type: expandingType, structs: 1100, nameLength: 59_000 })

/** Adds four events to each result. */
function withExpandingEvents(answer: Buffer, bytes: number): Buffer {
  let left = bytes
  return editEach(answer, 1, (result) => {
    const events = contentsOf(result, 4)
    const first = events[0]
    if (first === undefined || left <= 0) return result
    const transaction = keepFields(first, [2, 3])
    const copies = Array.from({ length: 4 }, (_, index) => {
      return Buffer.concat([
        bytesField(1, Buffer.from(expandingType)),
        transaction,
        varintField(4, index),
        bytesField(5, expanding),
      ])
    })
    left -= 4 * expanding.length
    const withoutField4 = (message: Buffer): Buffer => {
      return rewrite(message, (field) => (field.number === 4 ? Buffer.alloc(0) : undefined))
    }
    const renumbered = events.map((event, index) => Buffer.concat([withoutField4(event), varintField(4, index + 4)]))
    const others = withoutField4(result)
    return Buffer.concat([others, ...[...copies, ...renumbered].map((event) => bytesField(4, event))])
  })
}

function withCorruptEvent(method: string, answer: Buffer, fault: CorruptEventFault): Buffer {
  const corrupt = (event: Buffer): Buffer => {
    const isIt = numberOf(event, 3) === fault.transactionIndex && numberOf(event, 4) === fault.eventIndex
    return isIt ? rewrite(event, (field) => (field.number === 5 ? bytesField(5, corruptPayload) : undefined)) : event
  }
  const inResult = (result: Buffer): Buffer =>
    numberOf(result, 8) === fault.height ? editEach(result, 4, corrupt) : result
  if (method === 'GetTransactionResultsByBlockID') return editEach(answer, 1, inResult)
  if (!method.startsWith('GetEvents')) return inResult(answer)
  return editEach(answer, 1, (block) => (numberOf(block, 2) === fault.height ? editEach(block, 3, corrupt) : block))
}

export function editAnswer(method: string, answer: Buffer, fault: EditingFault): Buffer {
  if (fault.kind === 'garbage') return garbage(fault.length ?? 64)
  if (fault.kind === 'wrong-parent') return editBlocks(method, answer, wrongParent)
  if (fault.kind === 'lying-head') return editBlocks(method, answer, heightAdded(fault.ahead))
  if (fault.kind === 'fewer-results') return withoutLastResults(answer, fault.count ?? 1)
  return fault.kind === 'oversized' ? oversized(answer, fault) : withCorruptEvent(method, answer, fault)
}
