import { z } from 'zod'
import { FatalError } from '../platform/errors.ts'
import { columnTypes, standardColumns } from './declaration.ts'
import type { OwnDeclaration } from './declaration.ts'

export const declarationLimits = {
  tables: 50,
  folds: 50,
  views: 50,
  viewCharacters: 10_000,
  /** PostgreSQL allows 1600, less with wide types. */
  columns: 200,
  indexes: 20,
  keyColumns: 8,
  events: 500,
  /** PostgreSQL allows 63 characters. */
  nameLength: 50,
  /** `own_` and the name must leave space for the suffix of a successor. */
  workerNameLength: 34,
  commentLength: 1000,
  /** integer of PostgreSQL */
  version: 2_147_483_647,
} as const

const { nameLength, commentLength } = declarationLimits

/** Source: https://www.postgresql.org/docs/18/ddl-system-columns.html */
const systemColumns = ['tableoid', 'xmin', 'cmin', 'xmax', 'cmax', 'ctid']
export const reservedColumns: ReadonlySet<string> = new Set([
  ...systemColumns,
  ...standardColumns.map(({ name }) => name),
])

const nameSchema = z
  .string()
  .regex(/^[a-z][a-z0-9_]*$/, 'Start with a letter, and use lower-case letters, digits and _ only.')
  .max(nameLength, `Use at most ${nameLength} characters.`)
const columnName = nameSchema.refine((column) => !reservedColumns.has(column), {
  error: 'Rename the column: every table has a column of this name.',
})
const comment = z
  .string()
  .max(commentLength, `Use at most ${commentLength} characters.`)
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'Remove U+0000 and unpaired surrogates.')
  .default('')

const atMost = (limit: number, what: string): [(entries: object) => boolean, string] => [
  (entries) => Object.keys(entries).length <= limit,
  `Declare at most ${limit} ${what}.`,
]

const wholeNumber = (min: number, max: number): z.ZodInt => {
  const message = `Use a whole number from ${min} to ${max}.`
  return z.int(message).min(min, message).max(max, message)
}

/** Events of resources are `Listing.ResourceDestroyed`. */
const eventName = /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)?$/

const columnSchema = z.strictObject({
  type: z.enum(columnTypes, `Use one of ${columnTypes.join(', ')}.`),
  optional: z.boolean().default(false),
  index: z.boolean().default(false),
  comment,
})

const table = z.strictObject({
  comment,
  columns: z
    .record(columnName, columnSchema)
    .refine(...atMost(declarationLimits.columns, 'columns'))
    .refine(
      (columns) => Object.values(columns).filter(({ index }) => index).length <= declarationLimits.indexes,
      `Index at most ${declarationLimits.indexes} columns.`,
    ),
})

const key = z
  .array(z.string())
  .min(1, 'Name at least one column.')
  .max(declarationLimits.keyColumns, `Use at most ${declarationLimits.keyColumns} columns.`)

const fold = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({
      kind: z.literal('latest'),
      of: z.string(),
      key,
      columns: z.array(z.string()).min(1, 'Name at least one column.').max(declarationLimits.columns),
      comment,
    }),
    z.strictObject({
      kind: z.literal('sum'),
      of: z.string(),
      key,
      count: columnName.default('row_count'),
      sums: z
        .record(columnName, z.string())
        .default({})
        .refine(...atMost(declarationLimits.indexes, 'sums')),
      comment,
    }),
  ],
  'Set kind to latest or sum.',
)

const view = z.strictObject({
  sql: z.string().max(declarationLimits.viewCharacters, `Use at most ${declarationLimits.viewCharacters} characters.`),
  comment,
})

const definitionSchema = z
  .strictObject({
    contract: z
      .string()
      .regex(/^A\.[0-9a-f]{16}\.[A-Za-z_][A-Za-z0-9_]*$/, 'Use A.<address, 16 lower-case hex digits>.<name>.')
      .max(200),
    version: wholeNumber(1, declarationLimits.version),
    description: comment,
    events: z
      .array(z.string().regex(eventName, 'Use the name of an event, without its contract.').max(200))
      .max(declarationLimits.events)
      .default([]),
    startHeight: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional(),
    tables: z
      .record(nameSchema, table)
      .refine((tables) => Object.keys(tables).length > 0, 'Declare at least one table.')
      .refine(...atMost(declarationLimits.tables, 'tables')),
    folds: z
      .record(nameSchema, fold)
      .default({})
      .refine(...atMost(declarationLimits.folds, 'folds')),
    views: z
      .record(nameSchema, view)
      .default({})
      .refine(...atMost(declarationLimits.views, 'views')),
  })
  .superRefine((worker, context) => {
    for (const [foldName, declared] of Object.entries(worker.folds)) {
      for (const [field, problem] of foldProblems(foldName, declared, worker.tables))
        context.addIssue({ code: 'custom', path: ['folds', foldName, ...field], message: problem })
    }
    for (const viewName of Object.keys(worker.views)) {
      if (!Object.hasOwn(worker.tables, viewName) && !Object.hasOwn(worker.folds, viewName)) continue
      const message = 'Rename the view: a table or fold has the same name.'
      context.addIssue({ code: 'custom', path: ['views', viewName], message })
    }
  })

type Definition = z.output<typeof definitionSchema>
type Tables = Definition['tables']
type FoldDefinition = Definition['folds'][string]

/** @param definition the value that `defineWorker` returned, as JSON. @throws FatalError `bad-own-worker` */
export function readDeclaration(definition: unknown): OwnDeclaration {
  const result = definitionSchema.safeParse(definition)
  if (!result.success) throw badWorker(result.error)
  const { contract, version, description, events, startHeight = null, tables, folds, views } = result.data
  return {
    contract,
    version,
    description,
    events: [...new Set(events)],
    startHeight,
    tables: Object.entries(tables).map(([table, { comment: tableComment, columns }]) => ({
      name: table,
      comment: tableComment,
      columns: Object.entries(columns).map(([name, { type, optional, index, comment: columnComment }]) => ({
        name,
        type,
        isOptional: optional,
        isIndexed: index,
        comment: columnComment,
      })),
    })),
    folds: Object.entries(folds).map(([foldName, declared]) =>
      declared.kind === 'latest'
        ? { name: foldName, ...declared }
        : { name: foldName, ...declared, sums: Object.entries(declared.sums).map(([sum, of]) => ({ name: sum, of })) },
    ),
    views: Object.entries(views).map(([viewName, declared]) => ({ name: viewName, ...declared, columns: [] })),
  }
}

type Problem = readonly [path: readonly (string | number)[], message: string]

function* foldProblems(foldName: string, declared: FoldDefinition, tables: Tables): Generator<Problem> {
  if (Object.hasOwn(tables, foldName)) yield [[], 'Rename the fold: a table has the same name.']
  const columns = Object.hasOwn(tables, declared.of) ? tables[declared.of]?.columns : undefined
  if (columns === undefined) {
    yield [['of'], `Name one of the tables: ${Object.keys(tables).join(', ')}.`]
    return
  }
  const typeOf = (columnOfTable: string): string | undefined =>
    Object.hasOwn(columns, columnOfTable) ? columns[columnOfTable]?.type : undefined
  const unknown = `Name a column of ${declared.of}: ${Object.keys(columns).join(', ')}.`
  for (const [i, part] of declared.key.entries()) {
    if (typeOf(part) === undefined) yield [['key', i], unknown]
    if (typeOf(part) === 'jsonb') yield [['key', i], 'Use a column of another type than jsonb.']
  }
  const others = declared.kind === 'latest' ? declared.columns : [declared.count, ...Object.keys(declared.sums)]
  const repeated = [...declared.key, ...others].find((part, i, all) => all.indexOf(part) !== i)
  if (repeated !== undefined) yield [[], `Name each column once: ${repeated} is repeated.`]
  if (declared.kind === 'latest') {
    for (const [i, part] of declared.columns.entries()) {
      if (typeOf(part) === undefined && !standardColumns.some((standard) => standard.name === part))
        yield [['columns', i], unknown]
    }
    return
  }
  for (const [sum, of] of Object.entries(declared.sums)) {
    if (!['integer', 'bigint', 'numeric'].includes(typeOf(of) ?? ''))
      yield [['sums', sum], `Name an integer, bigint or numeric column of ${declared.of}, not ${of}.`]
  }
}

const maxProblems = 5

function badWorker({ issues }: z.ZodError): FatalError {
  const problems = issues.slice(0, maxProblems).map((issue) => {
    const [first] = issue.code === 'invalid_key' ? issue.issues : []
    const path = issue.path.length === 0 ? 'the default export' : issue.path.join('.')
    return `${path}: ${first?.message ?? issue.message}`.slice(0, 500)
  })
  const more = issues.length > maxProblems ? [`${issues.length - maxProblems} more`] : []
  return new FatalError('bad-own-worker', `Invalid declaration: ${[...problems, ...more].join('; ')}`)
}
