import type { SqlAnswer, SqlValue } from '../../src/assistant/query/sql/sql-runner.ts'
import type { JsonValue } from '../../src/platform/exact-json.ts'

export interface Comparison {
  /** `same-values`: reordered or additional columns. */
  readonly verdict: 'same' | 'same-values' | 'different'
  /** F1 of the values. */
  readonly overlap: number
}

export interface ComparisonRules {
  /** Columns of the known answer. Default: rows are a multiset. */
  readonly order?: readonly number[]
  /** Relative tolerance. Default: 1e-9. */
  readonly tolerance?: number
}

type Row = readonly string[]

const floatNoise = 1e-9
/** The number of column orders is factorial. */
const maxTries = 5000

/** Compares by position, then in any column order. Column names do not count. */
export function compareAnswers(
  known: Pick<SqlAnswer, 'columns' | 'rows'>,
  found: Pick<SqlAnswer, 'columns' | 'rows'>,
  rules: ComparisonRules = {},
): Comparison {
  const [expected, actual] = [comparable(known), comparable(found)]
  const overlap = sharedValues(expected, actual)
  if (known.columns.length === found.columns.length && isSame(expected, actual, rules))
    return { verdict: 'same', overlap: 1 }
  if (expected.length !== actual.length || known.columns.length > found.columns.length)
    return { verdict: 'different', overlap }
  let tries = 0
  for (const places of choices(known.columns.length, found.columns.length)) {
    if (++tries > maxTries) break
    if (
      isSame(
        expected,
        actual.map((row) => places.map((place) => row[place] ?? 'null')),
        rules,
      )
    )
      return { verdict: 'same-values', overlap: 1 }
  }
  return { verdict: 'different', overlap }
}

function comparable({ rows }: Pick<SqlAnswer, 'rows'>): Row[] {
  return rows.map((row) => row.map(comparableValue))
}

function isSame(
  expected: readonly Row[],
  actual: readonly Row[],
  { order, tolerance = floatNoise }: ComparisonRules,
): boolean {
  if (expected.length !== actual.length) return false
  const inOrder = (order ?? []).every((column) =>
    expected.every((row, i) => isEqual(row[column], actual[i]?.[column], tolerance)),
  )
  return inOrder && isSameBag(expected, actual, tolerance)
}

function isSameBag(expected: readonly Row[], actual: readonly Row[], tolerance: number): boolean {
  const left = new Map<string, number>()
  for (const row of actual) left.set(row.join('\u0000'), (left.get(row.join('\u0000')) ?? 0) + 1)
  const unmatched: Row[] = []
  for (const row of expected) {
    const count = left.get(row.join('\u0000')) ?? 0
    if (count === 0) unmatched.push(row)
    else left.set(row.join('\u0000'), count - 1)
  }
  const others = actual.filter((row) => {
    const count = left.get(row.join('\u0000')) ?? 0
    if (count > 0) left.set(row.join('\u0000'), count - 1)
    return count > 0
  })
  return unmatched.every((row) => {
    const partner = others.findIndex((other) => row.every((value, i) => isEqual(value, other[i], tolerance)))
    if (partner !== -1) others.splice(partner, 1)
    return partner !== -1
  })
}

function isEqual(expected: string | undefined, actual: string | undefined, tolerance: number): boolean {
  if (expected === actual) return true
  if (expected === undefined || actual === undefined) return false
  const [a, b] = [numberOf(expected), numberOf(actual)]
  if (a === undefined || b === undefined || (isWhole(expected) && isWhole(actual) && tolerance <= floatNoise))
    return false
  return Math.abs(a - b) <= tolerance * Math.abs(a)
}

function isWhole(comparable: string): boolean {
  return /^n:-?\d+$/.test(comparable)
}

function* choices(count: number, from: number, chosen: readonly number[] = []): Generator<readonly number[]> {
  if (chosen.length === count) {
    yield chosen
    return
  }
  for (let place = 0; place < from; place++) {
    if (!chosen.includes(place)) yield* choices(count, from, [...chosen, place])
  }
}

function sharedValues(expected: readonly Row[], actual: readonly Row[]): number {
  const [wanted, got] = [expected.flat(), actual.flat()]
  if (wanted.length === 0 || got.length === 0) return wanted.length === got.length ? 1 : 0
  const left = new Map<string, number>()
  for (const value of got) left.set(value, (left.get(value) ?? 0) + 1)
  let shared = 0
  for (const value of wanted) {
    const count = left.get(value) ?? 0
    if (count > 0) shared++
    left.set(value, count - 1)
  }
  return (2 * shared) / (wanted.length + got.length)
}

/**
 * Equal text for equal values: `7`, `7.00` and the int8 text `7`; hex in either case, with and
 * without 0x; a day and its midnight. Null equals only null. Numbers start with `n:`.
 */
function comparableValue(value: SqlValue): string {
  if (value === null) return 'null'
  switch (typeof value) {
    case 'boolean':
      return `b:${value}`
    case 'number':
      return comparableNumber(value)
    case 'string':
      return comparableText(value)
    default:
      return `j:${JSON.stringify(nested(value))}`
  }
}

/** Exact up to 2^53. @returns undefined if not a number */
function numberOf(comparable: string): number | undefined {
  return comparable.startsWith('n:') ? Number(comparable.slice(2)) : undefined
}

const decimal = /^([+-]?)0*(\d+)(?:\.(\d*?)0*)?$/
const hex = /^(?:0x|\\x)?([0-9a-f]{16,})$/i
const moment = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}:\d{2})(?:\.(\d+))?(?:Z|[+-]00(?::?00)?)?)?$/

function comparableText(text: string): string {
  const number = decimal.exec(text)
  if (number !== null) return decimalText(number)
  const digits = hex.exec(text)?.[1]
  if (digits !== undefined) return `h:${digits.toLowerCase()}`
  const [, day, time = '00:00:00', fraction = ''] = moment.exec(text) ?? []
  if (day !== undefined) return `t:${day} ${time}.${fraction.replace(/0+$/, '')}`
  return `s:${text}`
}

function decimalText([, sign, whole = '0', fraction = '']: RegExpExecArray): string {
  const digits = fraction === '' ? whole : `${whole}.${fraction}`
  return `n:${sign === '-' && /[1-9]/.test(digits) ? '-' : ''}${digits}`
}

function comparableNumber(value: number): string {
  const number = decimal.exec(String(value))
  return number === null ? `n:${value}` : decimalText(number)
}

/** Fields of objects have no order. */
function nested(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return comparableValue(value)
  if (Array.isArray(value)) return value.map((item: JsonValue) => nested(item))
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, item]) => [name, nested(item)])
}
