type Schema = Readonly<Record<string, unknown>>

/** The part of an OpenAPI document that the types are made of. */
interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

/**
 * The responses of an API as TypeScript, for a page: `Answers` has the response of each path that is read by GET, and
 * every named schema of a successful response is an interface or a type. Pages therefore cannot read a field that is
 * not sent.
 */
export function pageTypes({ paths, components }: ApiDocument): string {
  const answers: { path: string; schema: Schema }[] = []
  const needed = new Set<string>()
  const need = (schema: unknown): void => {
    for (const name of namesIn(schema)) {
      if (needed.has(name)) continue
      needed.add(name)
      need(components.schemas[name])
    }
  }
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const schema = answerSchema(operation as Schema)
      if (schema === undefined) continue
      if (method === 'get') answers.push({ path, schema })
      need(schema)
    }
  }
  const types = Object.entries(components.schemas)
    .filter(([name]) => needed.has(name))
    .map(([name, schema]) => declaration(name, schema))
  return [
    '/** The responses of the API. Made by `npm run docs`: do not edit. */',
    '',
    '/** The response of each path that is read. */',
    'export interface Answers {',
    ...answers.map(({ path, schema }) => `  readonly '${path}': ${typeOf(schema)}`),
    '}',
    '',
    types.join('\n\n'),
    '',
  ].join('\n')
}

/** The schema of the JSON or the events of a 200; undefined for other texts. */
function answerSchema(operation: Schema): Schema | undefined {
  const responses = operation['responses'] as Record<string, Schema> | undefined
  const content = responses?.['200']?.['content'] as Record<string, Schema> | undefined
  const { schema } = (content?.['application/json'] ?? content?.['text/event-stream'] ?? {}) as { schema?: Schema }
  return operation['operationId'] === 'getOpenApiJson' ? undefined : schema
}

function namesIn(schema: unknown): string[] {
  if (Array.isArray(schema)) return schema.flatMap(namesIn)
  if (typeof schema !== 'object' || schema === null) return []
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) =>
    key === '$ref' ? [nameOf(value)] : key === 'example' || key === 'description' ? [] : namesIn(value),
  )
}

function nameOf(reference: unknown): string {
  if (typeof reference !== 'string') throw new TypeError("A reference of the API's description is no text")
  return reference.slice(reference.lastIndexOf('/') + 1)
}

function declaration(name: string, schema: Schema): string {
  if (schema['type'] !== 'object' || schema['properties'] === undefined)
    return `export type ${name} = ${typeOf(schema)}`
  const fields = fieldsOf(schema).map(([field, type, description]) => {
    const text = typeof description === 'string' && !description.includes('*/') ? `  /** ${description} */\n` : ''
    return `${text}  readonly ${field}: ${type}`
  })
  return `export interface ${name} {\n${fields.join('\n')}\n}`
}

function fieldsOf(schema: Schema): [field: string, type: string, description: unknown][] {
  const required = new Set(schema['required'] as string[] | undefined)
  return Object.entries(schema['properties'] as Record<string, Schema>).map(([field, value]) => [
    `${/^\w+$/.test(field) ? field : `'${field}'`}${required.has(field) ? '' : '?'}`,
    typeOf(value),
    value['description'],
  ])
}

function typeOf(schema: Schema): string {
  if (schema['$ref'] !== undefined) return nameOf(schema['$ref'])
  const choices = (schema['anyOf'] ?? schema['oneOf']) as Schema[] | undefined
  if (choices !== undefined) return choices.map(typeOf).join(' | ')
  if (schema['const'] !== undefined) return literal(schema['const'])
  if (schema['enum'] !== undefined) return (schema['enum'] as unknown[]).map(literal).join(' | ')
  const { type } = schema
  if (Array.isArray(type)) return type.map((each: unknown) => typeOf({ ...schema, type: each })).join(' | ')
  switch (type) {
    case 'array':
      return `readonly ${element(typeOf((schema['items'] ?? {}) as Schema))}[]`
    case 'object':
      return objectType(schema)
    case 'integer':
      return 'number'
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type
    default:
      return 'unknown'
  }
}

function element(type: string): string {
  return type.includes(' ') ? `(${type})` : type
}

function objectType(schema: Schema): string {
  if (schema['properties'] !== undefined) {
    return `{ ${fieldsOf(schema)
      .map(([field, type]) => `readonly ${field}: ${type}`)
      .join('; ')} }`
  }
  const values = schema['additionalProperties']
  return `Readonly<Record<string, ${typeof values === 'object' && values !== null ? typeOf(values as Schema) : 'unknown'}>>`
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}
