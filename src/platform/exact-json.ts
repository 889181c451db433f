export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue }

/** Decimal digits that a double always preserves. */
const safeDigits = 15

/** Numbers that a double would round are returned as text. @throws SyntaxError */
export function parseExactJson(text: string): JsonValue {
  return JSON.parse(text, exactNumber) as JsonValue
}

function exactNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value
  const { source } = context
  if (String(value) === source) return value
  const digits = source
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '')
  return Number.isFinite(value) && digits.length <= safeDigits ? value : source
}
