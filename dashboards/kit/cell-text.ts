import type { SqlValue } from './result-table.ts'

/** A value as it is shown, copied and exported: exact, and empty where there is none. */
export function cellText(value: SqlValue): string {
  if (value === null) return ''
  if (typeof value === 'object') return JSON.stringify(value)
  return String(value)
}

/**
 * The same for the eye: signs that cannot be seen, or that turn the direction of what follows, are told by their code, so that a name
 * which a stranger chose does not read as another one.
 */
export function shownText(text: string): string {
  return text.replaceAll(
    /[^\P{C}\n\t\u200D]/gu,
    (sign) => `⟨U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
  )
}

const numberTypes: ReadonlySet<string> = new Set([
  'int2',
  'int4',
  'int8',
  'numeric',
  'float4',
  'float8',
  'money',
  'oid',
])

/** Whether values of this PostgreSQL type are numbers. */
export function isNumberType(type: string): boolean {
  return numberTypes.has(type)
}

/** Whether values of this PostgreSQL type are days or times. */
export function isTimeType(type: string): boolean {
  return /^(?:date|timestamp|timestamptz)$/.test(type)
}
