import { SqlRefusal } from '../sql-errors.ts'
import {
  callCost,
  castCost,
  maxNumericDigits,
  maxValueBytes,
  maxWork,
  nodeWork,
  operatorCost,
  partsRate,
  pathCost,
  plannedWork,
  shortBytes,
  sortWork,
  sourceWork,
  uniqueRate,
} from './call-cost.ts'
import type { Value } from './call-cost.ts'
import { functionKinds } from './function-rules.ts'
import { isNode, listOf, namesIn, nodeOf } from './grammar.ts'
import type { SyntaxNode } from './grammar.ts'
import { accessOf } from './known-objects.ts'
import type { KnownObjects } from './known-objects.ts'
import {
  added,
  computed,
  constantOf,
  elementsOf,
  argumentsOf,
  isStarOfRow,
  nothing,
  outputName,
  pathsOf,
  pathValue,
  returnsParts,
  queryNamed,
  small,
  sourceNamed,
  sumOf,
  textOf,
  combine,
  withSearchColumns,
} from './query-columns.ts'
import type { Column, Columns, Query, Scope } from './query-columns.ts'

/** About 100 ns each. The longest statements of analysts take a few hundred. */
export const maxSteps = 150_000

const columnsOfRow = 32

/** Mainnet has up to 130. */
const assumedPartitions = 100
/** About 40 ns each, without a check for cancellation. */
const maxVisits = 200_000_000

/**
 * Estimates how long PostgreSQL could run a statement without checking for cancellation, and the
 * size of its plan. The planner inlines subquery expressions wherever they are named: thirty levels
 * of `SELECT x + x AS x FROM (…)` are a billion nodes.
 *
 * Both are upper bounds from the text alone, with assumed longest table values.
 */
export class StatementCost {
  readonly #known: KnownObjects
  #steps = 0

  constructor(known: KnownObjects) {
    this.#known = known
  }

  /**
   * @throws SqlRefusal `sql-text` if the estimate is too high or takes too many steps;
   *   `sql-function` for `value.name` that calls a forbidden function
   */
  check(select: SyntaxNode): void {
    const { work, visits } = this.#select(select, undefined)
    if (visits > maxVisits) {
      const text = 'The statement nests too many subqueries in expressions of partitioned tables.'
      throw new SqlRefusal('sql-text', `${text} Use joins, or WITH name AS MATERIALIZED (SELECT …).`)
    }
    if (work <= maxWork) return
    throw new SqlRefusal(
      'sql-text',
      'The statement could run too long without reacting to its timeout: expressions multiply, or long values are ' +
        'searched or built. Compute them once, with WITH name AS MATERIALIZED (SELECT …); truncate long values, as ' +
        'in left(value, 1000); give numeric casts a size, as in value::numeric(38, 8).',
    )
  }

  #step(count = 1): void {
    this.#steps += count
    if (this.#steps <= maxSteps) return
    const text = 'The statement is too complex: too many columns of too many tables or subqueries.'
    throw new SqlRefusal('sql-text', `${text} Simplify it.`)
  }

  #select({ withClause, fromClause, targetList, larg, rarg, ...rest }: SyntaxNode, outer: Scope | undefined): Query {
    this.#step()
    const scope: Scope = {
      outer,
      queries: new Map(),
      sources: new Map(),
      columns: new Map(),
      others: undefined,
      row: nothing,
      scans: 0,
      visits: 0,
      copiedVisits: 0,
    }
    let work = nodeWork
    if (isNode(withClause)) work += this.#with(withClause, scope)
    for (const item of listOf(fromClause)) work += this.#source(item, scope)
    const named: Column[] = []
    let others: Value | undefined
    for (const target of listOf(targetList)) {
      const output = this.#target(target, scope)
      work += output.work
      for (const column of output.columns.named) named.push(column)
      others = combine(others, output.columns.others)
    }
    const { valuesLists, ...clauses } = rest
    work += this.#value(clauses, scope).work
    for (const row of listOf(valuesLists)) {
      for (const [index, item] of listOf(nodeOf(row, 'List')?.['items']).entries()) {
        const value = this.#value(item, scope)
        work += value.work
        named[index] = { ...combine(named[index], { ...value, work: value.work }), name: `column${index + 1}` }
      }
    }
    const scans = Math.max(1, scope.scans)
    const visits = scope.visits + scans * (1 + scope.copiedVisits)
    if (!isNode(larg) || !isNode(rarg)) return { work, columns: { named, others }, scans, visits }
    const [left, right] = [this.#select(larg, scope), this.#select(rarg, scope)]
    return {
      work: work + left.work + right.work,
      columns: this.#united(left.columns, right.columns),
      scans: left.scans + right.scans,
      visits: visits + left.visits + right.visits,
    }
  }

  #united(left: Columns, right: Columns): Columns {
    this.#step(left.named.length)
    const others = combine(left.others, right.others)
    const isKnown = others === undefined
    const widest = isKnown ? undefined : combine(others, [...right.named].reduce<Value | undefined>(combine, undefined))
    const named = left.named.map((column, index) => ({
      ...combine(combine(column, right.named[index]), widest),
      name: column.name,
    }))
    return { named, others: widest }
  }

  #with({ ctes, recursive }: SyntaxNode, scope: Scope): number {
    let work = 0
    const queries = listOf(ctes).map((item) => nodeOf(item, 'CommonTableExpr') ?? {})
    for (const cte of queries) {
      const select = nodeOf(cte['ctequery'], 'SelectStmt') ?? {}
      const name = String(cte['ctename'])
      const query = recursive === true ? this.#recursive(name, select, cte, scope) : this.#select(select, scope)
      work += query.work
      scope.visits += query.visits
      const isKept = recursive === true || cte['ctematerialized'] === 'CTEMaterializeAlways'
      const columns = this.#renamed(query.columns, cte['aliascolnames'])
      // By default the server inlines a query that is named once.
      const isCopied = cte['ctematerialized'] === 'CTEMaterializeNever'
      scope.queries.set(name, {
        work: isCopied ? query.work : nodeWork,
        columns: isKept ? computed(columns) : columns,
        scans: isKept ? 1 : query.scans,
        visits: isCopied ? query.visits : 1,
      })
    }
    return work
  }

  /**
   * Columns are as long as in the first part if the second does not lengthen them; a sum has a
   * maximum length; everything else grows with each round.
   */
  #recursive(name: string, select: SyntaxNode, cte: SyntaxNode, scope: Scope): Query {
    const { larg, rarg } = select
    if (!isNode(larg) || !isNode(rarg)) return this.#select(select, scope)
    const first = this.#renamed(this.#select(larg, scope).columns, cte['aliascolnames'])
    const assume = (bytesOf: (value: Value) => number): Query => {
      const assumed = this.#mapped(first, (value) => ({
        work: 0,
        bytes: Math.max(value.bytes, bytesOf(value)),
        kind: value.kind,
      }))
      scope.queries.set(name, { work: nodeWork, columns: withSearchColumns(assumed, cte), scans: 1, visits: 1 })
      const query = this.#select(select, scope)
      scope.queries.delete(name)
      return { ...query, columns: withSearchColumns(this.#renamed(query.columns, cte['aliascolnames']), cte) }
    }
    const bounds = (value: Value): number => (value.kind === 'number' ? maxNumericDigits : shortBytes)
    const query = assume(bounds)
    const isBounded =
      first.others === undefined &&
      first.named.every((value, index) => {
        const bytes = query.columns.named[index]?.bytes ?? maxValueBytes
        return bytes <= Math.max(value.bytes, bounds(value))
      })
    return isBounded ? query : assume(() => maxValueBytes)
  }

  #source(item: unknown, scope: Scope): number {
    this.#step()
    const table = nodeOf(item, 'RangeVar')
    if (table !== undefined) {
      const query = table['schemaname'] === undefined ? queryNamed(String(table['relname']), scope) : undefined
      this.#addSource(table, query?.columns ?? this.#tableColumns(table), scope)
      scope.scans += query?.scans ?? assumedPartitions
      scope.visits += query?.visits ?? 0
      return sourceWork + (query?.work ?? 0)
    }
    const subselect = nodeOf(item, 'RangeSubselect')
    if (subselect !== undefined) {
      const query = this.#select(nodeOf(subselect['subquery'], 'SelectStmt') ?? {}, scope)
      this.#addSource(subselect, query.columns, scope)
      scope.scans += query.scans
      scope.visits += query.visits
      return sourceWork + query.work
    }
    const join = nodeOf(item, 'JoinExpr')
    if (join !== undefined) return this.#join(join, scope)
    const [node] = Object.values(isNode(item) ? item : {})
    const { work, bytes, kind, isVarying = false } = this.#value(item, scope)
    if (!isNode(node)) return work
    const table2 = nodeOf(nodeOf(item, 'RangeTableSample')?.['relation'], 'RangeVar')
    if (table2 !== undefined) return work + this.#source({ RangeVar: table2 }, scope)
    const declared = listOf(node['coldeflist']).map((each) => String(nodeOf(each, 'ColumnDef')?.['colname']))
    const kindOfColumns = kind === 'number' ? 'number' : this.#functionKind(node)
    const value: Value = { work: nodeWork, bytes: Math.max(bytes, shortBytes), kind: kindOfColumns, isVarying }
    this.#addSource(node, { named: declared.map((name) => ({ ...value, name })), others: value }, scope)
    const isCostly = nodeOf(item, 'RangeFunction') !== undefined && returnsParts(node)
    return work + sourceWork + (isCostly ? partsRate * bytes : 0)
  }

  #functionKind(node: SyntaxNode): Value['kind'] {
    const calls = listOf(node['functions']).map((each) =>
      nodeOf(listOf(nodeOf(each, 'List')?.['items'])[0], 'FuncCall'),
    )
    const areJsonb = calls.every((call) => namesIn(call?.['funcname']).at(-1)?.startsWith('jsonb_') === true)
    return calls.length > 0 && areJsonb ? 'jsonb' : 'other'
  }

  #join({ larg, rarg, quals, alias }: SyntaxNode, scope: Scope): number {
    const before = new Set(isNode(alias) ? scope.sources.keys() : [])
    const work = this.#source(larg, scope) + this.#source(rarg, scope) + this.#value(quals, scope).work
    if (!isNode(alias)) return work
    const inside = [...scope.sources].flatMap(([name, source]) => (before.has(name) ? [] : [source.columns]))
    this.#addSource({ alias }, this.#concatenated(inside), scope)
    return work
  }

  #concatenated(all: readonly Columns[]): Columns {
    const named = all.flatMap((columns) => columns.named)
    this.#step(named.length)
    const others = all.reduce<Value | undefined>((each, columns) => combine(each, columns.others), undefined)
    return { named, others }
  }

  #tableColumns(table: SyntaxNode): Columns {
    const { schemaname, relname } = table
    const schemas = typeof schemaname === 'string' ? [schemaname] : ['pg_catalog', ...this.#known.searchPath]
    for (const schema of schemas) {
      const named = this.#known.columns.get(`${schema}.${String(relname)}`)
      if (named !== undefined) return { named, others: undefined }
    }
    return { named: [], others: small }
  }

  #addSource({ alias, relname }: SyntaxNode, columns: Columns, scope: Scope): void {
    const { aliasname, colnames } = isNode(alias) ? alias : {}
    const name =
      [aliasname, relname].find((each) => typeof each === 'string') ?? `unnamed subquery ${scope.sources.size}`
    const renamed = this.#renamed(columns, colnames)
    this.#step(renamed.named.length)
    const byName = new Map<string, Value>()
    let row = renamed.others ?? nothing
    for (const column of renamed.named) {
      row = combine(row, column)
      if (column.name === undefined) continue
      byName.set(column.name, combine(byName.get(column.name), column))
      scope.columns.set(column.name, combine(scope.columns.get(column.name), column))
    }
    scope.sources.set(name, { columns: renamed, byName, row })
    scope.others = combine(scope.others, renamed.others)
    scope.row = combine(scope.row, row)
  }

  /** Alias names replace the first ones. If some names are unknown, each may be any of them. */
  #renamed({ named, others }: Columns, colnames: unknown): Columns {
    const names = namesIn(colnames)
    if (names.length === 0) return { named, others }
    this.#step(named.length + names.length)
    if (others === undefined) {
      return { named: named.map((column, index) => ({ ...column, name: names[index] ?? column.name })), others }
    }
    const widest = named.reduce<Value>(combine, others)
    return { named: names.map((name) => ({ ...widest, name })), others: widest }
  }

  #mapped({ named, others }: Columns, map: (value: Value) => Value): Columns {
    this.#step(named.length)
    return {
      named: named.map((column) => ({ ...map(column), name: column.name })),
      others: others === undefined ? undefined : map(others),
    }
  }

  #target(target: unknown, scope: Scope): { readonly work: number; readonly columns: Columns } {
    const { name, val } = nodeOf(target, 'ResTarget') ?? {}
    const fields = listOf(nodeOf(val, 'ColumnRef')?.['fields'])
    const names = namesIn(fields)
    if (fields.length > names.length) {
      const source = names.length === 0 ? undefined : sourceNamed(names.at(-1) ?? '', scope)
      const sources = source === undefined ? [...scope.sources.values()] : [source]
      const columns = this.#concatenated(sources.map((each) => each.columns))
      const work = columns.named.reduce((sum, column) => sum + column.work, nodeWork + (columns.others?.work ?? 0))
      return { work, columns }
    }
    const value = this.#value(val, scope)
    if (isStarOfRow(val)) return { work: value.work * columnsOfRow, columns: { named: [], others: value } }
    const column = { ...value, name: typeof name === 'string' ? name : outputName(val) }
    return { work: value.work, columns: { named: [column], others: undefined } }
  }

  #value(node: unknown, scope: Scope): Value {
    this.#step()
    if (Array.isArray(node)) return this.#sum(node, scope)
    if (!isNode(node)) return nothing
    let total = nothing
    for (const [key, child] of Object.entries(node)) {
      if (typeof child !== 'object' || child === null || key === 'alias') continue
      const value = isNode(child) && /^[A-Z]/.test(key) ? this.#node(key, child, scope) : this.#value(child, scope)
      total = total === nothing ? value : sumOf(total, value)
    }
    return total
  }

  #sum(items: readonly unknown[], scope: Scope): Value {
    let total: Value | undefined
    for (const item of items) {
      const value = this.#value(item, scope)
      total = total === undefined ? value : sumOf(total, value)
    }
    return total ?? nothing
  }

  #node(kind: string, node: SyntaxNode, scope: Scope): Value {
    switch (kind) {
      case 'SelectStmt':
        return { ...small, work: this.#copied(node, scope).work }
      case 'A_Const':
        return constantOf(node)
      case 'ColumnRef':
        return this.#column(node, scope)
      case 'A_Indirection':
        return this.#indirection(node, scope)
      case 'A_Expr':
        return this.#operator(node, scope)
      case 'FuncCall':
        return this.#call(node, scope)
      case 'TypeCast':
        return this.#cast(node, scope)
      case 'SubLink':
        return this.#subquery(node, scope)
      case 'TypeName':
      case 'SQLValueFunction':
        return { ...small, work: nodeWork }
      case 'BoolExpr':
      case 'NullTest':
      case 'BooleanTest':
        return { ...this.#inside(node, scope), bytes: 1 }
      // The planner drops what follows a constant.
      case 'CaseExpr':
      case 'CoalesceExpr':
        return { ...this.#inside(node, scope), isVarying: false }
      case 'JsonArrayAgg':
      case 'JsonObjectAgg': {
        return { ...this.#inside(node, scope), bytes: maxValueBytes, kind: 'other' }
      }
      case 'JsonFuncExpr':
      case 'JsonParseExpr':
      case 'JsonIsPredicate':
      case 'JsonSerializeExpr':
      case 'JsonScalarExpr':
      case 'JsonObjectConstructor':
      case 'JsonArrayConstructor':
      case 'JsonTable':
        return this.#json(node, scope)
      case 'JsonArrayQueryConstructor':
        return { ...this.#inside(node, scope), bytes: maxValueBytes }
      default:
        return this.#inside(node, scope)
    }
  }

  #inside(node: SyntaxNode, scope: Scope): Value {
    const value = this.#value(node, scope)
    return { ...value, work: value.work + nodeWork }
  }

  #json(node: SyntaxNode, scope: Scope): Value {
    const inside = this.#inside(node, scope)
    const parsed = callCost('parsing', [inside])
    let work = parsed.work + (returnsParts(node) ? partsRate * inside.bytes : 0)
    if (node['unique_keys'] === true || node['unique'] === true) work += uniqueRate * inside.bytes
    for (const path of pathsOf(node)) work += pathCost(inside.bytes, pathValue(this.#value(path, scope), path))
    return added({ ...parsed, work }, inside)
  }

  #call({ funcname, args, ...clauses }: SyntaxNode, scope: Scope): Value {
    const name = namesIn(funcname).at(-1) ?? ''
    const values = listOf(args).map((arg) => this.#value(arg, scope))
    const beside = this.#value(clauses, scope)
    const kind = functionKinds.get(name)
    const isCast = kind === undefined && accessOf(this.#known.types, [name], this.#known.searchPath) === 'allowed'
    // Functions of other schemas are SQL of the database owner.
    const result = isCast
      ? castCost(name, name.startsWith('_'), values[0] ?? small, undefined)
      : callCost(kind ?? 'growing', argumentsOf(kind ?? 'growing', values, listOf(args)))
    const isOrdered = clauses['agg_distinct'] === true || clauses['agg_order'] !== undefined
    const isSorted = clauses['over'] !== undefined || isOrdered
    return added(result, ...values, isSorted ? { ...beside, work: beside.work + sortWork } : beside)
  }

  #operator({ kind, name, lexpr, rexpr }: SyntaxNode, scope: Scope): Value {
    const form = String(kind)
    const symbol = namesIn(name).at(-1) ?? ''
    const left = this.#value(lexpr, scope)
    const right = this.#value(rexpr, scope)
    // The grammar expands BETWEEN and IN into comparisons that each repeat the left operand.
    if (form.includes('BETWEEN')) {
      const times = form.includes('SYM') ? 4 : 2
      const work = times * left.work + (times / 2) * right.work + 7 * nodeWork + operatorCost('=', left, right).work
      return { work, bytes: 1, kind: 'other' }
    }
    if (form === 'AEXPR_IN') {
      const values = listOf(nodeOf(rexpr, 'List')?.['items']).filter((item) => nodeOf(item, 'A_Const') === undefined)
      const comparisons = Math.max(1, values.length) * (left.work + operatorCost('=', left, right).work)
      return { work: comparisons + right.work + nodeWork, bytes: 1, kind: 'other' }
    }
    if (form === 'AEXPR_NULLIF') return { ...left, work: left.work + right.work + nodeWork }
    if (form.startsWith('AEXPR_OP_A')) {
      const comparisons = /[~@&?]/.test(symbol) ? operatorCost(symbol, left, right).work : 0
      const planned = right.isVarying === true ? 0 : elementsOf(rexpr, right) * Math.max(1, scope.scans)
      const planning = plannedWork * planned
      return added({ ...small, work: 4 * right.bytes + comparisons + planning }, left, right)
    }
    const path = symbol === '@?' ? pathValue(right, rexpr) : right
    return added(operatorCost(symbol, left, path), left, right)
  }

  #cast({ arg, typeName }: SyntaxNode, scope: Scope): Value {
    const value = this.#value(arg, scope)
    const { names, arrayBounds, typmods } = isNode(typeName) ? typeName : {}
    const length = nodeOf(listOf(typmods)[0], 'A_Const')?.['ival']
    const type = namesIn(names).at(-1) ?? ''
    const digits = isNode(length) ? Number(length['ival'] ?? 0) : undefined
    const isArray = arrayBounds !== undefined || type.startsWith('_')
    // '1.50'::numeric has the digits shown, unless it has an exponent.
    const text = nodeOf(arg, 'A_Const')?.['sval']
    const isDecimal = type === 'numeric' && isNode(text) && !/e/i.test(textOf(text['sval']))
    const shown = isDecimal ? { ...value, kind: 'number' as const } : value
    const { elements } = value
    const result = castCost(type, isArray, shown, digits)
    return added(elements === undefined ? result : { ...result, elements }, value)
  }

  #copied(select: SyntaxNode, scope: Scope): Query {
    const query = this.#select(select, scope)
    scope.copiedVisits += query.visits
    return query
  }

  #subquery({ subLinkType, subselect, testexpr, operName }: SyntaxNode, scope: Scope): Value {
    const test = this.#value(testexpr, scope)
    const { work, columns } = this.#copied(nodeOf(subselect, 'SelectStmt') ?? {}, scope)
    const total = nodeWork + test.work + work
    const [first = columns.others ?? small] = columns.named
    if (subLinkType === 'ARRAY_SUBLINK') return { work: total, bytes: maxValueBytes, kind: 'other', isVarying: true }
    if (subLinkType === 'EXPR_SUBLINK') return { work: total, bytes: first.bytes, kind: first.kind, isVarying: true }
    return { work: total + operatorCost(namesIn(operName).at(-1) ?? '=', test, first).work, bytes: 1, kind: 'other' }
  }

  #indirection({ arg, indirection }: SyntaxNode, scope: Scope): Value {
    let value = this.#inside({ arg }, scope)
    for (const step of listOf(indirection)) {
      const name = nodeOf(step, 'String')?.['sval']
      value =
        typeof name === 'string'
          ? this.#attribute(name, value)
          : added({ ...value, work: value.bytes }, value, this.#value(step, scope))
    }
    return value
  }

  #attribute(name: string, value: Value): Value {
    const { attributes, functions, types, searchPath } = this.#known
    if (attributes.has(name)) {
      const remedy = 'remove it, or use the column name without a table'
      throw new SqlRefusal('sql-function', `".${name}" may call a forbidden function: ${remedy}.`)
    }
    if (accessOf(functions, [name], searchPath) === 'allowed') {
      const { work, bytes } = callCost(functionKinds.get(name) ?? 'growing', [value])
      return { work: value.work + work + nodeWork, bytes: Math.max(bytes, value.bytes), kind: 'other' }
    }
    if (accessOf(types, [name], searchPath) !== 'allowed') return { ...value, work: value.work + nodeWork }
    return added(castCost(name, name.startsWith('_'), value, undefined), value)
  }

  #column({ fields }: SyntaxNode, scope: Scope): Value {
    const all = listOf(fields)
    const names = namesIn(all)
    const found = this.#lookUp(names, all.length > names.length, scope)
    return { ...found, work: found.work + nodeWork }
  }

  #lookUp(names: readonly string[], isStar: boolean, scope: Scope): Value {
    if (names.length === 0) return scope.row
    for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
      this.#step()
      if (names.length === 1 && !isStar) {
        const [name = ''] = names
        const column = at.columns.get(name) ?? at.others
        const row = at.sources.get(name)?.row
        if (column !== undefined || row !== undefined) return combine(column, row)
        continue
      }
      const path = isStar ? names : names.slice(0, -1)
      // A table may follow its schema, and a field of a row its table and column.
      const source = at.sources.get(path.at(-1) ?? '') ?? at.sources.get(path[0] ?? '')
      if (source === undefined) continue
      if (isStar) return source.row
      const name = names.at(-1) ?? ''
      return source.byName.get(name) ?? this.#attribute(name, source.row)
    }
    // No table has this name: PostgreSQL refuses it, or it is a name of a schema, table or type.
    return names.slice(1).reduce((value, name) => this.#attribute(name, value), small)
  }
}
