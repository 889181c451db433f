import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import type { Route } from '../../../platform/http/route.ts'
import { targetField } from '../dto.ts'
import type { HistoryItem } from '../query-history.ts'
import { numberParameter, route } from './ask-route.ts'
import type { AskServices } from './ask-route.ts'

const item = z
  .strictObject({
    id: z.string(),
    kind: z.enum(['ask', 'generate_sql', 'run_sql']).describe('The API call.'),
    target: targetField,
    question: z.string().nullable().describe('null for run_sql.'),
    sql: z.string().describe('Empty if the model wrote none.'),
    row_count: z.int().nullable().describe('null if nothing ran.'),
    error: z.string().nullable(),
    timestamp: z.string().describe('Completion time, ISO 8601 in UTC.'),
  })
  .meta({ id: 'HistoryItem' })

const example: z.output<typeof item> = {
  id: '5f2c9e0a17b3d684',
  kind: 'ask',
  target: 'indexer',
  question: 'What is the newest indexed block?',
  sql: 'SELECT max(height) AS height FROM raw.blocks',
  row_count: 1,
  error: null,
  timestamp: '2026-11-20T09:14:03.512Z',
}

function presentItem({ id, kind, target, question, sql, rowCount, error, at }: HistoryItem): z.output<typeof item> {
  return {
    id,
    kind,
    target,
    question: question ?? null,
    sql,
    row_count: rowCount ?? null,
    error: error ?? null,
    timestamp: at.toISOString(),
  }
}

export const historyRoutes: readonly Route<AskServices>[] = [
  route({
    method: 'GET',
    path: '/api/v1/history',
    operationId: 'listHistory',
    tag: 'History',
    access: 'token',
    summary: 'List recent queries, newest first',
    description: 'The 200 newest queries with this token since the service started.',
    query: z.object({
      limit: numberParameter(1, 200).default(50).describe('Maximum number of entries.'),
      offset: numberParameter(0, 200).default(0).describe('Number of newest entries to skip.'),
      target: targetField.optional(),
    }),
    response: z.array(item),
    example: [example],
    handler: ({ query, caller }, { history }) => ({ body: history.list(caller, query).map(presentItem) }),
  }),
  route({
    method: 'GET',
    path: '/api/v1/history/{id}',
    operationId: 'getHistoryItem',
    tag: 'History',
    access: 'token',
    summary: 'Get a recent query',
    params: z.object({ id: z.string() }),
    response: item,
    example,
    problems: { 404: 'No query has this id.' },
    handler: ({ params, caller }, { history }) => {
      const found = history.find(caller, params.id)
      if (found === undefined)
        throw new ApiError(404, 'unknown-query', 'No such query in your history.', { field: 'id' })
      return { body: presentItem(found) }
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/history',
    operationId: 'clearHistory',
    tag: 'History',
    access: 'token',
    summary: 'Delete the query history of this token',
    response: z.strictObject({ status: z.string() }),
    example: { status: 'cleared' },
    handler: ({ caller }, { history }) => {
      history.clear(caller)
      return { body: { status: 'cleared' } }
    },
  }),
]
