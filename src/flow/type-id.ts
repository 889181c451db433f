import { PayloadError } from './payload-error.ts'
import { payloadLimits } from './payload-limits.ts'

/**
 * The text of a type: what `Type.identifier` gives inside Cadence, without spaces, so `{String:Int}` and `(Int)?`.
 * Source of the forms: the functions Format…TypeID of onflow/cadence, package sema.
 */
export const typeId = {
  optional: (element: string): string => bounded(`(${element})?`),
  variableSizedArray: (element: string): string => bounded(`[${element}]`),
  constantSizedArray: (element: string, size: string): string => bounded(`[${element};${size}]`),
  dictionary: (key: string, value: string): string => bounded(`{${key}:${value}}`),
  inclusiveRange: (element: string): string => bounded(`InclusiveRange<${element}>`),
  capability: (borrowType: string | null): string =>
    bounded(borrowType === null ? 'Capability' : `Capability<${borrowType}>`),
  /** `authorization` is the text inside `auth(…)`, or null for a reference without. */
  reference: (authorization: string | null, referenced: string): string =>
    bounded(authorization === null ? `&${referenced}` : `auth(${authorization})&${referenced}`),
  /** The reference of Cadence before 1.0, which was authorized or not. */
  legacyReference: (authorized: boolean, referenced: string): string =>
    bounded(authorized ? `auth&${referenced}` : `&${referenced}`),
  /** The members in the order of their text. */
  intersection: (members: readonly string[]): string => bounded(`{${joined(members.toSorted(byCodePoint), ',')}}`),
  /** The restricted type of Cadence before 1.0; `type` is empty where only the restrictions were given. */
  restriction: (type: string, restrictions: readonly string[]): string =>
    bounded(`${type}{${joined(restrictions, ',')}}`),
  /** All of the entitlements, or any of them. */
  entitlements: (entitlements: readonly string[], kind: 'conjunction' | 'disjunction'): string =>
    joined(entitlements.toSorted(byCodePoint), kind === 'conjunction' ? ',' : '|'),
  typeParameter: (name: string, bound: string | null): string => bounded(bound === null ? name : `${name}:${bound}`),
  function: (
    view: boolean,
    typeParameters: readonly string[],
    parameters: readonly string[],
    returnType: string,
  ): string => {
    const generic = typeParameters.length === 0 ? '' : `<${joined(typeParameters, ',')}>`
    return bounded(`${view ? 'view ' : ''}fun${generic}(${joined(parameters, ',')}):${returnType}`)
  },
}

function joined(parts: readonly string[], separator: string): string {
  let length = 0
  for (const part of parts) length += part.length + 1
  if (length > payloadLimits.typeIdLength) throw tooLong()
  return parts.join(separator)
}

function bounded(text: string): string {
  if (text.length > payloadLimits.typeIdLength) throw tooLong()
  return text
}

function tooLong(): PayloadError {
  return new PayloadError('payload-too-large', `the text of a type is longer than ${payloadLimits.typeIdLength}`, 0)
}

function byCodePoint(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}
