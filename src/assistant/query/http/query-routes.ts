import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import type { Call, Route } from '../../../platform/http/route.ts'
import {
  answerFields,
  attemptsExample,
  earlierField,
  failureFields,
  generatedFields,
  presentAnswer,
  presentFailure,
  parametersField,
  presentGenerated,
  questionField,
  sqlField,
  statementField,
  targetField,
} from '../dto.ts'
import type { HistoryItem } from '../query-history.ts'
import type { QueryAnswer, QueryOptions, QueryTarget } from '../query-service.ts'
import { maxBodyBytes, notAnObject, queryOptions, route, targetOf } from './ask-route.ts'
import type { AskServices } from './ask-route.ts'

const targetParams = z.object({ target: targetField })

const questionBody = z.strictObject(
  { question: questionField, target: targetField.optional(), earlier: earlierField.optional() },
  notAnObject,
)
const askBody = questionBody.extend({
  execute: z.boolean('must be true or false').optional().describe('Whether to run the statement. Default: true.'),
})
const sqlBody = z.strictObject(
  {
    sql: sqlField,
    target: targetField.optional(),
    max_rows: z
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .optional()
      .describe('Maximum rows, up to MAX_RESULT_ROWS, which is the default.'),
    parameters: parametersField.optional(),
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
    duration_ms: z.number().describe('Time in the database, including the checks.'),
  })
  .meta({ id: 'SqlResult' })

const explainBody = z.strictObject(
  { sql: statementField, question: questionField.optional(), target: targetField.optional() },
  notAnObject,
)

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

interface Sender {
  readonly caller: string
  readonly call: Call
}

type Recorded = Pick<HistoryItem, 'kind' | 'target' | 'question' | 'sql'>

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
  { question, earlier, execute = true }: z.output<typeof askBody>,
  sender: Sender,
  services: AskServices,
): Promise<{ readonly body: z.output<typeof askResult> }> {
  return recorded(sender, services, { kind: 'ask', target, question, sql: '' }, async (options) => {
    const { service } = services
    const result: QueryAnswer = execute
      ? await service.ask(target, question, { ...options, earlier })
      : { ...(await service.generateSql(target, question, { ...options, earlier })), answer: undefined }
    const { sql, answer, failure } = result
    return {
      body: { ...presentGenerated(result), ...presentAnswer(answer), ...presentFailure(failure) },
      outcome: { sql, rowCount: answer?.rowCount, error: failure?.detail },
    }
  })
}

async function generate(
  target: QueryTarget,
  { question, earlier }: z.output<typeof questionBody>,
  sender: Sender,
  services: AskServices,
): Promise<{ readonly body: z.output<typeof generatedSql> }> {
  return recorded(sender, services, { kind: 'generate_sql', target, question, sql: '' }, async (options) => {
    const generated = await services.service.generateSql(target, question, { ...options, earlier })
    return {
      body: { ...presentGenerated(generated), ...presentFailure(generated.failure) },
      outcome: { sql: generated.sql, error: generated.failure?.detail },
    }
  })
}

async function runSql(
  target: QueryTarget,
  { sql, max_rows: maxRows, parameters }: z.output<typeof sqlBody>,
  sender: Sender,
  services: AskServices,
): Promise<{ readonly body: z.output<typeof sqlResult> }> {
  return recorded(sender, services, { kind: 'run_sql', target, question: undefined, sql }, async (options) => {
    const limit = maxRows === undefined ? {} : { maxRows }
    const answer = await services.service.runSql(target, sql, { ...options, ...limit, parameters })
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

const modelProblems = {
  400: 'Invalid input; see `field`.',
  404: 'The database is not configured.',
  429: 'Too many queued statements of this client (`too-many-statements`); see `Retry-After`.',
  502: 'The model failed or wrote no statement; see `detail`.',
  503:
    'No model is configured (`no-model`), too many statements are queued (`sql-busy`), or the database or the ' +
    'example folder is unavailable; see `detail`.',
  504: 'The statement could not be planned within QUERY_TIMEOUT_S.',
} as const

const shared = { method: 'POST', access: 'token', tag: 'Queries', maxBodyBytes } as const

const askCall = {
  ...shared,
  summary: 'Answer a question: the model writes a statement, which is run',
  body: askBody,
  bodyExample: { question },
  response: askResult,
  example: { target: 'indexer', question, sql, ...rowsExample, ...presentFailure(undefined), ...attemptsExample },
  description:
    'A failing statement goes back to the model with its error, at most twice. If all fail, the response has the ' +
    'last statement, no rows, and `error`.',
  problems: modelProblems,
} as const

const generateCall = {
  ...shared,
  summary: 'Write a statement for a question without running it',
  body: questionBody,
  bodyExample: { question },
  response: generatedSql,
  example: { target: 'indexer', question, sql, ...presentFailure(undefined), ...attemptsExample },
  description: 'The statement is checked and planned. If it cannot run, `error` has the reason.',
  problems: modelProblems,
} as const

const sqlCall = {
  ...shared,
  summary: 'Run a SELECT statement',
  body: sqlBody,
  bodyExample: { sql },
  response: sqlResult,
  example: { target: 'indexer', sql, ...rowsExample, ...presentFailure(undefined), duration_ms: 1.8 },
  description:
    'The statement runs in a read-only transaction, as a role that can read only chain data, for at most ' +
    'QUERY_TIMEOUT_S.',
  problems: {
    429: modelProblems[429],
    400:
      'The statement is not a single SELECT, uses a forbidden word or function, or was rejected by PostgreSQL; see ' +
      '`code` and `detail`.',
    404: modelProblems[404],
    503:
      'Too many queued statements (`sql-busy`), no free slot (`sql-stuck`), or the database is unavailable; see ' +
      '`Retry-After`.',
    504: 'The statement took longer than QUERY_TIMEOUT_S.',
  },
} as const

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
    ...shared,
    path: '/api/v1/explain_sql',
    operationId: 'explainSql',
    summary: 'Explain a statement in words',
    body: explainBody,
    bodyExample: { sql },
    response: z.strictObject({ sql: z.string(), explanation: z.string() }),
    example: { sql, explanation: 'The height of the newest indexed block.' },
    description: 'The model gets the statement and the tables that it names. The statement does not run.',
    problems: { 400: modelProblems[400], 404: modelProblems[404], 502: modelProblems[502], 503: modelProblems[503] },
    handler: async ({ body, call }, { service }) => {
      const target = targetOf(undefined, body.target)
      const explanation = await service.explainSql(target, body.sql, { ...queryOptions(call), question: body.question })
      return { body: { sql: body.sql, explanation } }
    },
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
