import { setField } from './payload-value.ts'
import type { PayloadFields, PayloadValue } from './payload-value.ts'

/**
 * What events of one kind have in common, so that it is stored once: their type, and the names of their fields in the order in
 * which the node sent them. A type has another shape after its contract was updated. Events that could not be decoded have the
 * shape of their type without fields.
 */
export interface EventShape {
  readonly type: string
  readonly fields: readonly string[]
}

/** Fields by name, from their values in the order of the shape. */
export function fieldsOf({ fields }: EventShape, values: readonly PayloadValue[]): PayloadFields {
  const byName: PayloadFields = {}
  for (const [i, name] of fields.entries()) setField(byName, name, values[i] as PayloadValue)
  return byName
}

/** Text that is the same for equal shapes, and for no others. */
export function shapeText({ type, fields }: EventShape): string {
  return JSON.stringify([type, ...fields])
}
