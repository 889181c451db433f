/** The parts of an OpenAPI 3.1 document that the reference shows. */
export interface ApiDocument {
  readonly info: { readonly title: string; readonly description: string; readonly 'x-changelog'?: readonly Change[] }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Response>>
    readonly parameters?: Readonly<Record<string, Parameter>>
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>
  }
}

export interface Change {
  readonly date: string
  readonly changes: readonly string[]
}

export interface SecurityScheme {
  readonly type: string
  readonly name?: string
  readonly description?: string
}

export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
  readonly format?: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly prefixItems?: readonly Schema[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
}

interface Reference {
  readonly $ref: string
}

interface Response {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>
}

interface Operation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly summary: string
  readonly description?: string
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly (Parameter | Reference)[]
  readonly requestBody?: Response
  readonly responses: Readonly<Record<string, Response>>
}

export interface Endpoint extends Operation {
  readonly method: string
  readonly path: string
  readonly parameters?: readonly Parameter[]
}

/** Parameters are resolved. */
export function endpointsOf({ paths, components }: ApiDocument): Endpoint[] {
  const resolve = (parameter: Parameter | Reference): Parameter[] => {
    const found = '$ref' in parameter ? components.parameters?.[nameOf(parameter.$ref)] : parameter
    return found === undefined ? [] : [found]
  }
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, { parameters, ...operation }]) => ({
      ...operation,
      ...(parameters === undefined ? {} : { parameters: parameters.flatMap(resolve) }),
      method: method.toUpperCase(),
      path,
    })),
  )
}

/** Whether each word is in the path, method or texts. */
export function matchesFilter({ method, path, summary, tags, operationId }: Endpoint, filter: string): boolean {
  const text = `${method} ${path} ${summary} ${tags.join(' ')} ${operationId}`.toLowerCase()
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

export function bodyOf(
  response: Response | undefined,
): { readonly type: string; readonly schema: Schema; readonly example?: unknown } | undefined {
  const [found] = Object.entries(response?.content ?? {})
  return found === undefined ? undefined : { type: found[0], ...found[1] }
}

export function successOf({ responses }: Endpoint): Response | undefined {
  return Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
}

export function errorsOf({ responses }: Endpoint, { components }: ApiDocument): (readonly [string, string])[] {
  return Object.entries(responses)
    .filter(([status]) => !status.startsWith('2'))
    .map(([status, { $ref, description }]) => [
      status,
      description ?? components.responses[nameOf($ref ?? '')]?.description ?? '',
    ])
}

/** Names of the schemes that a request must use; empty if it may be anonymous. */
export function requiredSchemes({ security }: Endpoint): string[] {
  return security.some((scheme) => Object.keys(scheme).length === 0) ? [] : security.flatMap(Object.keys)
}

const maxShownValues = 12

export function typeText(schema: Schema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined)
    return schema.enum.length > maxShownValues ? `one of ${schema.enum.length} values` : schema.enum.join(' | ')
  const choices = schema.anyOf ?? schema.oneOf
  if (choices !== undefined) return [...new Set(choices.map(typeText))].join(' or ')
  if (schema.type === 'array') {
    const items = schema.items === undefined ? (schema.prefixItems ?? []) : [schema.items]
    return `list of ${items.map(typeText).join(', ')}`
  }
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object')
    return `object of ${typeText(schema.additionalProperties)}`
  return [schema.type ?? 'any'].flat().join(' or ')
}

/** Default and range of a parameter. */
export function limitsText({ default: preset, type, minimum, maximum }: Schema): string {
  const isRange = type === 'integer' && minimum !== undefined && maximum !== undefined && maximum <= 1e9
  return [preset === undefined ? '' : `default ${valueText(preset)}`, isRange ? `${minimum} to ${maximum}` : '']
    .filter(Boolean)
    .join(', ')
}

export function valueText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

export interface FoundObject {
  readonly schema: Schema
  /** Undefined for inline schemas. */
  readonly name: string | undefined
}

/** The object with fields that a schema describes, also within lists, choices and maps. */
export function objectOf(schema: Schema, schemas: ApiDocument['components']['schemas']): FoundObject | undefined {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref)
    const target = schemas[name]
    const found = target === undefined ? undefined : objectOf(target, schemas)
    return found === undefined ? undefined : { name, ...(found.schema === target ? { schema: target } : found) }
  }
  if (schema.properties !== undefined) return { schema, name: undefined }
  const parts = [
    ...(schema.anyOf ?? schema.oneOf ?? []),
    ...(schema.items === undefined ? [] : [schema.items]),
    ...(typeof schema.additionalProperties === 'object' ? [schema.additionalProperties] : []),
  ]
  for (const part of parts) {
    const found = objectOf(part, schemas)
    if (found !== undefined) return found
  }
  return undefined
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}
