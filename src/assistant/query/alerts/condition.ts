import type { SqlValue } from '../sql/sql-runner.ts'

export const operators = ['<', '<=', '=', '<>', '>=', '>'] as const

/** The value is the first column of the first row. */
export type AlertCondition =
  | { readonly kind: 'rows' | 'no_rows' | 'changed' }
  | {
      readonly kind: 'compare'
      readonly operator: (typeof operators)[number]
      /** Decimal: -12.5. */
      readonly number: string
    }

export interface AlertReading {
  readonly isMet: boolean
  /** Null without a row, or for NULL. */
  readonly value: string | null
}

/** Before the first run without an error, `isMet` is null. */
export interface LastReading {
  readonly isMet: boolean | null
  readonly value: string | null
  readonly firedAt: Date | null
}

/** Values are stored. */
export const maxValueCharacters = 1000

/** The statement does not suit the condition. The message is for its owner. */
export class UnsuitableValue extends Error {}

/** @throws UnsuitableValue */
export function readCondition(
  condition: AlertCondition,
  rows: readonly (readonly SqlValue[])[],
  last: Pick<LastReading, 'isMet' | 'value'>,
): AlertReading {
  const value = textOf(rows[0]?.[0] ?? null)
  const shown = value?.slice(0, maxValueCharacters).toWellFormed() ?? null
  if (condition.kind === 'rows') return { isMet: rows.length > 0, value: shown }
  if (condition.kind === 'no_rows') return { isMet: rows.length === 0, value: shown }
  if (value !== null && value.length > maxValueCharacters) {
    throw new UnsuitableValue(
      `The value is too long (${value.length} characters, limit ${maxValueCharacters}). Select a shorter first column.`,
    )
  }
  if (condition.kind !== 'compare') return { isMet: last.isMet !== null && value !== last.value, value }
  return { isMet: value !== null && holds(value, condition.operator, condition.number), value }
}

/** Fires when the condition becomes true, on every change, and again after `repeatHours`. */
export function fires(
  condition: AlertCondition,
  { isMet }: AlertReading,
  last: LastReading,
  { now, repeatHours }: { readonly now: Date; readonly repeatHours: number | null },
): boolean {
  if (!isMet) return false
  if (condition.kind === 'changed' || last.isMet !== true || last.firedAt === null) return true
  return repeatHours !== null && now.getTime() - last.firedAt.getTime() >= repeatHours * 3_600_000
}

function textOf(value: SqlValue): string | null {
  if (value === null || typeof value === 'string') return value
  return JSON.stringify(value)
}

function holds(value: string, operator: (typeof operators)[number], number: string): boolean {
  const order = compareDecimals(value, number)
  if (order === undefined) {
    const shown = value.slice(0, 50).toWellFormed()
    throw new UnsuitableValue(`The value is not a number ("${shown}"). Select a number as the first column.`)
  }
  return comparisons[operator](order)
}

const comparisons: Readonly<Record<(typeof operators)[number], (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '>=': (order) => order >= 0,
  '>': (order) => order > 0,
}

/** Exact. Undefined if one is not a number. */
export function compareDecimals(a: string, b: string): number | undefined {
  const [left, right] = [parseDecimal(a), parseDecimal(b)]
  if (left === undefined || right === undefined) return undefined
  if (typeof left === 'number' || typeof right === 'number') return Math.sign(sizeOf(left) - sizeOf(right))
  const exponent = Math.min(left.exponent, right.exponent)
  const difference = scaled(left, exponent) - scaled(right, exponent)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

interface Decimal {
  readonly digits: bigint
  readonly exponent: number
}

/** Text of int8, numeric or float8. Accepts infinities, but not NaN. */
function parseDecimal(text: string): Decimal | number | undefined {
  if (text === 'Infinity' || text === '-Infinity') return Number(text)
  const parts = /^([+-]?)(\d{1,1000})(?:\.(\d{1,1000}))?(?:e([+-]?\d{1,3}))?$/i.exec(text)
  if (parts === null) return undefined
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = parts
  const digits = BigInt(whole + fraction)
  return { digits: sign === '-' ? -digits : digits, exponent: Number(exponent) - fraction.length }
}

function sizeOf(decimal: Decimal | number): number {
  return typeof decimal === 'number' ? (decimal > 0 ? 1 : -1) : 0
}

function scaled({ digits, exponent }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(exponent - to)
}
