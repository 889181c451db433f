/** A value of a row: what JSON cannot hold exactly, such as int8 and numeric, is a string. */
export type SqlValue = null | boolean | number | string | readonly SqlValue[] | { readonly [name: string]: SqlValue }

interface Column {
  readonly name: string
  /** PostgreSQL's name of the type. */
  readonly type: string
  /** Whether its values are read from the right. */
  readonly isNumber: boolean
}

/** The rows of an answer by position. */
export interface ResultTable {
  readonly columns: readonly Column[]
  readonly rows: readonly (readonly SqlValue[])[]
}

/** A value as it is shown, copied and exported: exact, and empty where there is none. */
export function cellText(value: SqlValue): string {
  if (value === null) return ''
  if (typeof value === 'object') return JSON.stringify(value)
  return String(value)
}

/**
 * The same for the eye: signs that cannot be seen, or that turn the direction of what follows, are told by their
 * code, so that a name which a stranger chose does not read as another one.
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

/**
 * What makes a spreadsheet take a cell for a formula, which may send what is beside it to anybody: names of tokens are
 * chosen by strangers. The wide forms count as well where a Chinese or Japanese keyboard is set.
 */
const formula = /^[\s\p{Cc}]*[=+\-@|%＝＋－＠]|^[\t\r\n]/u

const number = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i

/** The text of a cell for a spreadsheet: what it would compute begins with an apostrophe and stays text. */
export function safeCell(value: SqlValue): string {
  const text = cellText(value)
  return formula.test(text) && !number.test(text) ? `'${text}` : text
}

/** CSV by RFC 4180 with a BOM for Excel. Null is empty, an empty text is `""`, as in PostgreSQL. */
export function toCsv({ columns, rows }: ResultTable): string {
  const lines = [columns.map(({ name }) => name), ...rows]
  const texts = lines.map((cells) => cells.map((cell) => (cell === '' ? '""' : quote(safeCell(cell)))).join(','))
  return `\uFEFF${texts.join('\r\n')}\r\n`
}

/** The table for the clipboard, with a tab between cells: a spreadsheet takes it apart as it is pasted. */
export function toTabSeparated({ columns, rows }: ResultTable): string {
  const lines = [columns.map(({ name }) => name), ...rows]
  return lines.map((cells) => cells.map((cell) => safeCell(cell).replaceAll(/[\t\r\n]+/g, ' ')).join('\t')).join('\n')
}

function quote(text: string): string {
  return /[",\r\n;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
