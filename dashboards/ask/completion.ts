import type { Completion, CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete'
import type { SQLNamespace } from '@codemirror/lang-sql'
import { syntaxTree } from '@codemirror/language'
import { formatCompact } from '../kit/formats.ts'
import type { SchemaMetric, SchemaTable } from './answers.gen.ts'

export interface Schema {
  readonly data: readonly SchemaTable[]
  readonly functions: readonly string[]
  readonly metrics: readonly SchemaMetric[]
}

/** The schemas that statements may omit. */
const searchPath: ReadonlySet<string> = new Set(['app', 'raw', 'analytics', 'public'])

/** For completions after a schema, a table or an alias. */
export function namespaceOf(tables: readonly SchemaTable[]): SQLNamespace {
  const bySchema = Map.groupBy(tables, ({ schema }) => schema)
  return Object.fromEntries(
    [...bySchema].map(([schema, list]) => [
      schema,
      {
        self: { label: schema, type: 'namespace' },
        children: Object.fromEntries(
          list.map((table) => [table.name, { self: tableCompletion(table), children: table.columns.map(columnOf) }]),
        ),
      },
    ]),
  )
}

function tableCompletion({ name, approximate_rows: rows, comment }: SchemaTable): Completion {
  return {
    label: name,
    type: 'type',
    ...(rows === null ? {} : { detail: `about ${formatCompact(rows)} rows` }),
    ...(comment === null ? {} : { info: comment }),
  }
}

function columnOf({ name, type, comment }: SchemaTable['columns'][number]): Completion {
  return { label: name, type: 'property', detail: type, ...(comment === null ? {} : { info: comment }) }
}

/** Tables that the statement names, with or without their schema. */
export function tablesIn(sql: string, tables: readonly SchemaTable[]): readonly SchemaTable[] {
  const named = new Set(Array.from(sql.matchAll(/\b\w+\.\w+\b/g), ([name]) => name.toLowerCase()))
  const bare = new Set(
    Array.from(sql.matchAll(/\b(?:from|join)\s+(\w+)\b(?!\s*\.)/gi), ([, name]) => name?.toLowerCase()),
  )
  return tables.filter(
    ({ schema, name }) => named.has(`${schema}.${name}`) || (searchPath.has(schema) && bare.has(name)),
  )
}

/** Columns of the statement's tables, functions, and tables with their schema. */
export function sqlCompletions({ data, functions }: Schema): CompletionSource {
  const names = functions
    .filter((name) => /^[a-z][a-z0-9_]*$/.test(name))
    .map((name): Completion => ({ label: name, type: 'function', apply: `${name}(`, boost: -1 }))
  const tables = data.map((table): Completion => ({
    ...tableCompletion(table),
    label: `${table.schema}.${table.name}`,
  }))
  return (context) => complete(context, { data, names, tables })
}

function complete(
  context: CompletionContext,
  { data, names, tables }: Record<'names' | 'tables', readonly Completion[]> & Pick<Schema, 'data'>,
): CompletionResult | null {
  const word = context.matchBefore(/\w*/)
  if (word === null || (word.from === word.to && !context.explicit)) return null
  const before = context.state.sliceDoc(Math.max(0, word.from - 1), word.from)
  if (before === '.' || isText(context)) return null
  const used = tablesIn(context.state.doc.toString(), data)
  const columns = new Map(used.flatMap((table) => table.columns.map((column) => [column.name, columnOf(column)])))
  const isTableExpected = /\b(?:from|join)\s+$/i.test(context.state.sliceDoc(Math.max(0, word.from - 20), word.from))
  const options = isTableExpected
    ? tables
    : [...Array.from(columns.values(), (column) => ({ ...column, boost: 2 })), ...names, ...tables]
  return { from: word.from, options, validFor: /^\w*$/ }
}

function isText(context: CompletionContext): boolean {
  return ['String', 'LineComment', 'BlockComment'].includes(
    syntaxTree(context.state).resolveInner(context.pos, -1).name,
  )
}
