import { z } from 'zod'
import type { AskRoute } from './ask-route.ts'

type JsonObject = Record<string, unknown>

const problemSchema = z
  .strictObject({
    type: z.string().describe('urn:flowfarm:problem: and the code.'),
    title: z.string().describe('What the status means.'),
    status: z.int(),
    detail: z.string().describe('What went wrong and what to do, for people.'),
    code: z.string().describe('What went wrong, for programs; stable.'),
    field: z.string().optional().describe('The parameter or field at fault.'),
    request_id: z.string().describe('Names this request in the log.'),
    error: z.string().describe('The same as `detail`.'),
    error_code: z.string().describe('The same as `code`.'),
    sql_state: z.string().nullable().describe("PostgreSQL's code of the error, where it refused the statement."),
    error_position: z.int().nullable().describe('Character of the statement at which the fault is, from 1.'),
    error_hint: z.string().nullable().describe('What PostgreSQL advises.'),
  })
  .meta({ id: 'Problem' })

/**
 * The OpenAPI 3.1 document of the query service: made from what the router and the validation use, and nothing else.
 */
export function describeAskApi(routes: readonly AskRoute[]): JsonObject {
  const schemas: Record<string, JsonObject> = {}
  const paths: Record<string, JsonObject> = {}
  const problem = { content: { 'application/problem+json': { schema: toComponents(problemSchema, schemas) } } }
  for (const route of routes) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: describeOperation(route, schemas, problem),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'flowfarm query service',
      version: '1',
      license: { name: 'MIT', identifier: 'MIT' },
      description: [
        'Questions about the Flow chain, in words or as SQL.',
        'Statements are one SELECT each, run in a transaction that can only read, and answer MAX_RESULT_ROWS ' +
          'rows at most; `truncated` tells when there are more. ' +
          'Numbers that JSON does not hold exactly are texts, bytes are `0x` and hex, times are ISO 8601 in ' +
          'UTC, errors are problems as in RFC 9457.',
        'A question goes to a language model with the tables, notes and examples; the statement that comes ' +
          'back is checked like any other. Without a model all else works.',
        'Where API_TOKEN is set, all calls but `/health`, the examples and this description need it as ' +
          '`Authorization: Bearer`.',
      ].join('\n\n'),
    },
    servers: [{ url: '/' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      responses: {
        WrongToken: { description: 'The token is missing or wrong.', ...problem },
        WrongHost: {
          description: 'Without API_TOKEN, the service was called from its own machine by the name of a site.',
          ...problem,
        },
        InternalError: { description: 'Something went wrong here.', ...problem },
      },
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'API_TOKEN, where it is set.' } },
    },
  }
}

function describeOperation(route: AskRoute, schemas: Record<string, JsonObject>, problem: JsonObject): JsonObject {
  const parameters = [...describeParameters(route.params, 'path'), ...describeParameters(route.query, 'query')]
  const problems = {
    400: 'A parameter or a field is not valid, or not known; `field` names it.',
    ...(route.body === undefined
      ? {}
      : { 413: 'The body is too large.', 415: 'The body is not JSON, or does not say so.' }),
    ...route.problems,
  }
  const content = {
    [route.contentType.split(';', 1)[0] ?? '']: {
      schema: toComponents(route.response, schemas),
      example: route.example,
    },
  }
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    security: route.access === 'open' ? [] : [{}, { token: [] }],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: describeBody(route.body, route.bodyExample) }),
    responses: {
      [route.successStatus]: { description: 'The answer.', ...(route.successStatus === 204 ? {} : { content }) },
      ...(route.access === 'open'
        ? {}
        : { 401: { $ref: '#/components/responses/WrongToken' }, 403: { $ref: '#/components/responses/WrongHost' } }),
      ...Object.fromEntries(
        Object.entries(problems).map(([status, description]) => [status, { description, ...problem }]),
      ),
      500: { $ref: '#/components/responses/InternalError' },
    },
  }
}

function describeParameters(schemas: z.ZodObject, place: 'path' | 'query'): JsonObject[] {
  return Object.entries(schemas.shape).map(([name, part]) => {
    const schema = part as z.ZodType
    const {
      $schema: _dialect,
      description,
      ...described
    } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' })
    const omitted = schema.safeParse(undefined)
    return {
      name,
      in: place,
      required: place === 'path' || !omitted.success,
      ...(description === undefined ? {} : { description }),
      schema: { ...described, ...(omitted.data === undefined ? {} : { default: omitted.data }) },
    }
  })
}

function describeBody(schema: z.ZodType, example: unknown): JsonObject {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' })
  return { required: true, content: { 'application/json': { schema: described, example } } }
}

/** The JSON schema of what is sent. Schemas that have an id become components, and references to them. */
function toComponents(schema: z.ZodType, components: Record<string, JsonObject>): JsonObject {
  const { $schema: _dialect, $defs = {}, ...own } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'output' })
  for (const [id, definition] of Object.entries($defs)) components[id] = referToComponents(definition) as JsonObject
  const described = referToComponents(own) as JsonObject
  const { id, ...body } = described
  if (typeof id !== 'string') return described
  components[id] = body
  return { $ref: `#/components/schemas/${id}` }
}

function referToComponents(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(referToComponents)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      const isReference = key === '$ref' && typeof part === 'string'
      return [key, isReference ? part.replace('#/$defs/', '#/components/schemas/') : referToComponents(part)]
    }),
  )
}
