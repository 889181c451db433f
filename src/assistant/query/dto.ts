import { z } from 'zod'
import { queryTargets } from './query-service.ts'
import { maxStatementLength } from './sql/gate/sql-gate.ts'
import { maxParameterCharacters, maxParameters, parameterName, parameterTypes } from './sql/parameters.ts'
import type { GeneratedSql, QueryFailure } from './query-service.ts'
import type { SqlAnswer, SqlValue } from './sql/sql-runner.ts'

const maxQuestionCharacters = 4000

export const targetField = z
  .enum(queryTargets, `must be ${queryTargets.join(' or ')}`)
  .describe('Database: `indexer` (flowfarm) or `evm` (EVM explorer). Default: indexer.')

export const cleanText = (max: number): z.ZodString =>
  z
    .string('must be a string')
    .max(max, `must have at most ${max} characters`)
    .refine((text) => !text.includes('\0') && text.isWellFormed(), 'must not contain NUL or lone surrogates')

export const nameField = cleanText(100)
  .refine((text) => text.trim() !== '', 'must be a name')
  .overwrite((text) => text.trim())

export const questionField = z
  .string('must be a string')
  .refine((text) => text.trim() !== '', 'must be a question')
  .max(maxQuestionCharacters, `must have at most ${maxQuestionCharacters} characters`)
  .refine((text) => !text.includes('\0') && text.isWellFormed(), 'must not contain NUL or lone surrogates')
  .describe('The question, in English or Chinese.')

export const sqlField = z
  .string('must be a string')
  .refine((text) => text.trim() !== '', 'must be a SELECT statement')
  .describe('One PostgreSQL SELECT statement; may start with WITH.')

export const statementField = sqlField.max(maxStatementLength, `must have at most ${maxStatementLength} characters`)

const number = /^[+-]?\d{1,40}(\.\d{1,40})?$/
const day = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2})?)?$/

const parameter = z.strictObject({
  name: z
    .string()
    .regex(parameterName, 'must be a letter or underscore and up to 39 more letters, digits or underscores'),
  type: z.enum(parameterTypes, `must be ${parameterTypes.join(', ')}`),
  value: z
    .string('must be a string')
    .max(maxParameterCharacters, `must have at most ${maxParameterCharacters} characters`)
    .refine((text) => !text.includes('\0') && text.isWellFormed(), 'must not contain NUL or lone surrogates'),
})

function isOfType({ type, value }: z.output<typeof parameter>): boolean {
  if (type === 'text') return true
  return type === 'number' ? number.test(value) : day.test(value) && !Number.isNaN(Date.parse(value))
}

const typeMessage = 'must be a number such as 12.5, or a date such as 2026-11-20'

export const parametersField = z
  .array(parameter.refine(isOfType, { path: ['value'], message: typeMessage }))
  .max(maxParameters, `must have at most ${maxParameters} items`)
  .describe('Values of each `{{name}}` outside of strings in the statement, sent apart from it.')

export const defaultsField = z
  .array(parameter.refine((each) => each.value === '' || isOfType(each), { path: ['value'], message: typeMessage }))
  .max(maxParameters, `must have at most ${maxParameters} items`)
  .describe('Type and default value of each parameter. An empty value means: without default.')

const maxSampleRows = 5
const maxSampleColumns = 50
const maxSampleCharacters = 200

export const earlierField = z
  .strictObject({
    question: questionField,
    sql: statementField,
    columns: z.array(z.string().max(maxSampleCharacters)).max(maxSampleColumns),
    rows: z
      .array(z.array(z.string().max(maxSampleCharacters)).max(maxSampleColumns))
      .max(maxSampleRows)
      .describe(`At most ${maxSampleRows} rows, values as text of at most ${maxSampleCharacters} characters.`),
  })
  .describe('The answer that this question refines.')

const rowSchema = z.record(z.string(), z.unknown())

export const answerFields = {
  columns: z.array(z.string()).describe('Column names, made unique: a second `count` is `count_2`.'),
  column_types: z.array(z.string()).describe('PostgreSQL type names, in column order.'),
  results: z
    .array(rowSchema)
    .describe(
      'Rows as objects by column name. Values are exact: int8 and numeric are strings, bytea is 0x-prefixed hex, ' +
        'times are ISO 8601 in UTC. JSON and arrays above 256 KiB stay text.',
    ),
  row_count: z.int().describe('Number of rows returned.'),
  truncated: z.boolean().describe('True if there were more rows: aggregate, or narrow the query.'),
  truncated_by: z
    .enum(['rows', 'bytes'])
    .nullable()
    .describe('The limit that was reached: MAX_RESULT_ROWS or ASK_MAX_RESULT_BYTES.'),
}

export type AnswerFields = z.output<z.ZodObject<typeof answerFields>>

export function presentAnswer(answer: SqlAnswer | undefined): AnswerFields {
  const columns = distinctNames((answer?.columns ?? []).map(({ name }) => name))
  const results = (answer?.rows ?? []).map((row) => rowByName(columns, row))
  return {
    columns,
    column_types: (answer?.columns ?? []).map(({ type }) => type),
    results,
    row_count: answer?.rowCount ?? 0,
    truncated: answer?.truncated ?? false,
    truncated_by: answer?.truncatedBy ?? null,
  }
}

/** `__proto__` is a valid column name. */
function rowByName(columns: readonly string[], row: readonly SqlValue[]): Record<string, SqlValue> {
  const byName = Object.create(null) as Record<string, SqlValue>
  for (const [i, name] of columns.entries()) byName[name] = row[i] ?? null
  return byName
}

export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set(names)
  const given = new Set<string>()
  return names.map((name) => {
    let distinct = name
    for (let n = 2; given.has(distinct); n++) {
      const candidate = `${name}_${n}`
      if (!taken.has(candidate) && !given.has(candidate)) distinct = candidate
    }
    given.add(distinct)
    return distinct
  })
}

export const failureFields = {
  error: z.string().nullable().describe('Error message; null on success.'),
  error_code: z.string().nullable().describe('Stable error code; null on success.'),
  sql_state: z.string().nullable().describe('SQLSTATE, if PostgreSQL rejected the statement.'),
  error_position: z.int().nullable().describe('Position of the error in `sql`, in characters from 1.'),
  error_hint: z.string().nullable().describe('Hint from PostgreSQL.'),
}

export type FailureFields = z.output<z.ZodObject<typeof failureFields>>

export function presentFailure(failure: QueryFailure | undefined): FailureFields {
  return {
    error: failure?.detail ?? null,
    error_code: failure?.code ?? null,
    sql_state: failure?.sqlState ?? null,
    error_position: failure?.position ?? null,
    error_hint: failure?.hint ?? null,
  }
}

export const generatedFields = {
  target: targetField,
  question: z.string(),
  sql: z.string().describe("The model's last statement, without fences and prose."),
  attempts: z
    .array(z.strictObject({ sql: z.string(), error: z.string().nullable() }))
    .describe('All statements of the model for this question, each with the error that led to the next one.'),
  model: z.string().describe('Model that wrote the statement.'),
  prompt_version: z.string().describe('Version of the prompt (tables, notes, examples, rules).'),
  duration_ms: z.number().describe('Total time, including all model calls.'),
}

export type GeneratedFields = z.output<z.ZodObject<typeof generatedFields>>

export const attemptsExample = {
  attempts: [{ sql: 'SELECT max(height) AS height FROM raw.blocks', error: null }],
  model: 'anthropic/claude-sonnet-4-6',
  prompt_version: '3f9c2a17be04',
  duration_ms: 2140.5,
}

export function presentGenerated({
  target,
  question,
  sql,
  attempts,
  model,
  promptVersion,
  durationMs,
}: GeneratedSql): GeneratedFields {
  return {
    target,
    question,
    sql,
    model,
    attempts: attempts.map((attempt) => ({ sql: attempt.sql, error: attempt.failure?.detail ?? null })),
    prompt_version: promptVersion,
    duration_ms: durationMs,
  }
}
