import { stringify } from 'yaml'
import { z } from 'zod'
import { sharePartsOf } from './openapi-components.ts'
import { problemForm } from './problem.ts'
import type { ErrorForm } from './problem.ts'
import type { Caching, Route } from './route.ts'

type JsonObject = Record<string, unknown>

export interface ApiDescription extends JsonObject {
  readonly openapi: string
  readonly paths: Record<string, JsonObject>
  readonly components: {
    readonly schemas: Record<string, JsonObject>
    readonly responses: Record<string, JsonObject>
    readonly parameters: Record<string, JsonObject>
    readonly securitySchemes: Record<string, JsonObject>
  }
}

export interface ApiInfo {
  readonly title: string
  readonly description: string
  /** Newest first. */
  readonly changelog?: readonly { readonly date: string; readonly changes: readonly string[] }[]
  readonly servers?: readonly string[]
  readonly securitySchemes?: Readonly<Record<string, JsonObject>>
  /** `{}` allows anonymous calls. */
  readonly securityOf?: (route: Route) => Record<string, never[]>[]
  readonly sharedErrors?: Readonly<Record<string, string>>
  /** By status. */
  readonly sharedErrorsOf?: (route: Route) => Readonly<Record<number, string>>
  /** By status. */
  readonly errorsOf?: (route: Route) => Readonly<Record<number, string>>
  readonly errorForm?: ErrorForm
}

export function describeApi(routes: readonly Route[], info: ApiInfo): ApiDescription {
  const inline = describeInline(routes, info)
  const { paths, ...shared } = sharePartsOf(inline)
  return { ...inline, paths, components: { ...inline.components, ...shared } }
}

/** Each operation has its own parameters and errors. */
export function describeInline(routes: readonly Route[], info: ApiInfo): ApiDescription {
  const schemas: Record<string, JsonObject> = {}
  const describe = (schema: z.ZodType, io: 'input' | 'output' = 'output'): JsonObject =>
    toComponents(schema, schemas, io)
  const { errorForm = problemForm } = info
  const contents = new Map<ErrorForm, JsonObject>()
  const contentOf = (form: ErrorForm): JsonObject => {
    const known = contents.get(form) ?? {
      content: { [mediaType(form.contentType)]: { schema: describe(form.schema) } },
    }
    contents.set(form, known)
    return known
  }
  const problem = contentOf(errorForm)
  const paths: Record<string, JsonObject> = {}
  for (const route of routes) {
    const path = route.path.replaceAll('*}', '}')
    const error = contentOf(route.errorForm ?? errorForm)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeOperation(route, describe, error, info) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: info.title,
      version: '1',
      license: { name: 'MIT', identifier: 'MIT' },
      description: info.description,
      ...(info.changelog === undefined ? {} : { 'x-changelog': info.changelog }),
    },
    servers: (info.servers ?? ['/']).map((url) => ({ url })),
    tags: [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      responses: describeResponses(info.sharedErrors ?? {}, problem),
      parameters: {},
      securitySchemes: { ...info.securitySchemes },
    },
  }
}

function describeOperation(
  route: Route,
  describe: (schema: z.ZodType, io?: 'input' | 'output') => JsonObject,
  error: JsonObject,
  { securityOf = () => [], sharedErrorsOf, sharedErrors = {}, errorsOf = () => ({}) }: ApiInfo,
): JsonObject {
  const content = {
    [mediaType(route.contentType)]: withExample(
      describe(route.readsAs?.schema ?? route.response),
      route.readsAs?.example ?? route.example,
    ),
    ...describeOtherTypes(route.otherTypes ?? {}),
  }
  const parameters = [...describeParameters(route.params, 'path'), ...describeParameters(route.query, 'query')]
  const takesInput = parameters.length > 0 || route.body !== undefined
  const problems = {
    ...(takesInput ? { 400: 'A parameter or body field is invalid; see `field`.' } : {}),
    ...(route.body === undefined
      ? {}
      : { 413: 'The body is too large.', 415: 'The body or its Content-Type is not JSON.' }),
    ...errorsOf(route),
    ...route.problems,
  }
  const shared = sharedErrorsOf?.(route) ?? ('InternalError' in sharedErrors ? { 500: 'InternalError' } : {})
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description === undefined ? {} : { description: route.description }),
    security: securityOf(route),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined ? {} : { requestBody: describeBody(route, describe(route.body, 'input')) }),
    responses: {
      ...Object.fromEntries(
        Object.entries(shared).map(([status, name]) => [status, { $ref: `#/components/responses/${name}` }]),
      ),
      ...describeResponses(problems, error),
      ...describeResponses(route.alternatives ?? {}, { content }),
      [route.successStatus]: {
        description: 'Success.',
        ...(route.successStatus === 204 ? {} : { content }),
        ...('cursor' in route.query.shape ? { links: { NextPage: nextPage(route) } } : {}),
      },
    },
  }
}

function withExample(schema: JsonObject, example: unknown): JsonObject {
  return example === undefined ? { schema } : { schema, example }
}

function describeBody({ bodyType = 'application/json', bodyExample }: Route, schema: JsonObject): JsonObject {
  return { required: true, content: { [bodyType]: withExample(schema, bodyExample) } }
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

function nextPage({ operationId, params, query }: Route): JsonObject {
  const same = (place: 'path' | 'query', names: string[]): [string, string][] =>
    names.filter((name) => name !== 'offset').map((name) => [`${place}.${name}`, `$request.${place}.${name}`])
  return {
    operationId,
    description: 'The next page, while `has_more` is true.',
    parameters: {
      ...Object.fromEntries([...same('path', Object.keys(params.shape)), ...same('query', Object.keys(query.shape))]),
      'query.cursor': '$response.body#/cursor',
    },
  }
}

/** Schemas with an id become components. */
function toComponents(schema: z.ZodType, components: Record<string, JsonObject>, io: 'input' | 'output'): JsonObject {
  const add = (id: string, component: JsonObject): void => {
    if (id in components && JSON.stringify(components[id]) !== JSON.stringify(component))
      throw new TypeError(`Two schemas have the id ${id}, or its input and output differ. Rename one.`)
    components[id] = component
  }
  const { $schema: _dialect, $defs = {}, ...own } = z.toJSONSchema(schema, { target: 'draft-2020-12', io })
  const refer = (described: unknown): JsonObject => {
    const referring = referToComponents(described) as JsonObject
    return io === 'input' ? withPlainClasses(referring) : referring
  }
  for (const [id, definition] of Object.entries($defs)) add(id, refer(definition))
  const { id, ...body } = refer(own)
  if (typeof id !== 'string') return body
  add(id, body)
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

/**
 * Parameters as clients send them. A schema that converts text is described by its output if its
 * input is unknown.
 */
export function describeParameters(schemas: z.ZodObject, place: 'path' | 'query'): Record<string, unknown>[] {
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
      schema: { ...(omitted.data === undefined ? {} : { default: omitted.data }), ...withPlainClasses(described) },
    }
  })
}

/** Outside JavaScript, `\d` and `\w` may match all Unicode digits and letters. */
function withPlainClasses(schema: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(schema, (key, value: unknown) =>
    key === 'pattern' && typeof value === 'string' ? plain(value) : value,
  )
  return JSON.parse(text) as Record<string, unknown>
}

function plain(pattern: string): string {
  const ranges: Readonly<Record<string, string>> = { d: '0-9', w: 'A-Za-z0-9_' }
  let isInClass = false
  return pattern.replaceAll(/\\?[^]/gu, (part) => {
    if (part === '[' || part === ']') isInClass = part === '['
    const range = part.startsWith('\\') ? ranges[part.slice(1)] : undefined
    if (range === undefined) return part
    return isInClass ? range : `[${range}]`
  })
}

const documentSchema = z.looseObject({ openapi: z.string() })
const documentExample = { openapi: '3.1.0' }

/** The document is generated at the first request, in about 0.1 s. */
export function documentRoutes(
  routes: () => readonly Route[],
  info: ApiInfo,
  { prefix = '', caching = 'revalidate', tag = 'Service' }: { prefix?: string; caching?: Caching; tag?: string } = {},
): Route<unknown>[] {
  let made: { readonly json: ApiDescription; readonly yaml: string } | undefined
  const document = (): NonNullable<typeof made> => {
    if (made !== undefined) return made
    const description = describeApi(routes(), info)
    made = { json: description, yaml: stringify(description, { aliasDuplicateObjects: false }) }
    return made
  }
  const shared = {
    method: 'GET',
    access: 'none',
    isLimited: false,
    tag,
    params: z.object({}),
    query: z.object({}),
    successStatus: 200,
  } as const
  return [
    {
      ...shared,
      path: `${prefix}/openapi.json`,
      operationId: 'getOpenApiJson',
      summary: 'OpenAPI 3.1 description of this API as JSON',
      response: documentSchema,
      example: documentExample,
      contentType: 'application/json; charset=utf-8',
      run: () => Promise.resolve({ body: document().json, caching }),
    },
    {
      ...shared,
      path: `${prefix}/openapi.yaml`,
      operationId: 'getOpenApiYaml',
      summary: 'OpenAPI 3.1 description of this API as YAML',
      response: z.string(),
      example: 'openapi: 3.1.0\n',
      readsAs: { schema: documentSchema, example: documentExample },
      contentType: 'application/yaml; charset=utf-8',
      run: () => Promise.resolve({ body: document().yaml, caching }),
    },
  ]
}
