import { z } from 'zod'
import { ApiError } from '../../../../platform/errors.ts'
import {
  answerFields,
  attemptsExample,
  failureFields,
  generatedFields,
  presentAnswer,
  presentFailure,
  presentGenerated,
  questionField,
  targetField,
} from '../../dto.ts'
import type { QueryAnswer, QueryTarget } from '../../query-service.ts'
import { askRoute } from '../ask-route.ts'
import type { AskParts, AskRoute } from '../ask-route.ts'
import { notAnObject, targetOf } from '../inputs.ts'
import { modelProblems } from './model-problems.ts'

const body = z.strictObject(
  {
    question: questionField,
    target: targetField.optional(),
    execute: z
      .boolean('must be true or false')
      .optional()
      .describe('False: the statement is written and not run. Default: true.'),
  },
  notAnObject,
)

const response = z.strictObject({ ...generatedFields, ...answerFields, ...failureFields }).meta({ id: 'AskResult' })

const example: z.output<typeof response> = {
  target: 'indexer',
  question: 'What is the newest indexed block?',
  sql: 'SELECT max(height) AS height FROM raw.blocks',
  columns: ['height'],
  column_types: ['int8'],
  results: [{ height: '137390146' }],
  row_count: 1,
  truncated: false,
  truncated_by: null,
  ...presentFailure(undefined),
  ...attemptsExample,
}

/** A call of either path. */
interface Given {
  readonly target: QueryTarget
  readonly input: z.output<typeof body>
  readonly owner: string
  readonly signal: AbortSignal
  readonly client: string
}

async function ask(
  { target, input, owner, signal, client }: Given,
  { service, history }: AskParts,
): Promise<{ body: z.output<typeof response> }> {
  const { question, execute = true } = input
  const item = { kind: 'ask', target, question } as const
  let result: QueryAnswer
  try {
    const options = { signal, client }
    result = execute
      ? await service.ask(target, question, options)
      : { ...(await service.generateSql(target, question, options)), answer: undefined }
  } catch (error) {
    if (error instanceof ApiError && !signal.aborted)
      history.add(owner, { ...item, sql: '', rowCount: undefined, error: error.message })
    throw error
  }
  const { sql, answer, failure } = result
  history.add(owner, { ...item, sql, rowCount: answer?.rowCount, error: failure?.detail })
  return { body: { ...presentGenerated(result), ...presentAnswer(answer), ...presentFailure(failure) } }
}

const shared = {
  method: 'POST',
  tag: 'Queries',
  summary: 'An answer to a question: a statement that the model writes, and its rows',
  body,
  response,
  example,
  bodyExample: { question: 'What is the newest indexed block?' },
  description:
    'A statement that fails goes back to the model with the error, twice at most. Where none of them works ' +
    'the answer has the last one, no rows, and `error`.',
  problems: { ...modelProblems, 404: 'There is no such database here.' },
} as const

/** Questions that are answered with rows. */
export const askRoutes: readonly AskRoute[] = [
  askRoute({
    ...shared,
    path: '/api/v1/ask',
    operationId: 'ask',
    handler: ({ body: input, owner, signal, client }, parts) =>
      ask({ target: targetOf(undefined, input.target), input, owner, signal, client }, parts),
  }),
  askRoute({
    ...shared,
    path: '/api/v1/{target}/ask',
    operationId: 'askTarget',
    params: z.object({ target: targetField }),
    handler: ({ params, body: input, owner, signal, client }, parts) =>
      ask({ target: targetOf(params.target, input.target), input, owner, signal, client }, parts),
  }),
]
