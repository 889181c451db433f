import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import type { Route } from '../../../platform/http/route.ts'
import { questionField, sqlField, targetField } from '../dto.ts'
import { keptPairSchema } from '../pair-folder.ts'
import { maxBodyBytes, notAnObject, numberParameter, queryOptions, route } from './ask-route.ts'
import type { AskServices } from './ask-route.ts'

const pair = z.strictObject(keptPairSchema.shape).meta({ id: 'KeptPair' })
const foundPair = z
  .strictObject({ ...keptPairSchema.shape, likeness: z.number().describe('How alike the questions are, from 0 to 1.') })
  .meta({ id: 'FoundPair' })

const example: z.output<typeof pair> = {
  id: '3b1e8c02d97f5a46',
  target: 'indexer',
  question: 'What is the newest indexed block?',
  sql: 'SELECT max(height) AS height FROM raw.blocks',
  kept_at: '2026-11-20T09:14:03.512Z',
}

const shared = { access: 'token', tag: 'Memory' } as const

/** What all of these may answer. */
const folderProblems = {
  503: 'The folder of the examples cannot be used (`memory-unavailable`): `detail` says what to look at.',
} as const

/** Examples that users approve: kept by no other way than this. */
export const memoryRoutes: readonly Route<AskServices>[] = [
  route({
    method: 'POST',
    path: '/api/v1/memory',
    operationId: 'keepPair',
    ...shared,
    summary: 'Keep a question and its statement as an example',
    description:
      'Only what a user approves by this call is kept. Similar questions show it to the model. The statement ' +
      'is checked and planned before it is kept; ' +
      'one with the same question takes the place of the one before.',
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
      400: 'The statement cannot be run: `detail` says why.',
      404: 'There is no such database here.',
      409: 'As many are kept as can be.',
      429: 'Too many statements of this client wait (`too-many-statements`).',
      503:
        'Too many statements wait for their turn (`sql-busy`), the database does not answer, or the folder of ' +
        'the examples cannot be used.',
      504: 'The statement could not be planned within QUERY_TIMEOUT_S.',
    },
    handler: async ({ body, call }, { service, memory }) => {
      await service.checkSql(body.target, body.sql, queryOptions(call))
      return { body: await memory.keep(body) }
    },
  }),
  route({
    method: 'GET',
    path: '/api/v1/memory',
    operationId: 'listPairs',
    ...shared,
    summary: 'Examples that users approved, newest first',
    query: z.object({
      target: targetField.optional(),
      limit: numberParameter(1, 2000).default(100).describe('Most entries of the answer.'),
      offset: numberParameter(0, 2000).default(0).describe('How many of the newest are left out.'),
    }),
    response: z.strictObject({ data: z.array(pair), total: z.int().describe('How many there are.') }),
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
    summary: 'Approved examples for a question, most alike first',
    query: z.object({
      question: questionField,
      target: targetField.default('indexer'),
      limit: numberParameter(1, 50).default(5),
    }),
    response: z.strictObject({ data: z.array(foundPair) }),
    example: { data: [{ ...example, likeness: 0.82 }] },
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
    summary: 'All approved examples, one JSON object a line',
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
    problems: { ...folderProblems, 404: 'There is none with this id.' },
    handler: async ({ params: { id } }, { memory }) => {
      if (!(await memory.delete(id)))
        throw new ApiError(404, 'unknown-example', 'No example with this id is kept.', { field: 'id' })
      return {}
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/memory',
    operationId: 'clearMemory',
    ...shared,
    summary: 'Delete all approved examples',
    query: z.object({ target: targetField.optional().describe('Only those of this database.') }),
    response: z.strictObject({ deleted: z.int() }),
    example: { deleted: 3 },
    problems: folderProblems,
    handler: async ({ query }, { memory }) => ({ body: { deleted: await memory.clear(query.target) } }),
  }),
]
