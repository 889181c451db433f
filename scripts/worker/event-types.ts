import { isName, nodeIn, nodesIn } from '../../src/flow/cadence/syntax-tree.ts'
import type { SyntaxNode } from '../../src/flow/cadence/syntax-tree.ts'
import type { PayloadValue } from '../../src/flow/payload-value.ts'
import type { ColumnType } from '../../src/own-tables/declaration.ts'

/** A Cadence type, and how src/flow/payload-value.ts flattens its values. */
export interface FieldType {
  /** With type identifiers, e.g. `[A.0b2a3299cc857e29.TopShot.Kind?]`. */
  readonly cadence: string
  readonly ts: string
  readonly column: ColumnType
  readonly isNullable: boolean
  readonly example: PayloadValue
}

/** Declarations of a contract besides events. */
export type DeclaredKind =
  | { readonly kind: 'struct' | 'interface' | 'other' }
  | { readonly kind: 'enum'; readonly raw: SyntaxNode | undefined }

interface Names {
  readonly contract: { readonly id: string; readonly name: string }
  readonly declared: ReadonlyMap<string, DeclaredKind>
  /** Name in the source → `A.<address>.<name>` */
  readonly imported: ReadonlyMap<string, string>
}

type TypeReader = (node: SyntaxNode | undefined) => FieldType

export function typeReader(names: Names): TypeReader {
  const read: TypeReader = (node) => {
    switch (node?.Type) {
      case 'OptionalType': {
        const element = read(nodeIn(node, 'ElementType'))
        const cadence = `${element.cadence}?`
        return { ...element, cadence, ts: nullable(element.ts), isNullable: true }
      }
      case 'VariableSizedType':
        return arrayOf(read(nodeIn(node, 'ElementType')), undefined)
      case 'ConstantSizedType':
        return arrayOf(read(nodeIn(node, 'ElementType')), sizeOf(node))
      case 'DictionaryType':
        return dictionaryOf(read(nodeIn(node, 'KeyType')), read(nodeIn(node, 'ValueType')))
      case 'IntersectionType': {
        const members = nodesIn(node, 'Types').map((member) => read(member).cadence)
        return json(`{${members.join(', ')}}`, '{ [name: string]: Value }', {})
      }
      case 'ReferenceType':
        return any(`(&${read(nodeIn(node, 'ReferencedType')).cadence})`)
      case 'InstantiationType':
        return instantiated(read(nodeIn(node, 'InstantiatedType')), argumentsOf(node).map(read))
      case 'NominalType':
        return nominal(node, names, read)
      case 'FunctionType':
        return { ...text('fun', 'fun():Void'), ts: 'string | null', isNullable: true }
      case undefined:
      default:
        return any('AnyStruct')
    }
  }
  return read
}

function nominal(node: SyntaxNode, { contract, declared, imported }: Names, read: TypeReader): FieldType {
  const path = [node['Identifier'], ...nodesIn(node, 'NestedIdentifiers')].filter(isName).map((name) => name.Identifier)
  const [first = '', ...rest] = path
  const own = path.length === 2 && first === contract.name ? rest[0] : path.length === 1 ? first : undefined
  const kind = own === undefined ? undefined : declared.get(own)
  if (own !== undefined && kind !== undefined) {
    const id = `${contract.id}.${own}`
    if (kind.kind === 'struct') return json(id, `Structs[${quoted(own)}]`, {})
    if (kind.kind === 'enum')
      return { ...(kind.raw === undefined ? numbers('UInt8', 'integer') : read(kind.raw)), cadence: id }
    return json(id, kind.kind === 'interface' ? '{ [name: string]: Value }' : 'Value', {})
  }
  const contractId = imported.get(first)
  if (contractId !== undefined) return json([contractId, ...rest].join('.'), 'Value', {})
  return (path.length === 1 ? builtIn.get(first) : undefined) ?? json(path.join('.'), 'Value', {})
}

/** Bytes are hex text, also in arrays of supertypes; an empty array has no element type. */
function arrayOf(element: FieldType, size: string | undefined): FieldType {
  const isBytes = element.cadence === 'UInt8'
  if (size !== undefined) {
    const cadence = `[${element.cadence}; ${size}]`
    const length = Number(size)
    if (isBytes && length > 0) return text(cadence, `0x${'00'.repeat(Math.min(length, 32))}`)
    return { ...arrayOf(element, undefined), cadence }
  }
  const items = `${/[ |]/.test(element.ts) ? `(${element.ts})` : element.ts}[]`
  const cadence = `[${element.cadence}]`
  if (isBytes) return json(cadence, 'string | []', [])
  return json(cadence, mayBeUInt8.has(element.cadence) ? `string | ${items}` : items, [])
}

const mayBeUInt8: ReadonlySet<string> = new Set(['AnyStruct', 'HashableStruct', 'Integer', 'Number'])

/** Keys of one type never have equal texts. */
function dictionaryOf(key: FieldType, value: FieldType): FieldType {
  const cadence = `{${key.cadence}: ${value.cadence}}`
  const fields = `{ [key: string]: ${value.ts} }`
  const isMixed = key.cadence === 'HashableStruct' || key.cadence === 'AnyStruct'
  return json(cadence, isMixed ? `${fields} | { key: Value; value: ${value.ts} }[]` : fields, {})
}

function instantiated(base: FieldType, [element]: readonly FieldType[]): FieldType {
  if (element === undefined) return base
  if (base.cadence === 'Capability') return { ...base, cadence: `Capability<${element.cadence}>` }
  if (base.cadence === 'InclusiveRange') return { ...base, cadence: `InclusiveRange<${element.cadence}>` }
  return any(`${base.cadence}<${element.cadence}>`)
}

function argumentsOf(node: SyntaxNode): readonly (SyntaxNode | undefined)[] {
  const given = node['TypeArguments']
  if (!Array.isArray(given)) return []
  return given.map((argument: Readonly<Record<string, SyntaxNode>>) => argument['AnnotatedType'])
}

function sizeOf(node: SyntaxNode): string {
  const { Value: value } = (node['Size'] ?? {}) as { readonly Value?: unknown }
  return typeof value === 'string' && /^\d{1,15}$/.test(value) ? value : '0'
}

function nullable(ts: string): string {
  return ts === 'Value' || ts.endsWith(' | null') ? ts : `${ts} | null`
}

/** Name of a type or property in TypeScript. */
export function quoted(name: string): string {
  return `'${name}'`
}

/** Characters; nested types can double the text at each level. */
const maxTsLength = 1000

function json(cadence: string, ts: string, example: PayloadValue): FieldType {
  return { cadence, ts: ts.length > maxTsLength ? 'Value' : ts, column: 'jsonb', isNullable: false, example }
}

/** Values can be nil. */
function any(cadence: string): FieldType {
  return { ...json(cadence, 'Value', 'text'), isNullable: true }
}

function text(cadence: string, example: string): FieldType {
  return { cadence, ts: 'string', column: 'text', isNullable: false, example }
}

function numbers(cadence: string, column: ColumnType, example = '1'): FieldType {
  return { cadence, ts: 'string', column, isNullable: false, example }
}

const integer = ['Int8', 'Int16', 'Int32', 'UInt8', 'UInt16', 'Word8', 'Word16']
const bigint = ['UInt32', 'Word32', 'Int64']
const numeric = ['Int', 'UInt', 'UInt64', 'Word64', 'Integer', 'SignedInteger', 'FixedSizeUnsignedInteger']
const large = ['Int128', 'Int256', 'UInt128', 'UInt256', 'Word128', 'Word256']
const fixed8 = ['Fix64', 'UFix64', 'FixedPoint', 'SignedFixedPoint', 'Number', 'SignedNumber']
const fixed24 = ['Fix128', 'UFix128']
const anyTypes = ['AnyStruct', 'HashableStruct', 'AnyStructAttachment', 'AnyResource', 'Any', 'Void', 'Never']
const paths = ['Path', 'StoragePath', 'PublicPath', 'PrivatePath', 'CapabilityPath']

const capability = '{ id: string | null; address: string; borrowType: string | null; path?: string }'
const address = '0x0000000000000001'

const builtIn: ReadonlyMap<string, FieldType> = new Map(
  [
    { ...text('Bool', ''), ts: 'boolean', column: 'boolean' as const, example: true },
    text('String', 'text'),
    text('Character', 'a'),
    text('Address', address),
    ...paths.map((name) => text(name, '/public/example')),
    { ...text('Type', 'String'), ts: 'string | null', isNullable: true },
    json('Capability', capability, { id: '1', address, borrowType: null }),
    json('InclusiveRange', '{ start: string; end: string; step: string }', { start: '1', end: '3', step: '1' }),
    ...integer.map((name) => numbers(name, 'integer')),
    // Built-in enums.
    ...['HashAlgorithm', 'SignatureAlgorithm'].map((name) => numbers(name, 'integer')),
    ...bigint.map((name) => numbers(name, 'bigint')),
    ...[...numeric, ...large].map((name) => numbers(name, 'numeric')),
    ...fixed8.map((name) => numbers(name, 'numeric', '1.00000000')),
    ...fixed24.map((name) => numbers(name, 'numeric', `1.${'0'.repeat(24)}`)),
    ...anyTypes.map(any),
  ].map((type) => [type.cadence, type]),
)
