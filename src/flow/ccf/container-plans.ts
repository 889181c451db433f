import type { ByteWriter } from '../../platform/byte-writer.ts'
import { dictionaryKey, dictionaryOf } from '../payload-value.ts'
import type { PayloadValue } from '../payload-value.ts'
import { typeId } from '../type-id.ts'
import type { CcfInput } from './ccf-input.ts'
import { quote, readHexItems, writeHexItems, writeRaw } from './json-text.ts'
import { writeNull } from './simple-plans.ts'
import type { TypePlan } from './type-plan.ts'

const comma = 0x2c
const colon = 0x3a
const emptyArrayHead = 0x80
const labels = { start: Buffer.from('{"start":'), end: Buffer.from(',"end":'), step: Buffer.from(',"step":') }

/** Nested optionals collapse: nil is nil at any level. */
export function optionalPlan(element: TypePlan): TypePlan {
  return {
    typeId: typeId.optional(element.typeId),
    kind: 'other',
    write(input, out, depth) {
      if (input.takeNil()) writeNull(out)
      else element.write(input, out, depth)
    },
    read: (input, depth) => (input.takeNil() ? null : element.read(input, depth)),
  }
}

/** A reference is encoded as its value. */
export function referencePlan(authorization: string | null, referenced: TypePlan): TypePlan {
  return { ...referenced, typeId: typeId.reference(authorization, referenced.typeId) }
}

/**
 * A non-empty array of UInt8 is bytes, by its type or, as in JSON-CDC, by the types that its items
 * name.
 */
export function arrayPlan(element: TypePlan, size?: number): TypePlan {
  const readCount = (input: CcfInput): number => {
    const count = input.readArray()
    if (size !== undefined && count !== size) throw input.fail(`${count} items in an array of ${size}`)
    return count
  }
  const isBytes = (input: CcfInput, count: number): boolean => {
    if (count === 0) return false
    return element.kind === 'uint8' || (element.kind === 'abstract' && allNameUInt8(input, count))
  }
  return {
    typeId:
      size === undefined
        ? typeId.variableSizedArray(element.typeId)
        : typeId.constantSizedArray(element.typeId, String(size)),
    kind: 'array',
    write(input, out, depth) {
      input.checkDepth(depth)
      const count = readCount(input)
      if (!isBytes(input, count)) writeItems(input, out, element, count, depth)
      else if (element.kind === 'uint8') writeHexItems(input, out, count)
      else out.utf8(`"${readNamedItemsAsHex(input, element, count, depth)}"`)
    },
    read(input, depth) {
      input.checkDepth(depth)
      const count = readCount(input)
      if (isBytes(input, count)) {
        return element.kind === 'uint8' ? readHexItems(input, count) : readNamedItemsAsHex(input, element, count, depth)
      }
      const items: PayloadValue[] = []
      for (let i = 0; i < count; i++) items.push(element.read(input, depth + 1))
      return items
    },
  }
}

/** `"0x"` if empty. */
export function byteFieldPlan(array: TypePlan): TypePlan {
  return {
    ...array,
    write(input, out, depth) {
      if (takeEmptyArray(input)) out.utf8('"0x"')
      else array.write(input, out, depth)
    },
    read: (input, depth) => (takeEmptyArray(input) ? '0x' : array.read(input, depth)),
  }
}

export function dictionaryPlan(key: TypePlan, value: TypePlan): TypePlan {
  const readCount = (input: CcfInput): number => {
    const items = input.readArray()
    if (items % 2 !== 0) throw input.fail('a dictionary has a key without a value')
    return items / 2
  }
  const read = (input: CcfInput, depth: number): PayloadValue => {
    input.checkDepth(depth)
    const pairs: Array<[PayloadValue, PayloadValue]> = []
    for (let count = readCount(input); count > 0; count--) {
      const name = key.read(input, depth + 1)
      pairs.push([name, value.read(input, depth + 1)])
    }
    return dictionaryOf(pairs)
  }
  return {
    typeId: typeId.dictionary(key.typeId, value.typeId),
    kind: 'other',
    write(input, out, depth) {
      input.checkDepth(depth)
      const start = input.position
      const outStart = out.position
      const seen = new Set<string>()
      const count = readCount(input)
      out.uint8(0x7b)
      for (let i = 0; i < count; i++) {
        if (i > 0) out.uint8(comma)
        seen.add(writeKey(input, out, key, depth + 1))
        out.uint8(colon)
        value.write(input, out, depth + 1)
      }
      out.uint8(0x7d)
      if (seen.size === count) return
      input.position = start
      out.position = outStart
      out.utf8(JSON.stringify(read(input, depth)))
    },
    read,
  }
}

export function inclusiveRangePlan(element: TypePlan): TypePlan {
  return {
    typeId: typeId.inclusiveRange(element.typeId),
    kind: 'other',
    write(input, out, depth) {
      input.checkDepth(depth)
      input.expectArray(3)
      writeRaw(out, labels.start)
      element.write(input, out, depth + 1)
      writeRaw(out, labels.end)
      element.write(input, out, depth + 1)
      writeRaw(out, labels.step)
      element.write(input, out, depth + 1)
      out.uint8(0x7d)
    },
    read(input, depth) {
      input.checkDepth(depth)
      input.expectArray(3)
      const start = element.read(input, depth + 1)
      const end = element.read(input, depth + 1)
      return { start, end, step: element.read(input, depth + 1) }
    },
  }
}

function writeItems(input: CcfInput, out: ByteWriter, element: TypePlan, count: number, depth: number): void {
  out.uint8(0x5b)
  for (let i = 0; i < count; i++) {
    if (i > 0) out.uint8(comma)
    element.write(input, out, depth + 1)
  }
  out.uint8(0x5d)
}

function readNamedItemsAsHex(input: CcfInput, element: TypePlan, count: number, depth: number): string {
  const bytes = Buffer.alloc(count)
  for (let i = 0; i < count; i++) bytes[i] = Number(element.read(input, depth + 1))
  return `0x${bytes.toString('hex')}`
}

/** `130([137(12), value])` up to the value: marks an item of abstract type as UInt8. */
const namesUInt8 = Buffer.from('d88282d8890c', 'hex')

function allNameUInt8(input: CcfInput, count: number): boolean {
  const { bytes, end } = input
  let at = input.position
  for (let i = 0; i < count; i++) {
    const value = at + namesUInt8.length
    if (value >= end || bytes.compare(namesUInt8, 0, namesUInt8.length, at, value) !== 0) return false
    at = value + (bytes[value] === 24 ? 2 : 1)
  }
  return at <= end
}

function takeEmptyArray(input: CcfInput): boolean {
  if (input.peek() !== emptyArrayHead) return false
  input.position++
  return true
}

function writeKey(input: CcfInput, out: ByteWriter, key: TypePlan, depth: number): string {
  const start = input.position
  const outStart = out.position
  key.write(input, out, depth)
  if (out.bytes[outStart] !== quote) {
    input.position = start
    out.position = outStart
    out.utf8(JSON.stringify(dictionaryKey(key.read(input, depth))))
  }
  return out.bytes.toString('latin1', outStart, out.position)
}
