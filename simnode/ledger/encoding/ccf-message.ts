import { ByteWriter } from '../../../src/platform/byte-writer.ts'
import type { CadenceType } from './cadence-type.ts'
import { isTypedValue } from './cadence-value.ts'
import type { CadenceValue } from './cadence-value.ts'
import { major, writeHead, writeTag } from './cbor.ts'
import { sortDefinitions, writeDefinitions, writeInlineType } from './ccf-types.ts'
import type { DefinitionIds } from './ccf-types.ts'
import { ccfWriter } from './ccf-value.ts'
import type { CcfWriter } from './ccf-value.ts'
import { collectNominalTypes } from './nominal-types.ts'
import type { NominalType } from './nominal-types.ts'

const messageTags = { definitionsAndValue: 129, typeAndValue: 130 } as const

interface MessagePlan {
  /** Everything before the value. */
  readonly prefix: Buffer
  readonly ids: DefinitionIds
  readonly write: CcfWriter
}

interface TypePlan extends MessagePlan {
  readonly nominal: ReadonlyMap<string, NominalType>
  /** Whether values may bring types of their own, which the message then defines too. */
  readonly isOpen: boolean
}

const plans = new Map<CadenceType, TypePlan>()

/**
 * Appends a value in CCF, with the definitions of its types, as a node's events have it.
 * Source: https://github.com/onflow/ccf, ccf_specs.md, fully self-describing mode.
 * @throws TypeError where the value is not of that type
 */
export function writeCcf(out: ByteWriter, type: CadenceType, value: CadenceValue): void {
  let known = plans.get(type)
  if (known === undefined) plans.set(type, (known = typePlan(type)))
  const { prefix, ids, write } = known.isOpen ? planWith(known, type, value) : known
  const { length } = prefix
  out.reserve(length)
  prefix.copy(out.bytes, out.position)
  out.position += length
  write(out, value, ids)
}

function typePlan(type: CadenceType): TypePlan {
  const nominal = new Map<string, NominalType>()
  collectNominalTypes(type, nominal)
  return { ...messagePlan(type, nominal), nominal, isOpen: isOpen(type, new Set()) }
}

function planWith(plan: TypePlan, type: CadenceType, value: CadenceValue): MessagePlan {
  const nominal = new Map(plan.nominal)
  collectTypesOfValues(value, nominal)
  return nominal.size === plan.nominal.size ? plan : messagePlan(type, nominal)
}

function messagePlan(type: CadenceType, nominal: ReadonlyMap<string, NominalType>): MessagePlan {
  const definitions = sortDefinitions(nominal.values())
  const ids = new Map(definitions.map(({ id }, index) => [id, index]))
  const out = new ByteWriter(256)
  writeTag(out, definitions.length === 0 ? messageTags.typeAndValue : messageTags.definitionsAndValue)
  writeHead(out, major.array, 2)
  if (definitions.length > 0) {
    writeDefinitions(out, definitions, ids)
    writeHead(out, major.array, 2)
  }
  writeInlineType(out, type, ids)
  return { prefix: out.view(), ids, write: ccfWriter(type) }
}

/** Whether a type has places whose values name their own types. */
function isOpen(type: CadenceType, seen: Set<CadenceType>): boolean {
  if (seen.has(type)) return false
  seen.add(type)
  if (type === 'AnyStruct' || type === 'AnyResource' || type === 'HashableStruct') return true
  if (typeof type === 'string') return false
  switch (type.kind) {
    case 'optional':
    case 'array':
    case 'range':
      return isOpen(type.element, seen)
    case 'dictionary':
      return isOpen(type.key, seen) || isOpen(type.value, seen)
    case 'reference':
      return isOpen(type.referenced, seen)
    case 'function':
      return false
    case 'capability':
    case 'intersection':
    case 'struct-interface':
    case 'resource-interface':
    case 'contract-interface':
      return true
    // The composite types.
    default:
      return type.fields.some((field) => isOpen(field.type, seen))
  }
}

function collectTypesOfValues(value: CadenceValue, found: Map<string, NominalType>): void {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return
  if (isTypedValue(value)) {
    collectNominalTypes(value.type, found)
    collectTypesOfValues(value.value, found)
  } else if (Array.isArray(value)) {
    for (const item of value as readonly CadenceValue[]) collectTypesOfValues(item, found)
  }
}
