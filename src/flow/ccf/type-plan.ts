import type { ByteWriter } from '../../platform/byte-writer.ts'
import type { PayloadValue } from '../payload-value.ts'
import type { CcfInput } from './ccf-input.ts'
import type { FieldPlan } from './composite-plan.ts'

/**
 * - `uint8`: an array of it is bytes
 * - `array`: its empty text depends on the field it is in
 * - `abstract`: each value names its own type
 * - `composite`: has fields, so it can be an event
 */
export type PlanKind = 'uint8' | 'array' | 'abstract' | 'composite' | 'other'

/**
 * How the values of one Cadence type are decoded: the compiled form of a type in CCF. Both functions consume one
 * value. `write` appends its JSON text, `read` gives what JSON.parse would make of that text.
 */
export interface TypePlan {
  readonly typeId: string
  readonly kind: PlanKind
  readonly write: (input: CcfInput, out: ByteWriter, depth: number) => void
  readonly read: (input: CcfInput, depth: number) => PayloadValue
  /** Of kind `composite`: its fields in the order of the definition. */
  readonly fields?: readonly FieldPlan[]
}
