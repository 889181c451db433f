import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import type { Route } from '../../../platform/http/route.ts'
import { questionField, sqlField, targetField } from '../dto.ts'
import { approvedPairSchema } from '../pair-folder.ts'
import { maxBodyBytes, notAnObject, numberParameter, queryOptions, route } from './ask-route.ts'
import type { AskServices } from './ask-route.ts'

const pair = z.strictObject(approvedPairSchema.shape).meta({ id: 'ApprovedPair' })
const foundPair = z
  .strictObject({
    ...approvedPairSchema.shape,
    similarity: z.number().describe('Similarity of the questions, from 0 to 1.'),
  })
  .meta({ id: 'FoundPair' })

const example: z.output<typeof pair> = {
  id: '3b1e8c02d97f5a46',
  target: 'indexer',
  question: 'What is the newest indexed block?',
  sql: 'SELECT max(height) AS height FROM raw.blocks',
  approved_at: '2026-11-20T09:14:03.512Z',
}

const shared = { access: 'token', tag: 'Memory' } as const

const folderProblems = {
  503: 'The example folder is unavailable (`memory-unavailable`); see `detail`.',
} as const

export const memoryRoutes: readonly Route<AskServices>[] = [
  route({
    method: 'POST',
    path: '/api/v1/memory',
    operationId: 'approvePair',
    ...shared,
    summary: 'Approve a question and its statement as an example',
    description:
      'The model sees approved examples for similar questions. The statement is checked and planned first. An ' +
      'example with the same question is replaced.',
    body: z.strictObject(
      { question: questionField, sql: sqlField, target: targetField.default('indexer') },
      notAnObject,
    ),
    bodyExample: { question: example.question, sql: example.sql },
    response: pair,
    example,
    maxBodyBytes,
    successStatus: 201,
    problems: {
      400: 'The statement is not valid; see `detail`.',
      404: 'The database is not configured.',
      409: 'The limit of examples is reached.',
      429: 'Too many queued statements of this client (`too-many-statements`).',
      503: 'Too many queued statements (`sql-busy`), or the database or the example folder is unavailable.',
      504: 'The statement could not be planned within QUERY_TIMEOUT_S.',
    },
    handler: async ({ body, call }, { service, memory }) => {
      await service.checkSql(body.target, body.sql, queryOptions(call))
      return { body: await memory.add(body) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/memory',
    operationId: 'listPairs',
    ...shared,
    summary: 'List approved examples, newest first',
    query: z.object({
      target: targetField.optional(),
      limit: numberParameter(1, 2000).default(100).describe('Maximum number of entries.'),
      offset: numberParameter(0, 2000).default(0).describe('Number of newest entries to skip.'),
    }),
    response: z.strictObject({ data: z.array(pair), total: z.int().describe('Total number of examples.') }),
    example: { data: [example], total: 1 },
    problems: folderProblems,
    handler: async ({ query: { target, limit, offset } }, { memory }) => {
      const pairs = await memory.list(target)
      return { body: { data: pairs.slice(offset, offset + limit), total: pairs.length } }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/memory/search',
    operationId: 'searchPairs',
    ...shared,
    summary: 'Find approved examples for a question, most similar first',
    query: z.object({
      question: questionField,
      target: targetField.default('indexer'),
      limit: numberParameter(1, 50).default(5),
    }),
    response: z.strictObject({ data: z.array(foundPair) }),
    example: { data: [{ ...example, similarity: 0.82 }] },
    problems: folderProblems,
    handler: async ({ query: { question, target, limit } }, { memory }) => ({
      body: { data: await memory.search(target, question, limit) },
    }),
  }),
  route({
    method: 'GET',
    path: '/api/v1/memory/export',
    operationId: 'exportPairs',
    ...shared,
    summary: 'Export approved examples, one JSON object per line',
    query: z.object({ target: targetField.optional() }),
    response: z.string(),
    example: `${JSON.stringify(example)}\n`,
    contentType: 'application/jsonl; charset=utf-8',
    problems: folderProblems,
    handler: async ({ query }, { memory }) => ({
      body: (await memory.list(query.target)).map((one) => `${JSON.stringify(one)}\n`).join(''),
      headers: { 'Content-Disposition': 'attachment; filename="flowfarm-examples.jsonl"' },
    }),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/memory/{id}',
    operationId: 'deletePair',
    ...shared,
    summary: 'Delete an approved example',
    params: z.object({ id: z.string() }),
    successStatus: 204,
    problems: { ...folderProblems, 404: 'No example has this id.' },
    handler: async ({ params: { id } }, { memory }) => {
      if (!(await memory.delete(id))) throw new ApiError(404, 'unknown-example', 'No such example.', { field: 'id' })
      return {}
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/memory',
    operationId: 'clearMemory',
    ...shared,
    summary: 'Delete all approved examples',
    query: z.object({ target: targetField.optional().describe('Limit to this database.') }),
    response: z.strictObject({ deleted: z.int() }),
    example: { deleted: 3 },
    problems: folderProblems,
    handler: async ({ query }, { memory }) => ({ body: { deleted: await memory.clear(query.target) } }),
  }),
]
