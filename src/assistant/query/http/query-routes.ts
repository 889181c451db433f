import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import type { Call, Route } from '../../../platform/http/route.ts'
import {
  answerFields,
  attemptsExample,
  failureFields,
  generatedFields,
  presentAnswer,
  presentFailure,
  presentGenerated,
  questionField,
  sqlField,
  targetField,
} from '../dto.ts'
import type { HistoryItem } from '../query-history.ts'
import type { QueryAnswer, QueryOptions, QueryTarget } from '../query-service.ts'
import { maxBodyBytes, notAnObject, queryOptions, route, targetOf } from './ask-route.ts'
import type { AskServices } from './ask-route.ts'

const targetParams = z.object({ target: targetField })

const questionBody = z.strictObject({ question: questionField, target: targetField.optional() }, notAnObject)
const askBody = questionBody.extend({
  execute: z
    .boolean('must be true or false')
    .optional()
    .describe('False: the statement is written and not run. Default: true.'),
})
const sqlBody = z.strictObject(
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

const askResult = z.strictObject({ ...generatedFields, ...answerFields, ...failureFields }).meta({ id: 'AskResult' })
const generatedSql = z.strictObject({ ...generatedFields, ...failureFields }).meta({ id: 'GeneratedSql' })
const sqlResult = z
  .strictObject({
    target: targetField,
    sql: z.string(),
    ...answerFields,
    ...failureFields,
    duration_ms: z.number().describe('In the database, with the checks before it.'),
  })
  .meta({ id: 'SqlResult' })

const question = 'What is the newest indexed block?'
const sql = 'SELECT max(height) AS height FROM raw.blocks'
const rowsExample = {
  columns: ['height'],
  column_types: ['int8'],
  results: [{ height: '137390146' }],
  row_count: 1,
  truncated: false,
  truncated_by: null,
}

/** Who sent a query. */
interface Sender {
  readonly caller: string
  readonly call: Call
}

type Recorded = Pick<HistoryItem, 'kind' | 'target' | 'question' | 'sql'>

/** Runs a query and records it in the history of its caller, with the error where it fails. */
async function recorded<Body>(
  { caller, call }: Sender,
  { history }: AskServices,
  item: Recorded,
  run: (options: QueryOptions) => Promise<{ readonly body: Body; readonly outcome: Partial<HistoryItem> }>,
): Promise<{ readonly body: Body }> {
  const nothing = { rowCount: undefined, error: undefined }
  try {
    const { body, outcome } = await run(queryOptions(call))
    history.add(caller, { ...item, ...nothing, ...outcome })
    return { body }
  } catch (error) {
    if (error instanceof ApiError && !call.signal.aborted)
      history.add(caller, { ...item, ...nothing, error: error.message })
    throw error
  }
}

async function ask(
  target: QueryTarget,
  { question, execute = true }: z.output<typeof askBody>,
  sender: Sender,
  services: AskServices,
): Promise<{ readonly body: z.output<typeof askResult> }> {
  return recorded(sender, services, { kind: 'ask', target, question, sql: '' }, async (options) => {
    const { service } = services
    const result: QueryAnswer = execute
      ? await service.ask(target, question, options)
      : { ...(await service.generateSql(target, question, options)), answer: undefined }
    const { sql, answer, failure } = result
    return {
      body: { ...presentGenerated(result), ...presentAnswer(answer), ...presentFailure(failure) },
      outcome: { sql, rowCount: answer?.rowCount, error: failure?.detail },
    }
  })
}

async function generate(
  target: QueryTarget,
  { question }: z.output<typeof questionBody>,
  sender: Sender,
  services: AskServices,
): Promise<{ readonly body: z.output<typeof generatedSql> }> {
  return recorded(sender, services, { kind: 'generate_sql', target, question, sql: '' }, async (options) => {
    const generated = await services.service.generateSql(target, question, options)
    return {
      body: { ...presentGenerated(generated), ...presentFailure(generated.failure) },
      outcome: { sql: generated.sql, error: generated.failure?.detail },
    }
  })
}

async function runSql(
  target: QueryTarget,
  { sql, max_rows: maxRows }: z.output<typeof sqlBody>,
  sender: Sender,
  services: AskServices,
): Promise<{ readonly body: z.output<typeof sqlResult> }> {
  return recorded(sender, services, { kind: 'run_sql', target, question: undefined, sql }, async (options) => {
    const limit = maxRows === undefined ? {} : { maxRows }
    const answer = await services.service.runSql(target, sql, { ...options, ...limit })
    return {
      body: {
        target,
        sql,
        ...presentAnswer(answer),
        ...presentFailure(undefined),
        duration_ms: Math.round(answer.durationMs * 1000) / 1000,
      },
      outcome: { rowCount: answer.rowCount },
    }
  })
}

/** Errors of calls that need a model. */
const modelProblems = {
  400: 'The question is not valid; `field` names what.',
  404: 'There is no such database here.',
  429: 'Too many statements of this client wait (`too-many-statements`); `Retry-After` tells when to try again.',
  502: 'The model did not answer, or answered without a statement: `detail` has the reason.',
  503:
    'There is no model here (`no-model`): `detail` says what to set. Or too many statements wait for their turn ' +
    '(`sql-busy`), or the database or the folder of the examples cannot be used.',
  504: 'The statement could not be planned within QUERY_TIMEOUT_S.',
} as const

const shared = { method: 'POST', access: 'token', tag: 'Queries', maxBodyBytes } as const

const askCall = {
  ...shared,
  summary: 'An answer to a question: a statement that the model writes, and its rows',
  body: askBody,
  bodyExample: { question },
  response: askResult,
  example: { target: 'indexer', question, sql, ...rowsExample, ...presentFailure(undefined), ...attemptsExample },
  description:
    'A statement that fails goes back to the model with the error, twice at most. Where none of them works the ' +
    'answer has the last one, no rows, and `error`.',
  problems: modelProblems,
} as const

const generateCall = {
  ...shared,
  summary: 'The statement for a question, not run',
  body: questionBody,
  bodyExample: { question },
  response: generatedSql,
  example: { target: 'indexer', question, sql, ...presentFailure(undefined), ...attemptsExample },
  description: 'The statement is checked and planned, so what `sql` has can be run, unless `error` says why not.',
  problems: modelProblems,
} as const

const sqlCall = {
  ...shared,
  summary: 'Rows of a SELECT statement',
  body: sqlBody,
  bodyExample: { sql },
  response: sqlResult,
  example: { target: 'indexer', sql, ...rowsExample, ...presentFailure(undefined), duration_ms: 1.8 },
  description:
    'The statement runs in a transaction that can only read, as a role that sees chain data and nothing else, ' +
    'for QUERY_TIMEOUT_S at most.',
  problems: {
    429: modelProblems[429],
    400:
      'The statement is no single SELECT, has a word or a function that is not allowed, or PostgreSQL refused it: ' +
      '`code` and `detail` say which.',
    404: modelProblems[404],
    503:
      'Too many statements wait for their turn (`sql-busy`), no slot is left (`sql-stuck`), or the database does ' +
      'not answer; `Retry-After` tells when to try again.',
    504: 'The statement took longer than QUERY_TIMEOUT_S.',
  },
} as const

/** Questions and statements, each with the database in the body or in the path. */
export const queryRoutes: readonly Route<AskServices>[] = [
  route({
    ...askCall,
    path: '/api/v1/ask',
    operationId: 'ask',
    handler: ({ body, ...sender }, services) => ask(targetOf(undefined, body.target), body, sender, services),
  }),
  route({
    ...askCall,
    path: '/api/v1/{target}/ask',
    operationId: 'askTarget',
    params: targetParams,
    handler: ({ params, body, ...sender }, services) =>
      ask(targetOf(params.target, body.target), body, sender, services),
  }),
  route({
    ...generateCall,
    path: '/api/v1/generate_sql',
    operationId: 'generateSql',
    handler: ({ body, ...sender }, services) => generate(targetOf(undefined, body.target), body, sender, services),
  }),
  route({
    ...generateCall,
    path: '/api/v1/{target}/generate_sql',
    operationId: 'generateSqlOfTarget',
    params: targetParams,
    handler: ({ params, body, ...sender }, services) =>
      generate(targetOf(params.target, body.target), body, sender, services),
  }),
  route({
    ...sqlCall,
    path: '/api/v1/run_sql',
    operationId: 'runSql',
    handler: ({ body, ...sender }, services) => runSql(targetOf(undefined, body.target), body, sender, services),
  }),
  route({
    ...sqlCall,
    path: '/api/v1/{target}/run_sql',
    operationId: 'runSqlOfTarget',
    params: targetParams,
    handler: ({ params, body, ...sender }, services) =>
      runSql(targetOf(params.target, body.target), body, sender, services),
  }),
]
