import { byteFieldsOf } from '../payload-byte-fields.ts'
import { compositePlan, enumPlan, readFieldPlans } from './composite-plan.ts'
import type { FieldPlan } from './composite-plan.ts'
import type { CcfInput } from './ccf-input.ts'
import { byteFieldPlan } from './container-plans.ts'
import { readDefinitionId } from './definition-id.ts'
import { abstractPlan, readInlineType } from './inline-type.ts'
import type { Definitions } from './inline-type.ts'
import type { TypePlan } from './type-plan.ts'

/** Tags of type definitions; CCF specification, `composite-typedef`. */
const tag = {
  firstComposite: 160,
  event: 162,
  enum: 164,
  lastComposite: 165,
  firstInterface: 176,
  lastInterface: 178,
} as const

/** A composite type whose fields are still to be read, from `position` on. */
interface OpenDefinition {
  fields: FieldPlan[]
  position: number
  byteFields: ReadonlySet<string> | undefined
}

/**
 * Consumes the list of types that a payload defines. A type can refer to any other of the list and to itself, so ids
 * are collected first and fields are read in a second pass.
 */
export function readTypeDefinitions(input: CcfInput): Definitions {
  const definitions = new Map<string, TypePlan>()
  const open: OpenDefinition[] = []
  const count = input.readArray()
  for (let i = 0; i < count; i++) {
    const number = input.readTag()
    const composite = number >= tag.firstComposite && number <= tag.lastComposite
    if (!composite && (number < tag.firstInterface || number > tag.lastInterface)) {
      throw input.fail(`tag ${number} is not of a type definition`)
    }
    input.expectArray(composite ? 3 : 2)
    const id = readDefinitionId(input)
    if (definitions.has(id)) throw input.fail('two types with one id')
    const typeId = input.readText()
    if (composite) {
      const fields: FieldPlan[] = []
      definitions.set(id, number === tag.enum ? enumPlan(typeId, fields) : compositePlan(typeId, fields))
      const byteFields = number === tag.event ? byteFieldsOf(typeId) : undefined
      open.push({ fields, position: input.position, byteFields })
      input.skip()
    } else {
      definitions.set(id, abstractPlan(typeId, definitions))
    }
  }
  const end = input.position
  for (const { fields, position, byteFields } of open) {
    input.position = position
    readFieldPlans(input, fields, (name) => {
      const plan = readInlineType(input, definitions, 0)
      return plan.kind === 'array' && byteFields?.has(name) === true ? byteFieldPlan(plan) : plan
    })
  }
  input.position = end
  return definitions
}
