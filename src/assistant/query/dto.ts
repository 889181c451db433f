import { z } from 'zod'
import { queryTargets } from './query-service.ts'
import type { GeneratedSql, QueryFailure } from './query-service.ts'
import type { SqlAnswer, SqlValue } from './sql/sql-runner.ts'

/** Longest question: a page of text. */
const maxQuestionCharacters = 4000

export const targetField = z
  .enum(queryTargets, `must be ${queryTargets.join(' or ')}`)
  .describe(
    'The database that is asked: `indexer` is that of flowfarm, `evm` that of the EVM explorer. Default: indexer.',
  )

export const questionField = z
  .string('must be a text')
  .refine((text) => text.trim() !== '', 'must be a question in words')
  .max(maxQuestionCharacters, `must have at most ${maxQuestionCharacters} characters`)
  .refine((text) => !text.includes('\0') && text.isWellFormed(), 'must hold neither NUL nor half of a surrogate pair')
  .describe('In English or Chinese.')

export const sqlField = z
  .string('must be a text')
  .refine((text) => text.trim() !== '', 'must be a SELECT statement')
  .describe('One SELECT statement of PostgreSQL, which may begin with WITH.')

const rowSchema = z.record(z.string(), z.unknown())

/** The result of a statement in REST and MCP. */
export const answerFields = {
  columns: z.array(z.string()).describe('Names of the columns, each once: a second `count` is `count_2`.'),
  column_types: z.array(z.string()).describe("PostgreSQL's names of the types, in the order of the columns."),
  results: z
    .array(rowSchema)
    .describe(
      'The rows, by the names of the columns. Values are exact: int8 and numeric are texts, bytea is `0x` and ' +
        'hex, times are ISO 8601 in UTC.',
    ),
  row_count: z.int().describe('How many rows these are.'),
  truncated: z.boolean().describe('Whether there are more, which were left out: aggregate, or narrow the statement.'),
  truncated_by: z
    .enum(['rows', 'bytes'])
    .nullable()
    .describe('The limit that left rows out: MAX_RESULT_ROWS, or that of the size of an answer.'),
}

export type AnswerFields = z.output<z.ZodObject<typeof answerFields>>

/** Rows as objects; repeated column names get a number. Undefined gives no rows. */
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

/** Without a prototype: `__proto__` is a valid column name. */
function rowByName(columns: readonly string[], row: readonly SqlValue[]): Record<string, SqlValue> {
  const byName = Object.create(null) as Record<string, SqlValue>
  for (const [i, name] of columns.entries()) byName[name] = row[i] ?? null
  return byName
}

/** `count, count` becomes `count, count_2`; existing names stay. */
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

/** A failure, in problems and answers. */
export const failureFields = {
  error: z.string().nullable().describe('What went wrong and what to do; null where nothing did.'),
  error_code: z.string().nullable().describe('The same for programs; stable.'),
  sql_state: z
    .string()
    .nullable()
    .describe("PostgreSQL's code of the error, where the database refused the statement."),
  error_position: z.int().nullable().describe('Character of `sql` at which the fault is, from 1.'),
  error_hint: z.string().nullable().describe('What PostgreSQL advises.'),
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

/** A generated statement and how it came about. */
export const generatedFields = {
  target: targetField,
  question: z.string(),
  sql: z.string().describe('The last statement of the model, without fences and prose.'),
  attempts: z
    .array(z.strictObject({ sql: z.string(), error: z.string().nullable() }))
    .describe('Every statement that the model wrote for this question, with why the next one was asked for.'),
  model: z.string().describe('Who wrote it.'),
  prompt_version: z.string().describe('Names the text that the model was given: tables, notes, examples, rules.'),
  duration_ms: z.number().describe('From the question to the answer, with all turns of the model.'),
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
