import { z } from 'zod'
import { ApiError } from '../../../platform/errors.ts'
import type { Route } from '../../../platform/http/route.ts'
import { cleanText, defaultsField, nameField, statementField, targetField } from '../dto.ts'
import { maxSavedQueries } from '../saved/saved-queries.ts'
import type { SavedQuery } from '../saved/saved-queries.ts'
import { maxBodyBytes, notAnObject, route } from './ask-route.ts'
import type { AskServices } from './ask-route.ts'

const body = z.strictObject(
  {
    name: nameField,
    target: targetField.default('indexer'),
    question: cleanText(4000).default(''),
    sql: statementField.refine((text) => !text.includes('\0') && text.isWellFormed(), 'must be text'),
    parameters: defaultsField.default([]),
  },
  notAnObject,
)

const saved = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    target: targetField,
    question: z.string(),
    sql: z.string(),
    parameters: defaultsField,
    updated_at: z.string(),
  })
  .meta({ id: 'SavedQuery' })

function present({ updatedAt, ...query }: SavedQuery): z.output<typeof saved> {
  return { ...query, parameters: [...query.parameters], updated_at: updatedAt.toISOString() }
}

const bodyExample: z.input<typeof body> = {
  name: 'Blocks since a day',
  sql: 'SELECT count(*) AS blocks FROM raw.blocks WHERE timestamp >= {{since}}',
  parameters: [{ name: 'since', type: 'date', value: '2026-11-01' }],
}
const example: z.output<typeof saved> = {
  id: '5f2c9e0a17b3d684',
  name: 'Blocks since a day',
  target: 'indexer',
  question: '',
  sql: 'SELECT count(*) AS blocks FROM raw.blocks WHERE timestamp >= {{since}}',
  parameters: [{ name: 'since', type: 'date', value: '2026-11-01' }],
  updated_at: '2026-11-20T09:14:03.512Z',
}

const shared = { tag: 'Saved queries', access: 'token', problems: { 503: 'The database is unavailable.' } } as const

export const savedRoutes: readonly Route<AskServices>[] = [
  route({
    ...shared,
    method: 'GET',
    path: '/api/v1/queries',
    operationId: 'listSavedQueries',
    summary: 'List the saved queries of this token by name',
    response: z.strictObject({ data: z.array(saved) }),
    example: { data: [example] },
    handler: async ({ caller }, { saved: queries }) => ({
      body: { data: (await queries.list(caller)).map(present) },
    }),
  }),
  route({
    ...shared,
    method: 'POST',
    path: '/api/v1/queries',
    operationId: 'saveQuery',
    summary: 'Save a query, replacing that of the same name',
    description: `A token has at most ${maxSavedQueries} queries. The statement is not checked.`,
    maxBodyBytes,
    body,
    bodyExample,
    response: saved,
    example,
    problems: { ...shared.problems, 409: 'Too many saved queries (`queries-full`).' },
    handler: async ({ body: query, caller }, { saved: queries }) => ({
      body: present(await queries.save(caller, query)),
    }),
  }),
  route({
    ...shared,
    method: 'DELETE',
    path: '/api/v1/queries/{id}',
    operationId: 'deleteSavedQuery',
    summary: 'Delete a saved query',
    params: z.object({ id: z.string() }),
    response: z.strictObject({ status: z.string() }),
    example: { status: 'deleted' },
    problems: { ...shared.problems, 404: 'No saved query has this id.' },
    handler: async ({ params, caller }, { saved: queries }) => {
      const isId = /^[0-9a-f]{16}$/.test(params.id)
      if (!isId || !(await queries.delete(caller, params.id)))
        throw new ApiError(404, 'unknown-query', 'No saved query has this id.', { field: 'id' })
      return { body: { status: 'deleted' } }
    },
  }),
]
