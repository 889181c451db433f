import { z } from 'zod'
import { ApiError } from '../errors.ts'

interface ParameterSchemas<Params extends z.ZodObject, Query extends z.ZodObject> {
  readonly params: Params
  readonly query: Query
}

/** Ignores undeclared parameters. @throws ApiError 400 `invalid-parameter` */
export function parseParameters<Params extends z.ZodObject, Query extends z.ZodObject>(
  schemas: ParameterSchemas<Params, Query>,
  params: Readonly<Record<string, string>>,
  query: URLSearchParams,
): { params: z.output<Params>; query: z.output<Query> } {
  const declared: Record<string, string> = {}
  if ('cursor' in schemas.query.shape && !['0', '', null].includes(query.get('offset'))) {
    throw invalid('Parameter', 'offset', 'is not supported: use the `cursor` of the previous page')
  }
  for (const name of Object.keys(schemas.query.shape)) {
    const values = query.getAll(name)
    if (values.length > 1) throw invalid('Parameter', name, 'is repeated')
    if (values[0] !== undefined) declared[name] = values[0]
  }
  return { params: parseDeclared(schemas.params, params), query: parseDeclared(schemas.query, declared) }
}

function parseDeclared<Schema extends z.ZodObject>(
  schema: Schema,
  values: Readonly<Record<string, string>>,
): z.output<Schema> {
  const result = schema.safeParse(values)
  if (result.success) return result.data
  const issue = result.error.issues[0]
  const field = String(issue?.path[0] ?? '')
  throw new ApiError(
    400,
    'invalid-parameter',
    `Parameter "${field}" ${field in values ? (issue?.message ?? 'is invalid') : 'is missing'}.`,
    { field },
  )
}

/**
 * Unknown parameters are an error: a misspelt filter must not select everything.
 * @throws ApiError 400 `invalid-parameter`
 */
export function parseQuery<Schema extends z.ZodObject>(schema: Schema, query: URLSearchParams): z.output<Schema> {
  const values: Record<string, string> = {}
  for (const name of new Set(query.keys())) {
    const [value, ...more] = query.getAll(name)
    if (more.length > 0) throw invalid('Parameter', name, 'is repeated')
    if (value !== undefined && value !== '') values[name] = value
  }
  return parse('Parameter', schema, values)
}

/** @throws ApiError 400 `invalid-field` */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  return parse('Field', schema, body)
}

function parse<Schema extends z.ZodType>(
  kind: 'Parameter' | 'Field',
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const result = schema.safeParse(value, { error: wordsFor })
  if (result.success) return result.data
  const [issue] = result.error.issues
  if (issue?.code === 'unrecognized_keys') {
    const field = fieldName([...issue.path, ...issue.keys.slice(0, 1)])
    throw invalid(kind, field, `is unknown${knownNames(schema, issue.path)}`)
  }
  throw invalid(kind, fieldName(issue?.path ?? []), issue?.message ?? 'is invalid')
}

const typeNames: ReadonlyMap<string, string> = new Map([
  ['string', 'a string'],
  ['number', 'a number'],
  ['int', 'an integer'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
])
const partNames: ReadonlyMap<string, string> = new Map([
  ['string', 'character'],
  ['array', 'item'],
])

/** Completes a sentence after the field name. Undefined: the library's message. */
function wordsFor(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type': {
      const expected = typeNames.get(issue.expected)
      if (expected === undefined) return undefined
      return issue.input === undefined ? `is missing: it must be ${expected}` : `must be ${expected}`
    }
    case 'too_small':
      return boundWords('at least', issue.origin, Number(issue.minimum), issue.inclusive !== false)
    case 'too_big':
      return boundWords('at most', issue.origin, Number(issue.maximum), issue.inclusive !== false)
    default:
      return undefined
  }
}

function boundWords(
  side: 'at least' | 'at most',
  origin: string,
  bound: number,
  isInclusive: boolean,
): string | undefined {
  const part = partNames.get(origin)
  if (part !== undefined) return `must have ${side} ${bound} ${part}${bound === 1 ? '' : 's'}`
  if (!['number', 'int'].includes(origin)) return undefined
  return isInclusive ? `must be ${side} ${bound}` : `must be ${side === 'at least' ? 'more' : 'less'} than ${bound}`
}

function knownNames(schema: z.ZodType, path: readonly PropertyKey[]): string {
  if (path.length > 0 || !(schema instanceof z.ZodObject)) return ''
  const names = Object.keys(schema.shape)
  return names.length === 0 ? '; none is defined' : `; known: ${names.join(', ')}`
}

function invalid(kind: 'Parameter' | 'Field', field: string, problem: string): ApiError {
  const code = kind === 'Parameter' ? 'invalid-parameter' : 'invalid-field'
  if (field === '') return new ApiError(400, code, `The body ${problem}.`)
  return new ApiError(400, code, `${kind} "${field}" ${problem}.`, { field })
}

/** `leases[3].from` */
function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${String(part)}`))
    .join('')
}
