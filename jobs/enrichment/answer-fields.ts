import type { PayloadFields, PayloadValue } from '../../src/flow/payload-value.ts'

/** The result of a script is not what the script is written to give: a mistake of ours, or an answer of something else. */
export class AnswerShapeError extends Error {}

/** A list, with as many entries as were asked for. */
export function listOf(value: PayloadValue, length: number): PayloadValue[] {
  if (!Array.isArray(value) || value.length !== length)
    throw new AnswerShapeError(`the script did not give a list of ${length}`)
  return value
}

/** A struct; undefined for nil. */
export function structOf(value: PayloadValue | undefined): PayloadFields | undefined {
  if (value === null || value === undefined) return undefined
  if (typeof value !== 'object' || Array.isArray(value)) throw new AnswerShapeError('the script did not give a struct')
  return value
}

/** A struct that must be there. */
export function requiredStruct(value: PayloadValue | undefined): PayloadFields {
  const fields = structOf(value)
  if (fields === undefined) throw new AnswerShapeError('the script gave nothing')
  return fields
}

/** A text or number, which both are text here; null for nil. */
export function textOf(fields: PayloadFields, name: string): string | null {
  const value = fields[name]
  if (value === null || typeof value === 'string') return value
  throw new AnswerShapeError(`field ${name} of the script's answer is no text`)
}

/** As `textOf`; an empty text says nothing, and is null too. */
export function saidOf(fields: PayloadFields, name: string): string | null {
  return textOf(fields, name) || null
}

/** A list of texts. */
export function textsOf(value: PayloadValue | undefined): string[] {
  // A list without items may as well be one of bytes.
  if (!Array.isArray(value)) throw new AnswerShapeError('the script did not give a list')
  return value.map((item) => {
    if (typeof item !== 'string') throw new AnswerShapeError('an item of the list is no text')
    return item
  })
}

/** An object to be kept as JSON; null where it has nothing. */
export function mapOf(value: PayloadValue | undefined): PayloadFields | null {
  const fields = structOf(value)
  return fields === undefined || Object.keys(fields).length === 0 ? null : fields
}
