import { PayloadError, payloadLimits } from './payload-value.ts'

export interface EventTypeParts {
  /** 16 hex digits without `0x`; undefined for protocol events. */
  readonly address: string | undefined
  readonly contract: string | undefined
  readonly name: string
}

/**
 * `A.1654653399040a61.FlowToken.TokensDeposited`, or `flow.AccountCreated`. Other texts are all
 * name.
 */
export function parseEventType(type: string): EventTypeParts {
  const contractEvent = /^A\.([0-9a-f]{16})\.([^.]+)\.(.+)$/.exec(type)
  if (contractEvent !== null) {
    return { address: contractEvent[1], contract: contractEvent[2], name: contractEvent[3] as string }
  }
  return { address: undefined, contract: undefined, name: type.startsWith('flow.') ? type.slice('flow.'.length) : type }
}

/**
 * As Cadence's `Type.identifier`, without spaces: `{String:Int}`, `(Int)?`. Source: the functions
 * Format…TypeID of onflow/cadence, package sema.
 */
export const typeId = {
  optional: (element: string): string => bounded(`(${element})?`),
  variableSizedArray: (element: string): string => bounded(`[${element}]`),
  constantSizedArray: (element: string, size: string): string => bounded(`[${element};${size}]`),
  dictionary: (key: string, value: string): string => bounded(`{${key}:${value}}`),
  inclusiveRange: (element: string): string => bounded(`InclusiveRange<${element}>`),
  capability: (borrowType: string | null): string =>
    bounded(borrowType === null ? 'Capability' : `Capability<${borrowType}>`),
  /** `authorization`: inside `auth(…)`. */
  reference: (authorization: string | null, referenced: string): string =>
    bounded(authorization === null ? `&${referenced}` : `auth(${authorization})&${referenced}`),
  /** References before Cadence 1.0. */
  legacyReference: (authorized: boolean, referenced: string): string =>
    bounded(authorized ? `auth&${referenced}` : `&${referenced}`),
  /** Members sorted. */
  intersection: (members: readonly string[]): string => bounded(`{${joined(members.toSorted(byCodePoint), ',')}}`),
  /** Restricted types before Cadence 1.0; `type` is empty without a base type. */
  restriction: (type: string, restrictions: readonly string[]): string =>
    bounded(`${type}{${joined(restrictions, ',')}}`),
  /** All or any. */
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
  return new PayloadError('payload-too-large', `a type text exceeds ${payloadLimits.typeIdLength}`, 0)
}

function byCodePoint(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right))
}

/**
 * JSON-CDC has no element type for empty arrays, so they are `[]` in both encodings, except for
 * these `[UInt8]` fields, which are always `"0x"`.
 */
const byteFields: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['EVM.TransactionExecuted', new Set(['payload', 'logs', 'returnedData', 'precompiledCalls'])],
])

const contractEvent = /^A\.[0-9a-f]{16}\.(.+)$/

export function byteFieldsOf(type: string): ReadonlySet<string> | undefined {
  const name = contractEvent.exec(type)?.[1]
  return name === undefined ? undefined : byteFields.get(name)
}
