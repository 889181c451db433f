/** Types that JSON cannot represent exactly, such as int8 and numeric, are strings. */
export type SqlValue = null | boolean | number | string | readonly SqlValue[] | { readonly [name: string]: SqlValue }

interface Column {
  readonly name: string
  readonly type: string
  readonly isNumber: boolean
}

export interface ResultTable {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly SqlValue[])[]
}

export function cellText(value: SqlValue): string {
  if (value === null) return ''
  if (typeof value === 'object') return JSON.stringify(value)
  return String(value)
}

/**
 * Shows invisible and direction-changing characters by code point, so that an attacker-chosen name
 * cannot imitate another.
 */
export function escapeInvisible(text: string): string {
  return text.replaceAll(
    /[^\P{C}\n\t\u200D]/gu,
    (char) => `⟨U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`,
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

export function isNumberType(type: string): boolean {
  return numberTypes.has(type)
}

export function isTimeType(type: string): boolean {
  return /^(?:date|timestamp|timestamptz)$/.test(type)
}

/**
 * Formulas can leak data: token names are attacker-chosen. Full-width characters count with Chinese
 * and Japanese keyboards.
 */
const formula = /^[\s\p{Cc}]*[=+\-@|%＝＋－＠]|^[\t\r\n]/u

const number = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** Formulas are prefixed with an apostrophe. */
export function safeCell(value: SqlValue): string {
  const text = cellText(value)
  return formula.test(text) && !number.test(text) ? `'${text}` : text
}

/** RFC 4180 with a BOM for Excel. Null is empty, an empty string is `""`, as in PostgreSQL. */
export function toCsv({ columns, rows }: ResultTable): string {
  const lines = [columns.map(({ name }) => name), ...rows]
  const texts = lines.map((cells) => cells.map((cell) => (cell === '' ? '""' : quote(safeCell(cell)))).join(','))
  return `\uFEFF${texts.join('\r\n')}\r\n`
}

export function toTabSeparated({ columns, rows }: ResultTable): string {
  const lines = [columns.map(({ name }) => name), ...rows]
  return lines.map((cells) => cells.map((cell) => safeCell(cell).replaceAll(/[\t\r\n]+/g, ' ')).join('\t')).join('\n')
}

function quote(text: string): string {
  return /[",\r\n;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
