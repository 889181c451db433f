import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { setFlagsFromString } from 'node:v8'

/** libpg-query exports a single WebAssembly instance that cannot be replaced. */
interface ParserInstance {
  readonly _malloc: (bytes: number) => number
  readonly _free: (pointer: number) => void
  readonly _wasm_parse_query_raw: (sql: number) => number
  readonly _wasm_free_parse_result: (result: number) => void
  readonly lengthBytesUTF8: (text: string) => number
  readonly stringToUTF8: (text: string, pointer: number, bytes: number) => void
  readonly UTF8ToString: (pointer: number) => string
  readonly getValue: (pointer: number, type: 'i32') => number
}

declare const WebAssembly: {
  readonly compile: (bytes: Uint8Array) => Promise<CompiledModule>
  readonly Instance: new (module: CompiledModule, imports: object) => object
  readonly RuntimeError: new () => Error
}

type CompiledModule = object & { readonly isModule?: never }

interface ParserOptions {
  readonly instantiateWasm: (imports: object, receive: (instance: object) => void) => void
}

/** `position` counts UTF-8 bytes from 0. */
export class GrammarError extends Error {
  readonly position: number

  constructor(message: string, position: number) {
    super(message)
    this.position = position
  }
}

export class GrammarOverflow extends Error {}

const require = createRequire(import.meta.url)

/**
 * The optimizing compiler takes 550 MB for the largest function and saves 0.03 ms per statement.
 */
const compilerFlags = { 'liftoff-only': true, 'wasm-tier-up': false, 'wasm-dynamic-tiering': false } as const

/**
 * A statement that overflows the stack damages the instance: its stack pointer is not restored, so
 * the instance is replaced each time.
 */
export class Grammar {
  readonly #module: CompiledModule
  #instance: Promise<ParserInstance>

  private constructor(module: CompiledModule) {
    this.#module = module
    this.#instance = this.#create()
  }

  static async open(): Promise<Grammar> {
    for (const [flag, isOn] of Object.entries(compilerFlags)) setFlag(flag, isOn)
    try {
      const code = await readFile(require.resolve('libpg-query/wasm/libpg-query.wasm'))
      const grammar = new Grammar(await WebAssembly.compile(code))
      await grammar.parse('SELECT 1')
      return grammar
    } finally {
      for (const [flag, isOn] of Object.entries(compilerFlags)) setFlag(flag, !isOn)
    }
  }

  /** @returns PostgreSQL's syntax tree as JSON @throws GrammarError, GrammarOverflow */
  async parse(sql: string): Promise<readonly unknown[]> {
    let current = this.#instance
    let parser = await current
    // Another statement may have damaged the instance meanwhile.
    while (current !== this.#instance) {
      current = this.#instance
      parser = await current
    }
    try {
      const { stmts = [] } = JSON.parse(parseWith(parser, sql)) as { readonly stmts?: readonly unknown[] }
      return stmts
    } catch (error) {
      if (error instanceof GrammarError) throw error
      this.#instance = this.#create()
      if (error instanceof RangeError || error instanceof WebAssembly.RuntimeError) {
        throw new GrammarOverflow('SQL parser stack overflow', { cause: error })
      }
      throw error
    }
  }

  async #create(): Promise<ParserInstance> {
    type CreateParser = (options: ParserOptions) => Promise<ParserInstance>
    const createParser = require('libpg-query/wasm/libpg-query.js') as CreateParser
    return createParser({
      instantiateWasm: (imports, receive) => receive(new WebAssembly.Instance(this.#module, imports)),
    })
  }
}

/**
 * Offsets of PgQueryParseResult: tree, stderr, error. Of PgQueryError: message, function, file,
 * line, cursor.
 */
function parseWith(parser: ParserInstance, sql: string): string {
  const bytes = parser.lengthBytesUTF8(sql) + 1
  const text = parser._malloc(bytes)
  parser.stringToUTF8(sql, text, bytes)
  const result = parser._wasm_parse_query_raw(text)
  try {
    const error = parser.getValue(result + 8, 'i32')
    if (error !== 0) {
      const position = Math.max(0, parser.getValue(error + 16, 'i32') - 1)
      throw new GrammarError(parser.UTF8ToString(parser.getValue(error, 'i32')), position)
    }
    return parser.UTF8ToString(parser.getValue(result, 'i32'))
  } finally {
    parser._free(text)
    parser._wasm_free_parse_result(result)
  }
}

function setFlag(name: string, isOn: boolean): void {
  setFlagsFromString(isOn ? `--${name}` : `--no-${name}`)
}

export interface SyntaxNode {
  readonly [field: string]: unknown
}

export function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function nodeOf(value: unknown, kind: string): SyntaxNode | undefined {
  if (!isNode(value)) return undefined
  const node = value[kind]
  return isNode(node) ? node : undefined
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Name parts, outermost first. */
export function namesIn(list: unknown): string[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((item) => {
    const text = nodeOf(item, 'String')
    return text === undefined ? [] : [typeof text['sval'] === 'string' ? text['sval'] : '']
  })
}

/** All other nodes are refused, including those of later PostgreSQL versions. */
export const selectNodes: ReadonlySet<string> = new Set(
  [
    `SelectStmt WithClause CommonTableExpr CTESearchClause CTECycleClause ResTarget SortBy WindowDef
    GroupingSet GroupingFunc List Alias`,
    `RangeVar RangeSubselect RangeFunction RangeTableSample JoinExpr ColumnDef`,
    `A_ArrayExpr A_Const A_Expr A_Indices A_Indirection A_Star BoolExpr Boolean BooleanTest CaseExpr CaseWhen
    CoalesceExpr CollateClause ColumnRef Float FuncCall Integer MinMaxExpr NamedArgExpr NullTest RowExpr
    SQLValueFunction String SubLink TypeCast TypeName`,
    `JsonAggConstructor JsonArgument JsonArrayAgg JsonArrayConstructor JsonArrayQueryConstructor JsonBehavior
    JsonFormat JsonFuncExpr JsonIsPredicate JsonKeyValue JsonObjectAgg JsonObjectConstructor JsonOutput
    JsonParseExpr JsonReturning JsonScalarExpr JsonSerializeExpr JsonTable JsonTableColumn JsonTablePathSpec
    JsonValueExpr`,
  ].flatMap((names) => names.split(/\s+/)),
)
