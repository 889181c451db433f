import { z } from 'zod'
import type { SqlAnswer, SqlValue } from '../sql/sql-answer.ts'

const rowSchema = z.record(z.string(), z.unknown())

/** The rows of a statement, in the names of the wire. */
export const answerFields = {
  columns: z.array(z.string()).describe('Names of the columns, each once: a second `count` is `count_2`.'),
  column_types: z.array(z.string()).describe("PostgreSQL's names of the types, in the order of the columns."),
  results: z
    .array(rowSchema)
    .describe(
      'The rows, by the names of the columns. Values are exact: int8 and numeric are texts, bytea is `0x` and hex, times are ISO 8601 in UTC.',
    ),
  rows: z.array(rowSchema).describe('The same as `results`.'),
  row_count: z.int().describe('How many rows these are.'),
  truncated: z.boolean().describe('Whether there are more, which were left out: aggregate, or narrow the statement.'),
  truncated_by: z
    .enum(['rows', 'bytes'])
    .nullable()
    .describe('The limit that left rows out: MAX_RESULT_ROWS, or that of the size of an answer.'),
}

export type AnswerFields = z.output<z.ZodObject<typeof answerFields>>

/** Rows by name: of equal names the later ones get a number, so that nothing is lost. Without an answer there are no rows. */
export function presentAnswer(answer: SqlAnswer | undefined): AnswerFields {
  const columns = distinctNames((answer?.columns ?? []).map(({ name }) => name))
  const results = (answer?.rows ?? []).map((row) => rowByName(columns, row))
  return {
    columns,
    column_types: (answer?.columns ?? []).map(({ type }) => type),
    results,
    rows: results,
    row_count: answer?.rowCount ?? 0,
    truncated: answer?.truncated ?? false,
    truncated_by: answer?.truncatedBy ?? null,
  }
}

/** Without a prototype: `__proto__` is a name like any other. */
function rowByName(columns: readonly string[], row: readonly SqlValue[]): Record<string, SqlValue> {
  const byName = Object.create(null) as Record<string, SqlValue>
  for (const [i, name] of columns.entries()) byName[name] = row[i] ?? null
  return byName
}

/** `count, count` becomes `count, count_2`, and names that already are so are left alone. */
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
