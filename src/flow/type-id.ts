import { PayloadError, payloadLimits } from './payload-value.ts'

export interface EventTypeParts {
  /** Account of the contract, 16 hex digits without `0x`; undefined for the events of the protocol itself. */
  readonly address: string | undefined
  readonly contract: string | undefined
  readonly name: string
}

/**
 * Takes an event type apart: `A.1654653399040a61.FlowToken.TokensDeposited`, or `flow.AccountCreated`.
 * What is of neither form is all name.
 */
export function parseEventType(type: string): EventTypeParts {
  const contractEvent = /^A\.([0-9a-f]{16})\.([^.]+)\.(.+)$/.exec(type)
  if (contractEvent !== null) {
    return { address: contractEvent[1], contract: contractEvent[2], name: contractEvent[3] as string }
  }
  return { address: undefined, contract: undefined, name: type.startsWith('flow.') ? type.slice('flow.'.length) : type }
}

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

/**
 * Fields that are declared `[UInt8]`, of the core events in which they can be empty.
 *
 * JSON-CDC does not say the element type of an empty array, CCF does. So that both give the same text, an empty array
 * is `[]` in both, with the exception of these fields, which are `"0x"` in both: a reader of them meets one kind of
 * value only. Elsewhere an array that is not empty tells by itself whether it holds bytes.
 */
const byteFields: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['EVM.TransactionExecuted', new Set(['payload', 'logs', 'returnedData', 'precompiledCalls'])],
])

const contractEvent = /^A\.[0-9a-f]{16}\.(.+)$/

/** The fields of the event `type` whose empty array is written as `"0x"`; undefined for most types. */
export function byteFieldsOf(type: string): ReadonlySet<string> | undefined {
  const name = contractEvent.exec(type)?.[1]
  return name === undefined ? undefined : byteFields.get(name)
}
