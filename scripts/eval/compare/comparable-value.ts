import type { JsonValue } from '../../../src/base/exact-json.ts'
import type { SqlValue } from '../../../src/ask/sql/sql-answer.ts'

/**
 * One form for what people take for the same value: `7`, `7.00` and the text `7` of an int8; hex in either case, with and without 0x;
 * a day and its midnight. Null stays apart from everything, also from empty text.
 * @returns text that is equal for equal values; numbers begin with `n:`
 */
export function comparableValue(value: SqlValue): string {
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

/** The number that a comparable value stands for; undefined for others. Exact only up to 2^53: equal texts are compared before it. */
export function numberOf(comparable: string): number | undefined {
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

/** Without leading and trailing zeros, so that equal numbers of any length have one text; no rounding. */
function decimalText([, sign, whole = '0', fraction = '']: RegExpExecArray): string {
  const digits = fraction === '' ? whole : `${whole}.${fraction}`
  return `n:${sign === '-' && /[1-9]/.test(digits) ? '-' : ''}${digits}`
}

/** Floats in the notation of decimals where that is exact; huge and tiny ones as JavaScript writes them. */
function comparableNumber(value: number): string {
  const number = decimal.exec(String(value))
  return number === null ? `n:${value}` : decimalText(number)
}

/** The same for what is in arrays and objects, whose fields are in no order. */
function nested(value: JsonValue): JsonValue {
  if (value === null || typeof value !== 'object') return comparableValue(value)
  if (Array.isArray(value)) return value.map((item: JsonValue) => nested(item))
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, item]) => [name, nested(item)])
}
