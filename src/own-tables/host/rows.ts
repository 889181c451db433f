import { FatalError } from '../../platform/errors.ts'
import type { RowWriter } from '../../platform/row-writer.ts'
import type { ColumnType, OwnColumn, OwnDeclaration, OwnTable } from '../declaration.ts'
import { tableShapes } from '../own-schema.ts'
import { maxValueBytes } from './limits.ts'

/** Writes a value, or throws `InvalidValue`. Values come from foreign code, as JSON. */
type WriteValue = (rows: RowWriter, value: unknown) => void

class InvalidValue extends Error {}

/** Writes the declared columns of a table. */
export interface DeclaredWriter {
  /** @throws FatalError `own-worker-row`: a fault of the worker */
  write(rows: RowWriter, values: readonly unknown[]): void
  /**
   * Why an index cannot contain the values. Anyone can emit such an event, so the row is left out and
   * recorded, and the range does not fail.
   */
  oversize(values: readonly unknown[]): string | undefined
}

/** @param schema for messages */
export function declaredWriter(schema: string, declaration: OwnDeclaration, table: OwnTable): DeclaredWriter {
  const writers = table.columns.map((column) => columnWriter(schema, table, column))
  const limits = indexedBytes(declaration, table)
  const limited = table.columns.flatMap(({ name, type }, i) => {
    const limit = type === 'text' || type === 'numeric' ? limits.get(name) : undefined
    return limit === undefined ? [] : [{ name, i, limit }]
  })
  return {
    write(rows, values) {
      for (const [i, write] of writers.entries()) write(rows, values[i])
    },
    oversize(values) {
      for (const { name, i, limit } of limited) {
        const value = values[i]
        const bytes = typeof value === 'string' ? Buffer.byteLength(value) : 0
        if (bytes > limit)
          return `${schema}.${table.name}.${name} has ${bytes} bytes, an indexed value at most ${limit}`
      }
      return undefined
    },
  }
}

function columnWriter(
  schema: string,
  table: OwnTable,
  { name, type, isOptional }: OwnColumn,
): (rows: RowWriter, value: unknown) => void {
  const write = byType[type]
  return (rows, value) => {
    try {
      if (value === null || value === undefined) {
        if (!isOptional) throw new InvalidValue('is missing. Write a value, or declare the column as optional')
        rows.null()
      } else write(rows, value)
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error
      const shown = value === null || value === undefined ? 'the value' : textOf(value)
      throw new FatalError('own-worker-row', `${schema}.${table.name}.${name}: ${shown} ${error.message}.`)
    }
  }
}

function textOf(value: unknown): string {
  const text = JSON.stringify(value)
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}

/** PostgreSQL limits a B-tree entry to 2704 bytes, of which the position of the event takes 24. */
const indexEntryBytes = 2400

/** Limits of indexed columns, so that the values of any index fit into an entry. */
function indexedBytes(declaration: OwnDeclaration, table: OwnTable): Map<string, number> {
  const limits = new Map<string, number>()
  const declared = new Set(table.columns.map(({ name }) => name))
  for (const shape of tableShapes(declaration)) {
    const fold = declaration.folds.find(({ name }) => name === shape.name)
    if ((fold?.of ?? shape.name) !== table.name) continue
    const sums = new Map(fold?.kind === 'sum' ? fold.sums.map(({ name, of }) => [name, of]) : [])
    for (const index of [shape.key, ...shape.indexes]) {
      const columns = index.map((name) => sums.get(name) ?? name).filter((name) => declared.has(name))
      for (const name of columns)
        limits.set(name, Math.min(limits.get(name) ?? Infinity, Math.floor(indexEntryBytes / columns.length)))
    }
  }
  return limits
}

/** PostgreSQL allows 131,072 digits before the point and 16,383 after it; the COPY writer fewer. */
const maxWholeDigits = 100_000
const maxFractionDigits = 16_383

const byType: Readonly<Record<ColumnType, WriteValue>> = {
  text(rows, value) {
    if (typeof value !== 'string') throw new InvalidValue('is not text')
    checkText(value)
    const bytes = Buffer.byteLength(value)
    if (bytes > maxValueBytes) throw tooLong(bytes, 'bytes')
    rows.text(value)
  },
  boolean(rows, value) {
    if (typeof value !== 'boolean') throw new InvalidValue('is not a boolean')
    rows.bool(value)
  },
  integer(rows, value) {
    rows.int4(Number(integerOf(value, 32)))
  },
  bigint(rows, value) {
    rows.int8(integerOf(value, 64))
  },
  numeric(rows, value) {
    const text = decimalOf(value)
    const [whole = '', fraction = ''] = text.split('.')
    if (whole.length > maxWholeDigits || fraction.length > maxFractionDigits)
      throw new InvalidValue('has too many digits')
    rows.numeric(text)
  },
  jsonb(rows, value) {
    checkJson(value, 0)
    const text = JSON.stringify(value)
    if (text.length > maxValueBytes) throw tooLong(text.length, 'characters')
    rows.jsonbBegin()
    rows.out.utf8(text)
    rows.jsonbEnd()
  },
  timestamptz(rows, value) {
    rows.timestamptzUs(microsecondsOf(value))
  },
  date(rows, value) {
    rows.date(dayOf(value))
  },
}

function tooLong(size: number, unit: string): InvalidValue {
  return new InvalidValue(`has ${size} ${unit}, a value at most ${maxValueBytes} ${unit}. Shorten it`)
}

function checkText(text: string): void {
  if (text.includes('\0')) throw new InvalidValue('contains U+0000, which PostgreSQL cannot store. Remove it')
  if (!text.isWellFormed()) throw new InvalidValue('contains an unpaired surrogate. Use toWellFormed()')
}

function decimalOf(value: unknown): string {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  if (typeof value === 'number') throw new InvalidValue('is not a safe integer. Write decimal numbers as text')
  if (typeof value === 'string' && /^[+-]?\d+(?:\.\d+)?$/.test(value)) return value
  throw new InvalidValue('is not a decimal number')
}

function integerOf(value: unknown, bits: 32 | 64): bigint {
  const text = decimalOf(value)
  if (text.includes('.')) throw new InvalidValue('is not an integer')
  // Longer text takes superlinear time to convert.
  const number = text.length > 30 ? undefined : BigInt(text.replace('+', ''))
  if (number === undefined || BigInt.asIntN(bits, number) !== number)
    throw new InvalidValue(`does not fit into ${bits} bits. Declare the column as numeric`)
  return number
}

const maxDepth = 1000

function checkJson(value: unknown, depth: number): void {
  if (typeof value === 'string') checkText(value)
  if (typeof value !== 'object' || value === null) return
  if (depth === maxDepth) throw new InvalidValue(`is nested deeper than ${maxDepth} levels`)
  for (const [name, part] of Object.entries(value)) {
    checkText(name)
    checkJson(part, depth + 1)
  }
}

const isoTime = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/

function microsecondsOf(value: unknown): number {
  const [, time = '', fraction = '', zone = ''] = (typeof value === 'string' && isoTime.exec(value)) || []
  const ms = Date.parse(`${time}${zone}`)
  if (Number.isNaN(ms))
    throw new InvalidValue('is not a time. Write a Date, or ISO 8601 with a zone such as 2026-01-31T12:00:00Z')
  return ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6))
}

const dayMs = 86_400_000

function dayOf(value: unknown): number {
  // A Date arrives as its time in UTC.
  const [, day = ''] = (typeof value === 'string' && /^(\d{4}-\d\d-\d\d)(?:T[\d:.]+Z)?$/.exec(value)) || []
  const ms = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(ms) || new Date(ms).toISOString().slice(0, 10) !== day)
    throw new InvalidValue('is not a date. Write a Date, or text such as 2026-01-31')
  return ms / dayMs
}
