import { z } from 'zod'
import { describeParameters, withPlainClasses } from './describe-parameters.ts'
import { messageSchema, problemSchema } from './http/problem.ts'
import type { Route } from './route.ts'

type JsonObject = Record<string, unknown>

export interface ApiDescription extends JsonObject {
  readonly openapi: string
  readonly paths: Record<string, JsonObject>
  readonly components: {
    readonly schemas: Record<string, JsonObject>
    /** Answers that nearly all operations can give; these refer to them. */
    readonly responses: Record<string, JsonObject>
    readonly securitySchemes: Record<string, JsonObject>
  }
}

/** The OpenAPI 3.1 document of a set of routes: made from what the router and the validation use, and nothing else. */
export function describeApi(routes: readonly Route[]): ApiDescription {
  const schemas: Record<string, JsonObject> = {}
  const describe = (schema: z.ZodType): JsonObject => toComponents(schema, schemas)
  const problem = { content: { 'application/problem+json': { schema: describe(problemSchema) } } }
  const message = { content: { 'application/json': { schema: describe(messageSchema) } } }
  const paths: Record<string, JsonObject> = {}
  for (const route of routes) {
    const errors = route.errorForm === 'message' ? message : problem
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: describeOperation(route, describe, errors),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'flowfarm explorer API',
      version: '1',
      license: { name: 'MIT', identifier: 'MIT' },
      description: [
        'Blocks, transactions and events of the Flow chain, as flowfarm has indexed them.',
        'Every path is served as written here, under `/chain/v1/` and under `/api/v1/chain/v1/`.',
        'Lists are paged by `cursor`: ask again with the `cursor` of the answer while `has_more` is true. ' +
          'Amounts are decimal text, times are ISO 8601 in UTC, errors are problems as in RFC 9457.',
        'Clients that existed before find routes by their second names too: `/flow/address/…` for `/flow/account/…`, ' +
          '`/accounting/account/…` and `/accounting/transaction/…` for those below `/flow`, `/analytics/…` for `/insights/…`.',
        'How often one may ask is told by the headers `RateLimit` and `RateLimit-Policy`, and by `Retry-After` with a ' +
          '429. With a developer key in `X-API-Key` it is more often.',
        'Live feeds are WebSockets at `/ws` (new blocks and transactions) and `/ws/status` (the indexing status ' +
          'every 3 seconds). A client of `/ws` may ask for certain accounts, tags, contracts and templates, and goes on after a break without a gap.',
      ].join('\n\n'),
    },
    servers: [{ url: '/' }, { url: '/chain/v1' }, { url: '/api/v1/chain/v1' }],
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      responses: describeResponses(commonProblems, problem),
      securitySchemes: {
        key: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'A developer key; it lets its owner ask more often, and manages webhooks.',
        },
        person: {
          type: 'http',
          scheme: 'bearer',
          description: 'The JWT of a person of the authentication service, or a developer key.',
        },
        admin: { type: 'http', scheme: 'bearer', description: 'ADMIN_TOKEN, or the JWT of an administrator.' },
      },
    },
  }
}

/** By their names in the components. */
const commonProblems: Readonly<Record<string, string>> = {
  UnknownKey: 'There is no such `X-API-Key`, or it was revoked.',
  TooManyRequests: 'Too many requests; `Retry-After` tells when to try again.',
  InternalError: 'Something went wrong here.',
}

/** The same where errors have another form. */
const commonMessages: Readonly<Record<number, string>> = {
  429: 'Too many requests; `Retry-After` tells when to try again.',
  500: 'Something went wrong here.',
}

function describeOperation(route: Route, describe: (schema: z.ZodType) => JsonObject, problem: JsonObject): JsonObject {
  const content = {
    [mediaType(route.contentType)]:
      route.readsAs === undefined
        ? { schema: describe(route.response), example: route.example }
        : { schema: describe(route.readsAs.schema), example: route.readsAs.example },
    ...describeOtherTypes(route.otherTypes ?? {}),
  }
  const parameters = [...describeParameters(route.params, 'path'), ...describeParameters(route.query, 'query')]
  const takesInput = parameters.length > 0 || route.body !== undefined
  const problems = {
    ...(takesInput ? { 400: 'A parameter or a field of the body is not valid; `field` names it.' } : {}),
    ...(route.access === 'admin' ? adminProblems : {}),
    ...(route.body === undefined
      ? {}
      : { 413: 'The body is too large.', 415: 'The body is not JSON, or does not say so.' }),
    ...(route.errorForm === 'message' ? commonMessages : {}),
    ...route.problems,
  }
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    security: securityOf(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: describeBody(route.body, route.bodyExample) }),
    responses: {
      [route.successStatus]: {
        description: 'The answer.',
        ...(route.successStatus === 204 ? {} : { content }),
        ...('cursor' in route.query.shape ? { links: { NextPage: nextPage(route) } } : {}),
      },
      ...(route.isLimited && route.errorForm !== 'message'
        ? { 401: refer('UnknownKey'), 429: refer('TooManyRequests') }
        : {}),
      ...describeResponses(problems, problem),
      ...describeResponses(route.alternatives ?? {}, { content }),
      ...(route.errorForm === 'message' ? {} : { 500: refer('InternalError') }),
    },
  }
}

function securityOf({ access, isLimited }: Route): Record<string, never[]>[] {
  if (access === 'admin') return [{ admin: [] }]
  if (access === 'owner') return [{ key: [] }, { person: [] }]
  return isLimited ? [{}, { key: [] }] : []
}

const adminProblems = {
  401: 'Credentials are missing, wrong or expired.',
  403: 'The bearer is no administrator, or the admin routes are off.',
}

function refer(response: string): JsonObject {
  return { $ref: `#/components/responses/${response}` }
}

function describeBody(schema: z.ZodType, example: unknown): JsonObject {
  const { $schema: _dialect, ...described } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' })
  return { required: true, content: { 'application/json': { schema: withPlainClasses(described), example } } }
}

function describeOtherTypes(types: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(
    Object.entries(types).map(([type, description]) => [type, { schema: { type: 'string', description } }]),
  )
}

function describeResponses(
  meanings: Readonly<Record<string, string>>,
  content: JsonObject,
): Record<string, JsonObject> {
  return Object.fromEntries(
    Object.entries(meanings).map(([status, description]) => [status, { description, ...content }]),
  )
}

/** How the call goes on with the next page: as it was, with the cursor of the answer. */
function nextPage({ operationId, params, query }: Route): JsonObject {
  const same = (place: 'path' | 'query', names: string[]): [string, string][] =>
    names.map((name) => [`${place}.${name}`, `$request.${place}.${name}`])
  return {
    operationId,
    description: 'The next page, while `has_more` is true.',
    parameters: {
      ...Object.fromEntries([...same('path', Object.keys(params.shape)), ...same('query', Object.keys(query.shape))]),
      'query.cursor': '$response.body#/cursor',
    },
  }
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

function mediaType(contentType: string): string {
  return contentType.split(';', 1)[0] ?? contentType
}
