import type { ByteWriter } from '../../base/byte-writer.ts'
import type { PayloadFields, PayloadValue } from '../payload-value.ts'
import { CcfInput } from './ccf-input.ts'
import { readInlineType } from './inline-type.ts'
import { PlanCache } from './plan-cache.ts'
import { readTypeDefinitions } from './type-definitions.ts'
import type { TypePlan } from './type-plan.ts'

/** Tags of a whole payload: types defined in front of the value, or a value of built-in types only. */
const tag = { definitionsAndValue: 129, typeAndValue: 130 } as const

const cache = new PlanCache()
const input = new CcfInput()

/**
 * Appends the flattened JSON text of an event in CCF.
 * Source: https://github.com/onflow/ccf, ccf_specs.md, fully self-describing mode.
 * @throws PayloadError; `out` is then as it was
 */
export function writeCcfEvent(type: string, payload: Buffer, out: ByteWriter): void {
  const start = out.position
  input.open(payload, start)
  let complete = false
  try {
    openEvent(type).write(input, out, 0)
    input.expectEnd()
    if (out.position > input.outputLimit) throw input.fail('the text of the payload is too long', 'payload-too-large')
    complete = true
  } finally {
    if (!complete) out.position = start
    input.close()
  }
}

/**
 * The flattened fields of an event in CCF.
 * @throws PayloadError
 */
export function readCcfEvent(type: string, payload: Buffer): PayloadFields {
  // A plan of kind 'composite', which `openEvent` makes sure of, gives fields.
  return readWhole(payload, () => openEvent(type)) as PayloadFields
}

/**
 * Any Cadence value in CCF, flattened: a result of a script, an argument.
 * @throws PayloadError
 */
export function readCcfValue(payload: Buffer): PayloadValue {
  return readWhole(payload, readMessageType)
}

function readWhole(payload: Buffer, openPlan: () => TypePlan): PayloadValue {
  input.open(payload, 0)
  try {
    const value = openPlan().read(input, 0)
    input.expectEnd()
    return value
  } finally {
    input.close()
  }
}

/** Moves to the value. @returns how to decode it */
function openEvent(type: string): TypePlan {
  const found = cache.find(type, input.bytes)
  if (found !== undefined) {
    input.position = found.prefix.length
    return found.plan
  }
  const plan = readMessageType()
  if (plan.kind !== 'composite') throw input.fail('the value is not an event')
  cache.add(type, input.bytes.subarray(0, input.position), plan)
  return plan
}

/** Consumes everything before the value. */
function readMessageType(): TypePlan {
  const number = input.readTag()
  if (number !== tag.definitionsAndValue && number !== tag.typeAndValue) {
    throw input.fail(`tag ${number} is not of a payload`)
  }
  input.expectArray(2)
  if (number === tag.typeAndValue) return readInlineType(input, new Map(), 0)
  const definitions = readTypeDefinitions(input)
  input.expectArray(2)
  return readInlineType(input, definitions, 0)
}
