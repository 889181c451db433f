import type { ByteWriter } from '../../platform/byte-writer.ts'
import { payloadText, setField } from '../payload-value.ts'
import type { PayloadValue, PayloadFields } from '../payload-value.ts'
import type { CcfInput } from './ccf-input.ts'

/**
 * - `uint8`: an array of it is bytes
 *
 * - `array`: the text of an empty one depends on its field
 *
 * - `abstract`: each value names its own type
 *
 * - `composite`: can be an event
 */
export type PlanKind = 'uint8' | 'array' | 'abstract' | 'composite' | 'other'

/**
 * Both functions consume one value. `write` appends its JSON text; `read` returns what JSON.parse
 * would make of it.
 */
export interface TypePlan {
  readonly typeId: string
  readonly kind: PlanKind
  readonly write: (input: CcfInput, out: ByteWriter, depth: number) => void
  readonly read: (input: CcfInput, depth: number) => PayloadValue
  readonly fields?: readonly FieldPlan[]
}

const openBracket = 0x5b
const closeBracket = 0x5d
const comma = 0x2c

/** `label` is the JSON text before the value, e.g. `{"name":`. */
export interface FieldPlan {
  readonly name: string
  readonly label: Buffer
  readonly plan: TypePlan
}

/** `name` must have gone through `payloadText`. */
function fieldPlan(name: string, index: number, plan: TypePlan): FieldPlan {
  return { name, label: Buffer.from(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`), plan }
}

/** `fields` may be filled later: types can be recursive. */
export function compositePlan(typeId: string, fields: readonly FieldPlan[]): TypePlan {
  return {
    typeId,
    kind: 'composite',
    fields,
    write: (input, out, depth) => writeFields(input, out, fields, depth),
    read: (input, depth) => readFields(input, fields, depth),
  }
}

/** An enum is encoded as its raw value. */
export function enumPlan(typeId: string, fields: readonly FieldPlan[]): TypePlan {
  const rawValue = (input: CcfInput, depth: number): TypePlan => {
    input.checkDepth(depth)
    const [field] = fields
    if (field === undefined || fields.length !== 1) throw input.fail('an enum must have one field')
    input.expectArray(1)
    return field.plan
  }
  return {
    typeId,
    kind: 'other',
    write: (input, out, depth) => rawValue(input, depth).write(input, out, depth + 1),
    read: (input, depth) => rawValue(input, depth).read(input, depth + 1),
  }
}

export function writeValues(input: CcfInput, out: ByteWriter, fields: readonly FieldPlan[]): void {
  const { length } = fields
  input.expectArray(length)
  out.uint8(openBracket)
  for (let i = 0; i < length; i++) {
    if (i > 0) out.uint8(comma)
    ;(fields[i] as FieldPlan).plan.write(input, out, 1)
  }
  out.uint8(closeBracket)
}

function writeFields(input: CcfInput, out: ByteWriter, fields: readonly FieldPlan[], depth: number): void {
  input.checkDepth(depth)
  const { length } = fields
  input.expectArray(length)
  if (length === 0) {
    out.utf8('{}')
    return
  }
  for (let i = 0; i < length; i++) {
    const { label, plan } = fields[i] as FieldPlan
    const size = label.length
    out.reserve(size)
    const target = out.bytes
    const start = out.position
    for (let at = 0; at < size; at++) target[start + at] = label[at] as number
    out.position = start + size
    plan.write(input, out, depth + 1)
  }
  out.uint8(0x7d)
}

export function readFields(input: CcfInput, fields: readonly FieldPlan[], depth: number): PayloadFields {
  input.checkDepth(depth)
  input.expectArray(fields.length)
  const values: PayloadFields = {}
  for (const { name, plan } of fields) setField(values, name, plan.read(input, depth + 1))
  return values
}

export function readFieldPlans(input: CcfInput, fields: FieldPlan[], readType: (name: string) => TypePlan): void {
  const count = input.readArray()
  const names = new Set<string>()
  for (let i = 0; i < count; i++) {
    input.expectArray(2)
    const name = payloadText(input.readText())
    if (names.has(name)) throw input.fail('duplicate field name')
    names.add(name)
    input.countType(name)
    fields.push(fieldPlan(name, i, readType(name)))
  }
}
