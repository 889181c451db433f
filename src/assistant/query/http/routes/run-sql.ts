import { z } from 'zod'
import { ApiError } from '../../../../platform/errors.ts'
import { answerFields, failureFields, presentAnswer, presentFailure, sqlField, targetField } from '../../dto.ts'
import type { QueryTarget } from '../../query-service.ts'
import { askRoute } from '../ask-route.ts'
import type { AskParts, AskRoute } from '../ask-route.ts'
import { notAnObject, targetOf } from '../inputs.ts'

const body = z.strictObject(
  {
    sql: sqlField,
    target: targetField.optional(),
    max_rows: z
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .optional()
      .describe('Most rows of the answer, up to MAX_RESULT_ROWS. Default: MAX_RESULT_ROWS.'),
  },
  notAnObject,
)

const response = z
  .strictObject({
    target: targetField,
    sql: z.string(),
    ...answerFields,
    ...failureFields,
    duration_ms: z.number().describe('In the database, with the checks before it.'),
  })
  .meta({ id: 'SqlResult' })

const example: z.output<typeof response> = {
  target: 'indexer',
  sql: 'SELECT max(height) AS height FROM raw.blocks',
  columns: ['height'],
  column_types: ['int8'],
  results: [{ height: '137390146' }],
  row_count: 1,
  truncated: false,
  truncated_by: null,
  ...presentFailure(undefined),
  duration_ms: 1.8,
}

/** A call of either path. */
interface Given {
  readonly target: QueryTarget
  readonly input: z.output<typeof body>
  readonly owner: string
  readonly signal: AbortSignal
  readonly client: string
}

async function run(
  { target, input, owner, signal, client }: Given,
  parts: AskParts,
): Promise<{ body: z.output<typeof response> }> {
  const { sql, max_rows: maxRows } = input
  const item = { kind: 'run_sql', target, question: undefined, sql } as const
  try {
    const limit = maxRows === undefined ? {} : { maxRows }
    const answer = await parts.service.runSql(target, sql, { signal, client, ...limit })
    parts.history.add(owner, { ...item, rowCount: answer.rowCount, error: undefined })
    return {
      body: {
        target,
        sql,
        ...presentAnswer(answer),
        ...presentFailure(undefined),
        duration_ms: Math.round(answer.durationMs * 1000) / 1000,
      },
    }
  } catch (error) {
    if (error instanceof ApiError && !signal.aborted)
      parts.history.add(owner, { ...item, rowCount: undefined, error: error.message })
    throw error
  }
}

const shared = {
  method: 'POST',
  tag: 'Queries',
  summary: 'Rows of a SELECT statement',
  body,
  response,
  example,
  bodyExample: { sql: 'SELECT max(height) AS height FROM raw.blocks' },
  description:
    'The statement runs in a transaction that can only read, as a role that sees chain data and nothing else, ' +
    'for QUERY_TIMEOUT_S at most.',
  problems: {
    429: 'Too many statements of this client wait (`too-many-statements`); `Retry-After` tells when to try again.',
    400:
      'The statement is no single SELECT, has a word or a function that is not allowed, or PostgreSQL refused ' +
      'it: `code` and `detail` say which.',
    404: 'There is no such database here.',
    503:
      'Too many statements wait for their turn (`sql-busy`), no slot is left (`sql-stuck`), or the database ' +
      'does not answer; `Retry-After` tells when to try again.',
    504: 'The statement took longer than QUERY_TIMEOUT_S.',
  },
} as const

/** SQL as it is given, by the database of the body and by that of the path. */
export const runSqlRoutes: readonly AskRoute[] = [
  askRoute({
    ...shared,
    path: '/api/v1/run_sql',
    operationId: 'runSql',
    handler: ({ body: input, owner, signal, client }, parts) =>
      run({ target: targetOf(undefined, input.target), input, owner, signal, client }, parts),
  }),
  askRoute({
    ...shared,
    path: '/api/v1/{target}/run_sql',
    operationId: 'runSqlOfTarget',
    params: z.object({ target: targetField }),
    handler: ({ params, body: input, owner, signal, client }, parts) =>
      run({ target: targetOf(params.target, input.target), input, owner, signal, client }, parts),
  }),
]
