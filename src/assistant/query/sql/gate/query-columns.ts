import { maxNumericDigits, maxValueBytes, nodeWork, numberBytes, pieces, shortBytes } from './call-cost.ts'
import type { Value } from './call-cost.ts'
import type { CallKind } from './function-rules.ts'
import { isNode, listOf, namesIn, nodeOf } from './grammar.ts'
import type { SyntaxNode } from './grammar.ts'

/** Output of a FROM item. */
export interface Columns {
  /** Columns in order; undefined if their names are unknown. */
  readonly named: readonly Column[]
  readonly others: Value | undefined
}

export type Column = Value & { readonly name: string | undefined }

interface Source {
  readonly columns: Columns
  readonly byName: ReadonlyMap<string, Value>
  readonly row: Value
}

export interface Query {
  /** True if the query is inlined wherever it is named. */
  readonly work: number
  readonly columns: Columns
  /** Scans that its conditions are copied to: partitions, parts of UNION ALL. */
  readonly scans: number
  /** Nodes that PostgreSQL visits when it ends the plan: those of subqueries once for each copy. */
  readonly visits: number
}

export interface Scope {
  readonly outer: Scope | undefined
  readonly queries: Map<string, Query>
  readonly sources: Map<string, Source>
  readonly columns: Map<string, Value>
  others: Value | undefined
  row: Value
  scans: number
  /** `visits` of subqueries in FROM and WITH, and of those in expressions. */
  visits: number
  copiedVisits: number
}

export const nothing: Value = { work: 0, bytes: 0, kind: 'other' }
export const small: Value = { work: 0, bytes: shortBytes, kind: 'other' }
/** Either of both: the longer length and the total time. */
export function combine(a: Value | undefined, b: Value | undefined): Value
export function combine(a: Value | undefined, b: undefined): Value | undefined
export function combine(a: Value | undefined, b: Value | undefined): Value | undefined {
  if (a === undefined || a === nothing) return b ?? a
  if (b === undefined || b === nothing) return a
  return {
    work: a.work + b.work,
    bytes: Math.max(a.bytes, b.bytes),
    kind: a.kind === b.kind ? a.kind : 'other',
    ...(a.isVarying === true && b.isVarying === true ? { isVarying: true } : {}),
  }
}

export function sumOf(a: Value, b: Value): Value {
  return {
    work: a.work + b.work,
    bytes: Math.min(a.bytes + b.bytes, maxValueBytes),
    kind: a.kind === b.kind ? a.kind : 'other',
    ...(a.elements === undefined || b.elements === undefined ? {} : { elements: a.elements + b.elements }),
    ...varying(a, b),
  }
}

export function added(result: Value, ...parts: readonly Value[]): Value {
  const work = parts.reduce((sum, part) => sum + part.work, result.work + nodeWork)
  return { ...result, ...varying(...parts), work }
}

function varying(...parts: readonly Value[]): Pick<Value, 'isVarying'> {
  return parts.some(({ isVarying }) => isVarying === true) ? { isVarying: true } : {}
}

export function computed({ named, others }: Columns): Columns {
  return {
    named: named.map((column) => ({ ...column, work: 0, isVarying: true })),
    others: others === undefined ? undefined : { ...others, work: 0, isVarying: true },
  }
}

/** Row paths that SEARCH and CYCLE add. */
export function withSearchColumns(
  { named, others }: Columns,
  { search_clause: search, cycle_clause: cycle }: SyntaxNode,
): Columns {
  if (search === undefined && cycle === undefined) return { named, others }
  return { named, others: { work: 0, bytes: maxValueBytes, kind: 'other' } }
}

export function queryNamed(name: string, scope: Scope | undefined): Query | undefined {
  for (let at = scope; at !== undefined; at = at.outer) {
    const query = at.queries.get(name)
    if (query !== undefined) return query
  }
  return undefined
}

export function sourceNamed(name: string, scope: Scope): Source | undefined {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    const source = at.sources.get(name)
    if (source !== undefined) return source
  }
  return undefined
}

export function isStarOfRow(value: unknown): boolean {
  const last = listOf(nodeOf(value, 'A_Indirection')?.['indirection']).at(-1)
  return isNode(last) && 'A_Star' in last
}

export function outputName(value: unknown): string | undefined {
  const column = nodeOf(value, 'ColumnRef')
  if (column !== undefined) return namesIn(column['fields']).at(-1)
  const call = nodeOf(value, 'FuncCall')
  if (call !== undefined) return namesIn(call['funcname']).at(-1)
  const cast = nodeOf(value, 'TypeCast')
  if (cast !== undefined) {
    const type = isNode(cast['typeName']) ? cast['typeName']['names'] : []
    return outputName(cast['arg']) ?? namesIn(type).at(-1)
  }
  const indirection = nodeOf(value, 'A_Indirection')
  if (indirection === undefined) return undefined
  return namesIn(indirection['indirection']).at(-1) ?? outputName(indirection['arg'])
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function constantOf({ sval, ival, fval }: SyntaxNode): Value {
  if (isNode(sval)) {
    const text = textOf(sval['sval'])
    // A literal array or document has no more elements than separators.
    const elements = 1 + (text.match(/[,:{[]/g)?.length ?? 0)
    return { work: nodeWork, bytes: Buffer.byteLength(text), kind: 'other', elements }
  }
  if (isNode(ival)) {
    return { work: nodeWork, bytes: 20, kind: 'number', constant: Number(ival['ival'] ?? 0), elements: 1 }
  }
  if (!isNode(fval)) return { work: nodeWork, bytes: 1, kind: 'other', elements: 1 }
  const text = textOf(fval['fval'])
  const [digits = '', exponent = '0'] = text.toLowerCase().split('e')
  const bytes = Math.max(1, Math.min(digits.length + Math.abs(Number(exponent) || 0), maxNumericDigits))
  const constant = bytes <= numberBytes ? { constant: Number(text) } : {}
  return { work: nodeWork, bytes, kind: 'number', elements: 1, ...constant }
}

/**
 * A literal format without widths (`%10s`, `%*s`): constant is how many times the result may have
 * all arguments; quoting doubles them.
 */
function formatOf(values: readonly Value[], args: readonly unknown[]): readonly Value[] {
  const text = literalOf(args[0])
  if (text === undefined || /%[-\d*]/.test(text.replaceAll(/%\d+\$(?![-\d*])/g, '%'))) return values
  const [first = nothing, ...others] = values
  return [{ ...first, constant: 2 + 2 * (text.match(/%\d/g)?.length ?? 0) }, ...others]
}

/** Arguments with what their texts tell. */
export function argumentsOf(kind: CallKind, values: readonly Value[], args: readonly unknown[]): readonly Value[] {
  if (args.some((arg) => nodeOf(arg, 'NamedArgExpr') !== undefined)) {
    // In any order.
    const bytes = Math.max(...values.map((value) => value.bytes))
    return values.map(() => ({ work: 0, bytes, kind: 'other', isPaired: true, isDated: true, isKeyed: true }))
  }
  if (kind === 'format') return formatOf(values, args)
  if (kind !== 'path' && kind !== 'paths') return values
  return values.map((value, index) => (index === 1 ? pathValue(value, args[1]) : value))
}

function unquoted(path: unknown): string | undefined {
  return literalOf(path)?.replaceAll(/"(?:[^"\\]|\\[^])*(?:"|\\?$)/g, '""')
}

/** A path with what its text tells. */
export function pathValue(value: Value, path: unknown): Value {
  return {
    ...value,
    isPaired: mayCompareItems(path),
    isDated: mayCall(path, /datetime/i),
    isKeyed: mayCall(path, /keyvalue/i),
  }
}

function literalOf(node: unknown): string | undefined {
  const text = nodeOf(nodeOf(node, 'TypeCast')?.['arg'] ?? node, 'A_Const')?.['sval']
  return isNode(text) ? textOf(text['sval']) : undefined
}

/** Elements of an array; a list in a text has at most one per character. */
export function elementsOf(node: unknown, { elements, bytes }: Value): number {
  const inner = nodeOf(node, 'TypeCast')?.['arg'] ?? node
  const call = nodeOf(inner, 'FuncCall')
  const isList = namesIn(call?.['funcname']).at(-1) === 'string_to_array'
  const list = isList ? literalOf(listOf(call?.['args'])[0]) : undefined
  return elements ?? (list === undefined ? pieces(bytes) : list.length + 1)
}

/** A literal on one side of a comparison in an SQL/JSON path; methods return one item each. */
const literalBefore = /[(!&|]\s*(?:""|-?\d[\w.]*|true|false|null)\s*$/
const literalAfter = /^\s*(?:""|[-+]?\d[\w.]*|true|false|null)(?:\.[a-z_]+\([^()]*\))*\s*[)&|]/
const maxComparisons = 20
const maxLiteral = 200

/** Of JSON_EXISTS, JSON_QUERY, JSON_VALUE and JSON_TABLE. */
export function pathsOf({ pathspec, columns }: SyntaxNode): unknown[] {
  const path = isNode(pathspec) && isNode(pathspec['string']) ? pathspec['string'] : pathspec
  const others = listOf(columns).flatMap((column) => pathsOf(nodeOf(column, 'JsonTableColumn') ?? {}))
  return path === undefined ? others : [path, ...others]
}

/** Whether an SQL/JSON path may call a method: datetime reads the rest of a text for each field of a template. */
function mayCall(path: unknown, method: RegExp): boolean {
  const literal = unquoted(path)
  return literal === undefined || literal.includes('\\') || method.test(literal)
}

/** Whether a JSON function returns arrays whose parts take much memory. */
export function returnsParts({ functions, output, columns, ...node }: SyntaxNode): boolean {
  const lists = listOf(functions).map((each) => listOf(nodeOf(each, 'List')?.['items'])[1])
  const definitions = [node['coldeflist'], ...lists].flatMap((list) => listOf(nodeOf(list, 'List')?.['items'] ?? list))
  const types = [isNode(output) ? output['typeName'] : undefined]
  for (const each of definitions) types.push(nodeOf(each, 'ColumnDef')?.['typeName'])
  for (const each of listOf(columns)) {
    const column = nodeOf(each, 'JsonTableColumn') ?? {}
    if (returnsParts({ columns: column['columns'] })) return true
    types.push(column['typeName'])
  }
  return types.some((type) => {
    const { names, arrayBounds } = isNode(type) ? type : {}
    const name = namesIn(names).at(-1) ?? ''
    return (
      name.endsWith('multirange') || ((arrayBounds !== undefined || name.startsWith('_')) && /json|range/.test(name))
    )
  })
}

/** Whether an SQL/JSON path may compare two sequences of items. */
export function mayCompareItems(path: unknown): boolean {
  const literal = unquoted(path)
  if (literal === undefined || /\\|\/\*/.test(literal)) return true
  const text = `(${literal})`
  const comparisons = text.match(/==|!=|<>|<=|>=|[<>]/g) ?? []
  if (comparisons.length > maxComparisons) return true
  let end = 0
  return comparisons.some((sign) => {
    const start = text.indexOf(sign, end)
    end = start + sign.length
    const before = text.slice(Math.max(0, start - maxLiteral), start)
    return !literalBefore.test(before) && !literalAfter.test(text.slice(end, end + maxLiteral))
  })
}
