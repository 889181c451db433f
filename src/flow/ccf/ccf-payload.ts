import { WriteLimitError } from '../../platform/byte-writer.ts'
import type { ByteWriter } from '../../platform/byte-writer.ts'
import type { EventShape } from '../event-shape.ts'
import type { PayloadFields, PayloadValue } from '../payload-value.ts'
import { CcfInput } from './ccf-input.ts'
import { readFields, writeValues } from './type-plan.ts'
import type { TypePlan } from './type-plan.ts'
import { readInlineType, readTypeDefinitions } from './type-definitions.ts'
import { PlanCache } from './plan-cache.ts'
import type { EventPlan } from './plan-cache.ts'

/** Messages with type definitions before the value, or with built-in types only. */
const tag = { definitionsAndValue: 129, typeAndValue: 130 } as const

/** Without its text. */
const typeBytes = 256

const cache = new PlanCache()
const input = new CcfInput()

/**
 * Source: https://github.com/onflow/ccf, ccf_specs.md, fully self-describing mode.
 *
 * @returns the same object for events of one shape, while cached
 *
 * @throws PayloadError; `out` is restored
 */
export function writeCcfEvent(type: string, payload: Buffer, out: ByteWriter, maxBytes: number): EventShape {
  const start = out.position
  const { limit } = out
  out.limit = Math.min(limit, start + maxBytes)
  input.open(payload)
  let complete = false
  try {
    const { shape, fields } = openEvent(type)
    writeValues(input, out, fields)
    input.expectEnd()
    complete = true
    return shape
  } catch (error) {
    if (!(error instanceof WriteLimitError)) throw error
    throw input.fail(`the text of the payload is too long (limit ${maxBytes} bytes)`, 'payload-too-large')
  } finally {
    if (!complete) out.position = start
    out.limit = limit
    input.close()
  }
}

/** @throws PayloadError */
export function readCcfEvent(type: string, payload: Buffer): PayloadFields {
  return reading(payload, () => readFields(input, openEvent(type).fields, 0))
}

/** @throws PayloadError */
export function readCcfValue(payload: Buffer): PayloadValue {
  return reading(payload, () => readMessageType().read(input, 0))
}

function reading<Value>(payload: Buffer, read: () => Value): Value {
  input.open(payload)
  try {
    const value = read()
    input.expectEnd()
    return value
  } finally {
    input.close()
  }
}

function openEvent(type: string): EventPlan {
  const found = cache.find(type, input.bytes)
  if (found !== undefined) {
    input.position = found.prefix.length
    return found.plan
  }
  const { fields } = readMessageType()
  if (fields === undefined) throw input.fail('the value is not an event')
  const plan: EventPlan = { shape: { type, fields: fields.map(({ name }) => name) }, fields }
  const prefix = input.bytes.subarray(0, input.position)
  cache.add(type, prefix, plan, prefix.length + input.typeCount * typeBytes + input.typeTextLength)
  return plan
}

function readMessageType(): TypePlan {
  const number = input.readTag()
  if (number !== tag.definitionsAndValue && number !== tag.typeAndValue) {
    throw input.fail(`unexpected payload tag ${number}`)
  }
  input.expectArray(2)
  if (number === tag.typeAndValue) return readInlineType(input, new Map(), 0)
  const definitions = readTypeDefinitions(input)
  input.expectArray(2)
  return readInlineType(input, definitions, 0)
}
