import { isNode, namesIn, nodeOf, type SyntaxNode } from './syntax-tree.ts'

/**
 * How large a statement gets when the planner puts the expressions of subqueries, and queries of WITH that are not materialized, in the
 * places where they are named. Thirty levels of `SELECT x + x AS x FROM (…)` are 800 characters and thousand million nodes, and neither a
 * time-out nor a signal ends the planner before it has them, or the server has no memory left.
 *
 * @returns nodes of the syntax tree, rather too many than too few
 */
export function writtenOut(select: SyntaxNode): number {
  return measureSelect(select, undefined).size
}

/** Sizes of what a part of FROM gives, by name. */
interface Columns {
  readonly sizes: ReadonlyMap<string, number>
  /** Of columns whose names are not known here. Undefined: there are none. */
  readonly ofOthers: number | undefined
  /** Of a whole row. */
  readonly ofAll: number
}

interface Measured {
  readonly size: number
  readonly columns: Columns
}

interface Scope {
  readonly outer: Scope | undefined
  /** Queries of WITH. */
  readonly queries: Map<string, Measured>
  /** What FROM gives, by the name that it has there. */
  readonly sources: Map<string, Columns>
}

const plain: Columns = { sizes: new Map(), ofOthers: undefined, ofAll: 1 }
/** Most columns that a row whose columns are not known here may have, as `(row).*` writes it once for each. */
const columnsOfRow = 32

function sum(values: Iterable<number>): number {
  let total = 0
  for (const value of values) total += value
  return total
}

function most({ sizes, ofOthers }: Columns): number {
  let largest = ofOthers ?? 1
  for (const size of sizes.values()) largest = Math.max(largest, size)
  return largest
}

/** The same columns by names that are given elsewhere. */
function renamed(...all: readonly Columns[]): Columns {
  return { sizes: new Map(), ofOthers: Math.max(1, ...all.map(most)), ofAll: sum(all.map(({ ofAll }) => ofAll)) }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function measureSelect({ withClause, fromClause, targetList, larg, rarg, ...rest }: SyntaxNode, outer: Scope | undefined): Measured {
  const scope: Scope = { outer, queries: new Map(), sources: new Map() }
  let size = 1
  if (isNode(withClause)) size += measureWith(withClause, scope)
  for (const item of listOf(fromClause)) size += measureSource(item, scope)
  const outputs = listOf(targetList).map((target) => measureTarget(target, scope))
  size += sum(outputs.map((output) => output.size)) + measure(rest, scope)
  if (!isNode(larg) || !isNode(rarg)) return { size, columns: columnsOf(outputs) }
  const [left, right] = [measureSelect(larg, scope), measureSelect(rarg, scope)]
  return { size: size + left.size + right.size, columns: renamed(left.columns, right.columns) }
}

function measureWith({ ctes, recursive }: SyntaxNode, scope: Scope): number {
  let size = 0
  for (const item of listOf(ctes)) {
    const { ctename, ctequery, ctematerialized, aliascolnames } = nodeOf(item, 'CommonTableExpr') ?? {}
    const query = measureSelect(nodeOf(ctequery, 'SelectStmt') ?? {}, scope)
    size += query.size
    const isKept = recursive === true || ctematerialized === 'CTEMaterializeAlways'
    const columns = aliascolnames === undefined ? query.columns : renamed(query.columns)
    // Without a word about it the server writes out what is named once.
    scope.queries.set(String(ctename), { size: ctematerialized === 'CTEMaterializeNever' ? query.size : 1, columns: isKept ? plain : columns })
  }
  return size
}

function measureSource(item: unknown, scope: Scope): number {
  const table = nodeOf(item, 'RangeVar')
  if (table !== undefined) {
    const query = table['schemaname'] === undefined ? queryNamed(String(table['relname']), scope) : undefined
    addSource(table, query?.columns ?? plain, scope)
    return query?.size ?? 1
  }
  const subselect = nodeOf(item, 'RangeSubselect')
  if (subselect !== undefined) {
    const query = measureSelect(nodeOf(subselect['subquery'], 'SelectStmt') ?? {}, scope)
    addSource(subselect, query.columns, scope)
    return query.size
  }
  const join = nodeOf(item, 'JoinExpr')
  if (join === undefined) return measure(item, scope)
  const { larg, rarg, quals } = join
  const size = measureSource(larg, scope) + measureSource(rarg, scope) + measure(quals, scope)
  if (isNode(join['alias'])) addSource(join, renamed(...scope.sources.values()), scope)
  return size
}

function queryNamed(name: string, scope: Scope | undefined): Measured | undefined {
  return scope === undefined ? undefined : (scope.queries.get(name) ?? queryNamed(name, scope.outer))
}

function addSource({ alias, relname }: SyntaxNode, columns: Columns, scope: Scope): void {
  const { aliasname, colnames } = isNode(alias) ? alias : {}
  const name = [aliasname, relname].find((each) => typeof each === 'string') ?? `a subquery without a name, ${scope.sources.size}`
  scope.sources.set(name, colnames === undefined ? columns : renamed(columns))
}

interface Output {
  readonly name: string | undefined
  readonly size: number
  /** Of `*`: all that stands for it. */
  readonly columns: readonly Columns[]
}

function measureTarget(target: unknown, scope: Scope): Output {
  const { name, val } = nodeOf(target, 'ResTarget') ?? {}
  const fields = listOf(nodeOf(val, 'ColumnRef')?.['fields'])
  const names = namesIn(fields)
  if (fields.length > names.length) {
    const source = scope.sources.get(names.at(-1) ?? '')
    const columns = source === undefined ? [...scope.sources.values()] : [source]
    return { name: undefined, size: measure(val, scope), columns }
  }
  const size = measure(val, scope) * (isStarOfRow(val) ? columnsOfRow : 1)
  return { name: typeof name === 'string' ? name : names.at(-1), size, columns: [] }
}

function isStarOfRow(value: unknown): boolean {
  const last = listOf(nodeOf(value, 'A_Indirection')?.['indirection']).at(-1)
  return isNode(last) && 'A_Star' in last
}

function columnsOf(outputs: readonly Output[]): Columns {
  const sizes = new Map<string, number>()
  const unnamed: number[] = []
  for (const { name, size, columns } of outputs) {
    for (const each of columns) {
      for (const [inner, innerSize] of each.sizes) sizes.set(inner, innerSize)
      if (each.ofOthers !== undefined) unnamed.push(each.ofOthers)
    }
    if (name !== undefined) sizes.set(name, size)
    else if (columns.length === 0) unnamed.push(size)
  }
  return { sizes, ofOthers: unnamed.length === 0 ? undefined : Math.max(...unnamed), ofAll: Math.max(1, sum(outputs.map(({ size }) => size))) }
}

function measure(value: unknown, scope: Scope): number {
  if (Array.isArray(value)) return sum(value.map((item) => measure(item, scope)))
  if (!isNode(value)) return 0
  let size = 0
  for (const [key, child] of Object.entries(value)) size += isNode(child) && /^[A-Z]/.test(key) ? measureNode(key, child, scope) : measure(child, scope)
  return size
}

function measureNode(kind: string, node: SyntaxNode, scope: Scope): number {
  switch (kind) {
    case 'SelectStmt': return measureSelect(node, scope).size
    case 'ColumnRef': return sizeOfColumn(listOf(node['fields']), scope)
    case 'A_Expr': return measureComparison(node, scope)
    default: return 1 + measure(node, scope)
  }
}

/** The grammar writes BETWEEN and IN out as comparisons, each with what is compared. */
function measureComparison({ kind, lexpr, rexpr }: SyntaxNode, scope: Scope): number {
  const [left, right] = [measure(lexpr, scope), measure(rexpr, scope)]
  const name = String(kind)
  if (name.includes('BETWEEN')) return name.includes('SYM') ? 4 * left + 2 * right + 7 : 2 * left + right + 3
  if (name !== 'AEXPR_IN') return 1 + left + right
  const values = listOf(nodeOf(rexpr, 'List')?.['items']).filter((item) => nodeOf(item, 'A_Const') === undefined)
  return 1 + left * Math.max(1, values.length) + right
}

function sizeOfColumn(fields: readonly unknown[], scope: Scope): number {
  const names = namesIn(fields)
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    const { sources } = at
    if (names.length === 0) return Math.max(1, sum([...sources.values()].map(({ ofAll }) => ofAll)))
    const table = sources.get(names.length > 1 || fields.length > 1 ? names.at(fields.length > names.length ? -1 : -2) ?? '' : '')
    if (table !== undefined) return fields.length > names.length ? table.ofAll : sizeIn(table, names.at(-1) ?? '') ?? 1
    const [first = ''] = names
    const found = [...sources.values()].flatMap((source) => sizeIn(source, first) ?? [])
    if (found.length > 0) return sum(found)
    const row = sources.get(first)
    if (row !== undefined) return row.ofAll
  }
  return 1
}

function sizeIn({ sizes, ofOthers }: Columns, name: string): number | undefined {
  return sizes.get(name) ?? ofOthers
}
