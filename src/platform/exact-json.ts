export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue }

/** Decimal digits that a double always preserves. */
const safeDigits = 15

const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
const maybeInexact = /\d[\d.]{15}|\d[eE]/

/**
 * Numbers that a double would round are returned as text. They are quoted before parsing, as a
 * reviver takes ten times as long. @throws SyntaxError
 */
export function parseExactJson(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue
  if (!maybeInexact.test(text)) return value
  return JSON.parse(
    text.replace(token, (source) => (source.startsWith('"') || isExact(source) ? source : `"${source}"`)),
  ) as JsonValue
}

function isExact(source: string): boolean {
  if (!maybeInexact.test(source)) return true
  const value = Number(source)
  if (String(value) === source) return true
  const digits = source
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '')
  return Number.isFinite(value) && digits.length <= safeDigits
}
