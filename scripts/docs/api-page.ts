import { describeApi } from '../../src/explorer/openapi.ts'
import { routes } from '../../src/explorer/routes.ts'
import { madeFrom, markdownTable, plainText } from './markdown.ts'

interface Schema {
  readonly type?: string | readonly string[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly $ref?: string
  readonly anyOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly items?: Schema
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
}

interface Operation {
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly description?: string
    readonly schema: Schema
  }[]
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>
  }
  readonly responses: Readonly<
    Record<
      string,
      {
        /** To an answer that nearly all routes can give. */
        readonly $ref?: string
        readonly description: string
        readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>
      }
    >
  >
}

/** `docs/api.md`: every route with its parameters and an example, and the schemas of what is answered. */
export function apiPage(): string {
  const { info, paths, components } = describeApi(routes) as unknown as {
    readonly info: { readonly description: string }
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
    readonly components: {
      readonly schemas: Readonly<Record<string, Schema>>
      readonly responses: Readonly<Record<string, { readonly description: string }>>
    }
  }
  const lines = [
    '# The API',
    '',
    plainText(info.description),
    '',
    'Messages, filters and bounds of the live feeds are told in [feeds.md](feeds.md).',
    '',
    'A running flowfarm shows the same at `/docs`, to try, and at `/openapi.json` and `/openapi.yaml`, for programs.',
    '',
    '![The page at /docs, with the answer of a route that was tried](images/docs.png)',
    '',
    madeFrom('the route table in `src/explorer/`'),
  ]
  const common = Object.values(components.responses)
    .map(({ description }) => plainText(description))
    .join(' ')
  lines.push('', `Beside what is said of each route, one can get 401, 429 and 500: ${common}`)
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ title: `${method.toUpperCase()} \`${path}\``, operation })),
  )
  for (const [tag, chapter] of Map.groupBy(operations, ({ operation }) => operation.tags[0] ?? '')) {
    lines.push('', `## ${tag}`)
    for (const { title, operation } of chapter) lines.push(...operationLines(title, operation))
  }
  lines.push('', '## Schemas')
  for (const [name, schema] of Object.entries(components.schemas).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const fields = Object.entries(schema.properties ?? {})
    lines.push(
      '',
      `### ${name}`,
      '',
      ...markdownTable(
        ['Field', 'Type', 'Meaning'],
        fields.map(([field, part]) => [`\`${field}\``, typeOf(part), plainText(part.description ?? '')]),
      ),
    )
  }
  return `${lines.join('\n')}\n`
}

function operationLines(title: string, operation: Operation): string[] {
  const { summary, description, security, parameters = [], requestBody, responses } = operation
  const lines = ['', `### ${title}`, '', plainText(`${summary}.`)]
  if (description !== undefined) lines.push('', plainText(description))
  if (security.some((scheme) => 'person' in scheme))
    lines.push('', 'Needs a developer key as `X-API-Key` or `Authorization: Bearer`, or the JWT of an account.')
  if (security.some((scheme) => 'admin' in scheme)) lines.push('', 'For administrators: needs `Authorization: Bearer`.')
  if (parameters.length > 0) {
    lines.push(
      '',
      ...markdownTable(
        ['Parameter', 'In', 'Type', 'Meaning'],
        parameters.map((parameter) => [
          `\`${parameter.name}\``,
          parameter.in,
          [typeOf(parameter.schema), limitsOf(parameter.schema)].filter(Boolean).join('; '),
          plainText(parameter.description ?? ''),
        ]),
      ),
    )
  }
  const body = requestBody?.content['application/json']
  if (body !== undefined)
    lines.push('', 'Takes JSON, for example:', '', '```json', JSON.stringify(body.example, null, 2), '```')
  const [success = '200', answer] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? []
  const [[mediaType, content] = ['', undefined]] = Object.entries(answer?.content ?? {})
  const status = success === '200' ? '' : ` ${success}`
  lines.push(
    '',
    content === undefined
      ? `Answers${status} without a body.`
      : `Answers${status} ${typeOf(content.schema)}, \`${mediaType}\`.`,
  )
  const problems = Object.entries(responses).filter(([problem, { $ref }]) => problem !== success && $ref === undefined)
  lines.push(...problems.flatMap(([status, problem]) => ['', `${status}: ${plainText(problem.description)}`]))
  const example = content?.example
  if (typeof example === 'object') lines.push('', '```json', JSON.stringify(example, null, 2), '```')
  return lines
}

function typeOf(schema: Schema): string {
  const name = schema.$ref?.split('/').at(-1)
  if (name !== undefined) return `[${name}](#${name.toLowerCase()})`
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (schema.type === 'array') return `list of ${schema.items === undefined ? 'values' : typeOf(schema.items)}`
  const values = schema.additionalProperties
  if (schema.type === 'object' && typeof values === 'object' && values.type !== undefined)
    return `${typeOf(values)} by name`
  return [schema.type ?? 'any'].flat().join(' or ')
}

function limitsOf({ type, minimum, maximum, default: preset }: Schema): string {
  const isBounded = type === 'integer' && minimum !== undefined && maximum !== undefined && maximum < 1e9
  return [preset === undefined ? '' : `default ${JSON.stringify(preset)}`, isBounded ? `${minimum} to ${maximum}` : '']
    .filter(Boolean)
    .join(', ')
}
