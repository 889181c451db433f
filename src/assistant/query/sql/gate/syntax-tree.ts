/** A part of PostgreSQL's syntax tree as JSON: nodes are objects with one key, the name of their kind, which begins with a capital. */
export interface SyntaxNode {
  readonly [field: string]: unknown
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The node of a kind, where this is one. */
export function nodeOf(value: unknown, kind: string): SyntaxNode | undefined {
  if (!isNode(value)) return undefined
  const node = value[kind]
  return isNode(node) ? node : undefined
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The strings of a list of String nodes: the parts of a name, from the outermost. */
export function namesIn(list: unknown): string[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((item) => {
    const text = nodeOf(item, 'String')
    return text === undefined ? [] : [typeof text['sval'] === 'string' ? text['sval'] : '']
  })
}

/** Kinds of nodes that a SELECT may be made of. What is not here, such as a kind that a later PostgreSQL brings, is refused. */
export const selectNodes: ReadonlySet<string> = new Set([
  // The statement and its parts.
  'SelectStmt',
  'WithClause',
  'CommonTableExpr',
  'CTESearchClause',
  'CTECycleClause',
  'ResTarget',
  'SortBy',
  'WindowDef',
  'GroupingSet',
  'GroupingFunc',
  'List',
  'Alias',
  // Where rows come from.
  'RangeVar',
  'RangeSubselect',
  'RangeFunction',
  'RangeTableSample',
  'JoinExpr',
  'ColumnDef',
  // Expressions.
  'A_ArrayExpr',
  'A_Const',
  'A_Expr',
  'A_Indices',
  'A_Indirection',
  'A_Star',
  'BoolExpr',
  'Boolean',
  'BooleanTest',
  'CaseExpr',
  'CaseWhen',
  'CoalesceExpr',
  'CollateClause',
  'ColumnRef',
  'Float',
  'FuncCall',
  'Integer',
  'MinMaxExpr',
  'NamedArgExpr',
  'NullTest',
  'RowExpr',
  'SQLValueFunction',
  'String',
  'SubLink',
  'TypeCast',
  'TypeName',
  // JSON of the standard.
  'JsonAggConstructor',
  'JsonArgument',
  'JsonArrayAgg',
  'JsonArrayConstructor',
  'JsonArrayQueryConstructor',
  'JsonBehavior',
  'JsonFormat',
  'JsonFuncExpr',
  'JsonIsPredicate',
  'JsonKeyValue',
  'JsonObjectAgg',
  'JsonObjectConstructor',
  'JsonOutput',
  'JsonParseExpr',
  'JsonReturning',
  'JsonScalarExpr',
  'JsonSerializeExpr',
  'JsonTable',
  'JsonTableColumn',
  'JsonTablePathSpec',
  'JsonValueExpr',
])
