import { z } from 'zod'
import { ApiError } from '../../../base/errors.ts'
import type { QueryTarget } from '../../query-service.ts'
import { askRoute } from '../ask-route.ts'
import type { AskParts, AskRoute } from '../ask-route.ts'
import { notAnObject, targetOf } from '../inputs.ts'
import { questionField, targetField } from '../../wire/input-fields.ts'
import { failureFields, presentFailure } from '../../wire/present-failure.ts'
import { attemptsExample, generatedFields, presentGenerated } from '../../wire/present-generated.ts'
import { modelProblems } from './model-problems.ts'

const body = z.strictObject({ question: questionField, target: targetField.optional() }, notAnObject)

const response = z.strictObject({ ...generatedFields, ...failureFields }).meta({ id: 'GeneratedSql' })

const example: z.output<typeof response> = {
  target: 'indexer',
  question: 'What is the newest indexed block?',
  sql: 'SELECT max(height) AS height FROM raw.blocks',
  ...presentFailure(undefined),
  ...attemptsExample,
}

/** A call of either path. */
interface Given {
  readonly target: QueryTarget
  readonly question: string
  readonly owner: string
  readonly signal: AbortSignal
  readonly client: string
}

async function generate(
  { target, question, owner, signal, client }: Given,
  { service, history }: AskParts,
): Promise<{ body: z.output<typeof response> }> {
  const item = { kind: 'generate_sql', target, question, rowCount: undefined } as const
  try {
    const generated = await service.generateSql(target, question, { signal, client })
    history.add(owner, { ...item, sql: generated.sql, error: generated.failure?.detail })
    return { body: { ...presentGenerated(generated), ...presentFailure(generated.failure) } }
  } catch (error) {
    if (error instanceof ApiError && !signal.aborted) history.add(owner, { ...item, sql: '', error: error.message })
    throw error
  }
}

const shared = {
  method: 'POST',
  tag: 'Queries',
  summary: 'The statement for a question, not run',
  body,
  response,
  example,
  bodyExample: { question: 'What is the newest indexed block?' },
  description: 'The statement is checked and planned, so what `sql` has can be run, unless `error` says why not.',
  problems: { ...modelProblems, 404: 'There is no such database here.' },
} as const

/** Questions that are answered with a statement. */
export const generateSqlRoutes: readonly AskRoute[] = [
  askRoute({
    ...shared,
    path: '/api/v1/generate_sql',
    operationId: 'generateSql',
    handler: ({ body: { question, target }, owner, signal, client }, parts) =>
      generate({ target: targetOf(undefined, target), question, owner, signal, client }, parts),
  }),
  askRoute({
    ...shared,
    path: '/api/v1/{target}/generate_sql',
    operationId: 'generateSqlOfTarget',
    params: z.object({ target: targetField }),
    handler: ({ params, body: { question, target }, owner, signal, client }, parts) =>
      generate({ target: targetOf(params.target, target), question, owner, signal, client }, parts),
  }),
]
