import { SqlRefusal } from '../sql-errors.ts'
import { allowedCollations } from './function-rules.ts'
import { isNode, namesIn, nodeOf, selectNodes } from './grammar.ts'
import type { SyntaxNode } from './grammar.ts'
import { accessOf } from './known-objects.ts'
import type { KnownObjects } from './known-objects.ts'

type Scope = ReadonlySet<string>

const samplingMethods: ReadonlySet<string> = new Set(['bernoulli', 'system'])

/** Walks all nodes, so that functions are found anywhere, and refuses unknown node kinds. */
export class SelectWalker {
  readonly #known: KnownObjects

  constructor(known: KnownObjects) {
    this.#known = known
  }

  check(select: SyntaxNode): void {
    this.#visitSelect(select, new Set())
  }

  #visit(value: unknown, scope: Scope): void {
    if (Array.isArray(value)) {
      for (const item of value) this.#visit(item, scope)
      return
    }
    if (!isNode(value)) return
    for (const [key, child] of Object.entries(value)) {
      if (/^[A-Z]/.test(key)) this.#visitNode(key, child, scope)
      else this.#visitField(key, child, scope)
    }
  }

  #visitNode(kind: string, node: unknown, scope: Scope): void {
    if (kind === 'ParamRef')
      throw new SqlRefusal('sql-clause', 'Parameters such as $1 are not allowed. Use literal values.')
    if (!selectNodes.has(kind)) {
      throw kind.endsWith('Stmt')
        ? new SqlRefusal(
            'sql-clause',
            `${kind.replace(/Stmt$/, '').toUpperCase()} is not allowed inside a SELECT: statements are read-only.`,
          )
        : new SqlRefusal('sql-clause', `Unsupported syntax (${kind}). Remove it.`)
    }
    if (!isNode(node)) return
    if (kind === 'SelectStmt') this.#visitSelect(node, scope)
    else {
      this.#checkNode(kind, node, scope)
      this.#visit(node, scope)
    }
  }

  /** Some fields hold nodes without the name of their kind. */
  #visitField(field: string, child: unknown, scope: Scope): void {
    if ((field === 'larg' || field === 'rarg') && isNode(child) && 'op' in child) {
      this.#visitSelect(child, scope)
      return
    }
    if (field === 'typeName' && isNode(child)) this.#checkType(child)
    this.#visit(child, scope)
  }

  #visitSelect({ withClause, ...select }: SyntaxNode, scope: Scope): void {
    if (select['intoClause'] !== undefined)
      throw new SqlRefusal('sql-clause', 'SELECT … INTO is not allowed: it creates a table. Remove INTO.')
    if (select['lockingClause'] !== undefined)
      throw new SqlRefusal('sql-clause', 'FOR UPDATE and FOR SHARE are not allowed: they lock rows. Remove them.')
    const inner = isNode(withClause) ? this.#visitWith(withClause, scope) : scope
    this.#visit(select, inner)
  }

  /**
   * A WITH query sees those before it, and with RECURSIVE all of them and itself. Other names are
   * tables.
   */
  #visitWith(withClause: SyntaxNode, scope: Scope): Scope {
    const list: readonly unknown[] = Array.isArray(withClause['ctes']) ? withClause['ctes'] : []
    const queries = list.map((each) => nodeOf(each, 'CommonTableExpr')).filter((each) => each !== undefined)
    const visible = new Set(scope)
    if (withClause['recursive'] === true) for (const query of queries) visible.add(String(query['ctename']))
    for (const query of queries) {
      this.#visit(query, new Set(visible))
      visible.add(String(query['ctename']))
    }
    return visible
  }

  #checkNode(kind: string, node: SyntaxNode, scope: Scope): void {
    switch (kind) {
      case 'RangeVar':
        return this.#checkRelation(node, scope)
      case 'FuncCall':
        return this.#checkFunction(namesIn(node['funcname']))
      case 'TypeName':
        return this.#checkType(node)
      case 'A_Expr':
        return this.#checkComparison(node)
      case 'SubLink':
        return this.#checkOperator(namesIn(node['operName']))
      case 'SortBy':
        return this.#checkOperator(namesIn(node['useOp']))
      case 'A_Const': {
        if (node['bsval'] === undefined) return
        const text = "Bit strings are not needed for chain data: write bytes as decode('1f', 'hex')."
        throw new SqlRefusal('sql-type', text)
      }
      case 'CollateClause':
        return checkCollation(namesIn(node['collname']))
      case 'RangeTableSample':
        return checkSample(namesIn(node['method']))
      default:
    }
  }

  #checkRelation(node: SyntaxNode, scope: Scope): void {
    const { catalogname, schemaname, relname } = node
    const parts = [catalogname, schemaname, relname].filter((part) => typeof part === 'string')
    const [only = ''] = parts
    if (parts.length === 1 && scope.has(only)) return
    const { relations, searchPath } = this.#known
    if (accessOf(relations, parts, searchPath) === 'allowed') return
    const name = parts.join('.')
    const elsewhere = [...(relations.get(parts.at(-1) ?? '') ?? [])].flatMap(([schema, allowed]) =>
      allowed ? [`${schema}.${parts.at(-1)}`] : [],
    )
    const remedy =
      elsewhere.length > 0
        ? `did you mean ${elsewhere.join(' or ')}?`
        : `information_schema.columns lists tables and columns.`
    throw new SqlRefusal('sql-relation', `Table ${name} does not exist or is not readable; ${remedy}`)
  }

  #checkFunction(parts: readonly string[]): void {
    const { functions, types, searchPath } = this.#known
    const name = parts.join('.')
    const verdict = accessOf(functions, parts, searchPath)
    if (verdict === 'allowed') return
    // A cast may be written as a call if no function has the name.
    if (verdict === 'unknown' && accessOf(types, parts, searchPath) === 'allowed') return
    throw verdict === 'unknown'
      ? new SqlRefusal('sql-function', `Function ${name} does not exist. Check its name and schema.`)
      : new SqlRefusal('sql-function', `Function ${name} is not allowed. Remove it.`)
  }

  #checkType(node: SyntaxNode): void {
    const parts = namesIn(node['names'])
    // Column definitions may omit the type where it is known.
    if (parts.length === 0) return
    const { types, searchPath } = this.#known
    if (node['pct_type'] !== true && accessOf(types, parts, searchPath) === 'allowed') return
    const name = parts.join('.')
    throw new SqlRefusal('sql-type', `Type ${name} does not exist or is not allowed. Use another type.`)
  }

  #checkComparison(node: SyntaxNode): void {
    const parts = namesIn(node['name'])
    if (String(node['kind']).includes('BETWEEN'))
      for (const symbol of ['<', '<=', '>', '>=']) this.#checkOperator([symbol])
    else this.#checkOperator(parts)
  }

  #checkOperator(parts: readonly string[]): void {
    if (parts.length === 0) return
    const { operators, searchPath } = this.#known
    if (accessOf(operators, parts, searchPath) === 'allowed') return
    const remedy = 'use operators for numbers, text, times, arrays and JSON'
    throw new SqlRefusal('sql-operator', `Operator ${parts.join('.')} is not allowed: ${remedy}.`)
  }
}

function checkSample(parts: readonly string[]): void {
  const name = parts.at(-1) ?? ''
  if (samplingMethods.has(name) && (parts.length === 1 || parts[0] === 'pg_catalog')) return
  throw new SqlRefusal('sql-function', `TABLESAMPLE ${parts.join('.')} is not allowed. Use BERNOULLI or SYSTEM.`)
}

function checkCollation(parts: readonly string[]): void {
  const name = parts.at(-1) ?? ''
  if (allowedCollations.has(name) && (parts.length === 1 || (parts.length === 2 && parts[0] === 'pg_catalog'))) return
  const allowed = [...allowedCollations].join(', ')
  throw new SqlRefusal('sql-clause', `COLLATE ${parts.join('.')} is not allowed. Use ${allowed}, or remove it.`)
}
