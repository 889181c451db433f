import { describeApi } from '../../src/api/openapi.ts'
import { routes } from '../../src/api/route-table.ts'
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
    readonly name: string; readonly in: string; readonly description?: string; readonly schema: Schema
  }[]
  readonly responses: Readonly<Record<string, {
    readonly description: string
    readonly content: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>
  }>>
}

/** `docs/api.md`: every route with its parameters and an example, and the schemas of what is answered. */
export function apiPage(): string {
  const { info, paths, components } = describeApi(routes) as unknown as {
    readonly info: { readonly description: string }
    readonly paths: Readonly<Record<string, { readonly get: Operation }>>
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  }
  const lines = [
    '# The API', '', plainText(info.description), '',
    'A running flowfarm shows the same at `/docs`, to try, and at `/openapi.json` and `/openapi.yaml`, for programs.', '',
    '![The page at /docs, with the answer of a route that was tried](images/docs.png)', '',
    madeFrom('the route table in `src/api/`'),
  ]
  const chapters = Map.groupBy(Object.entries(paths), ([, { get }]) => get.tags[0] ?? '')
  for (const [tag, operations] of chapters) {
    lines.push('', `## ${tag}`)
    for (const [path, { get }] of operations) lines.push(...operationLines(path, get))
  }
  lines.push('', '## Schemas')
  for (const [name, schema] of Object.entries(components.schemas).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const fields = Object.entries(schema.properties ?? {})
    lines.push('', `### ${name}`, '', ...markdownTable(['Field', 'Type', 'Meaning'], fields.map(([field, part]) => [
      `\`${field}\``, typeOf(part), plainText(part.description ?? ''),
    ])))
  }
  return `${lines.join('\n')}\n`
}

function operationLines(path: string, operation: Operation): string[] {
  const { summary, description, parameters = [], responses } = operation
  const lines = ['', `### GET \`${path}\``, '', plainText(`${summary}.`)]
  if (description !== undefined) lines.push('', plainText(description))
  if (parameters.length > 0) {
    lines.push('', ...markdownTable(['Parameter', 'In', 'Type', 'Meaning'], parameters.map((parameter) => [
      `\`${parameter.name}\``, parameter.in, [typeOf(parameter.schema), limitsOf(parameter.schema)].filter(Boolean).join('; '),
      plainText(parameter.description ?? ''),
    ])))
  }
  const [[mediaType, content] = ['', undefined]] = Object.entries(responses['200']?.content ?? {})
  lines.push('', `Answers ${content === undefined ? '' : typeOf(content.schema)}, \`${mediaType}\`.`)
  const problems = Object.entries(responses).filter(([status]) => status !== '200' && status !== '500')
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
  if (schema.type === 'object' && typeof values === 'object' && values.type !== undefined) return `${typeOf(values)} by name`
  return [schema.type ?? 'any'].flat().join(' or ')
}

function limitsOf({ type, minimum, maximum, default: preset }: Schema): string {
  const isBounded = type === 'integer' && minimum !== undefined && maximum !== undefined && maximum < 1e9
  return [
    preset === undefined ? '' : `default ${JSON.stringify(preset)}`, isBounded ? `${minimum} to ${maximum}` : '',
  ].filter(Boolean).join(', ')
}
