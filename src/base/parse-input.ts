import { z } from 'zod'
import { ApiError } from './errors.ts'

/**
 * Reads the parameters of a query by their schema. An unknown one is an error: a filter that is misspelt must not act on
 * everything.
 * @throws ApiError 400 `invalid-parameter` that names the first bad one and says what would be right
 */
export function parseQuery<Schema extends z.ZodObject>(schema: Schema, query: URLSearchParams): z.output<Schema> {
  const values: Record<string, string> = {}
  for (const name of new Set(query.keys())) {
    const [value, ...more] = query.getAll(name)
    if (more.length > 0) throw invalid('Parameter', name, 'is given more than once')
    if (value !== undefined && value !== '') values[name] = value
  }
  return parse('Parameter', schema, values)
}

/** The same for the body of a request. @throws ApiError 400 `invalid-field` */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  return parse('Field', schema, body)
}

function parse<Schema extends z.ZodType>(kind: 'Parameter' | 'Field', schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  if (issue?.code === 'unrecognized_keys') {
    const field = fieldName([...issue.path, ...issue.keys.slice(0, 1)])
    throw invalid(kind, field, `is not known${knownNames(schema, issue.path)}`)
  }
  throw invalid(kind, fieldName(issue?.path ?? []), issue?.message ?? 'is not valid')
}

/** What there is in place of a name that there is not, where the schema is simple enough to tell. */
function knownNames(schema: z.ZodType, path: readonly PropertyKey[]): string {
  if (path.length > 0 || !(schema instanceof z.ZodObject)) return ''
  const names = Object.keys(schema.shape)
  return names.length === 0 ? '; there is none here' : `; known here: ${names.join(', ')}`
}

function invalid(kind: 'Parameter' | 'Field', field: string, problem: string): ApiError {
  const code = kind === 'Parameter' ? 'invalid-parameter' : 'invalid-field'
  if (field === '') return new ApiError(400, code, `The body ${problem}.`)
  return new ApiError(400, code, `${kind} "${field}" ${problem}.`, { field })
}

/** `leases[3].from` */
function fieldName(path: readonly PropertyKey[]): string {
  return path.map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${String(part)}`)).join('')
}
