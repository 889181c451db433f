import { z } from 'zod'
import { ApiError } from '../../platform/errors.ts'
import { timeParameter } from '../parameters.ts'
import { labelOf } from './tables.ts'
import type { ServedColumn, ServedTable } from './tables.ts'

/** Parameters of the route. A column of such a name is filtered by `column.<name>`. */
export const routeParameters: ReadonlySet<string> = new Set([
  'limit',
  'cursor',
  'offset',
  'order',
  'sort',
  'format',
  'from',
  'to',
  'from_height',
  'to_height',
])

export function parameterOf({ name }: Pick<ServedColumn, 'name'>): string {
  return routeParameters.has(name) ? `column.${name}` : name
}

export interface ColumnFilter {
  readonly column: ServedColumn
  /** Valid for the type of the column. */
  readonly value: string
}

const maxTextLength = 1000

interface ValueForm {
  readonly problem: string
  /** Undefined if it is invalid. */
  readonly parse: (text: string) => string | undefined
}

const time = timeParameter('')

function integerForm(bits: 32 | 64): ValueForm {
  const limit = 2n ** BigInt(bits - 1)
  return {
    problem: `must be a whole number from ${-limit} to ${limit - 1n}`,
    parse: (text) => {
      if (!/^-?\d{1,19}$/.test(text)) return undefined
      const value = BigInt(text)
      return value >= -limit && value < limit ? String(value) : undefined
    },
  }
}

const valueForms: Readonly<Record<ServedColumn['type'], ValueForm>> = {
  text: {
    problem: `must be a text of at most ${maxTextLength} characters, without NUL`,
    parse: (text) => (text.length <= maxTextLength && !text.includes('\0') ? text : undefined),
  },
  boolean: {
    problem: 'must be true or false',
    parse: (text) => (text === 'true' || text === 'false' ? text : undefined),
  },
  integer: integerForm(32),
  bigint: integerForm(64),
  numeric: {
    problem: 'must be a decimal number of at most 100 digits, such as 12.5',
    parse: (text) => (/^-?\d{1,80}(\.\d{1,20})?$/.test(text) ? text : undefined),
  },
  timestamptz: {
    problem: 'must be a time such as 2026-01-31T12:00:00Z or a day such as 2026-01-31',
    parse: (text) => time.safeParse(text).data,
  },
  date: {
    problem: 'must be a day of the form YYYY-MM-DD',
    parse: (text) => (text.length === 10 ? time.safeParse(text).data?.slice(0, 10) : undefined),
  },
  jsonb: { problem: 'cannot be compared', parse: () => undefined },
  bytea: { problem: 'cannot be compared', parse: () => undefined },
}

export function parseValue({ type }: Pick<ServedColumn, 'type'>, text: string): string | undefined {
  return valueForms[type].parse(text)
}

export function problemOf({ type }: Pick<ServedColumn, 'type'>): string {
  return valueForms[type].problem
}

const maxNameLength = 100

/**
 * All parameters that the route does not declare are filters: a misspelt one must not select
 * everything.
 *
 * @throws ApiError 400 that names the parameter and lists what is possible
 */
export function parseFilters(table: ServedTable, query: URLSearchParams): readonly ColumnFilter[] {
  const filters = new Map<string, ColumnFilter>()
  for (const [name, text] of query) {
    if (routeParameters.has(name)) continue
    const column = table.filters.find((one) => parameterOf(one) === name)
    if (column === undefined) throw invalid(name, `${reasonAgainst(table, name)} ${possibilities(table)}`)
    if (filters.has(name)) throw invalid(name, 'is repeated.')
    const value = parseValue(column, text)
    if (value === undefined) throw invalid(name, `${problemOf(column)}.`)
    filters.set(name, { column, value })
  }
  return [...filters.values()]
}

function reasonAgainst(table: ServedTable, parameter: string): string {
  const column = table.columns.find((one) => parameterOf(one) === parameter)
  if (column === undefined) return `is unknown: ${labelOf(table)} has no such column.`
  if (table.kind === 'events' && column.name === 'block_height') return 'cannot filter: use from_height and to_height.'
  if (table.kind === 'events' && column.name === 'block_timestamp') return 'cannot filter: use from and to.'
  return `cannot filter: column ${column.name} has no index.`
}

function possibilities({ filters, kind }: ServedTable): string {
  const names = [
    ...filters.slice(0, 30).map(parameterOf),
    ...(kind === 'events' ? ['from_height', 'to_height', 'from', 'to'] : []),
  ]
  return `Possible: ${names.join(', ')}.`
}

/** Ends the sentence itself. */
export function invalid(name: string, problem: string): ApiError {
  const field = name.length > maxNameLength ? `${name.slice(0, maxNameLength)}…` : name
  return new ApiError(400, 'invalid-parameter', `Parameter "${field}" ${problem}`, { field })
}

/** For the description of a table. */
export function filterSchema(column: ServedColumn): z.ZodOptional<z.ZodType> {
  const { problem } = valueForms[column.type]
  const types: Partial<Record<ServedColumn['type'], z.ZodType>> = {
    boolean: z.enum(['true', 'false']),
    integer: z.string().regex(/^-?\d{1,10}$/),
    bigint: z.string().regex(/^-?\d{1,19}$/),
    numeric: z.string().regex(/^-?\d{1,80}(\.\d{1,20})?$/),
    date: z.string().meta({ format: 'date' }),
  }
  const schema = types[column.type] ?? z.string().max(maxTextLength)
  const about = column.comment === '' ? '' : `${column.comment.replace(/\.$/, '')}. `
  return schema.describe(`${about}${problem.replace('must be', 'Equal to')}.`).optional()
}
