/** A value as JSON has it. */
export type JsonValue = null | boolean | number | string | readonly JsonValue[] | { readonly [key: string]: JsonValue }

/** Digits that a double of JavaScript keeps, whatever they are. */
const safeDigits = 15

/**
 * Reads JSON. Numbers that a double would round are given as the text that they are, all others as numbers.
 * @throws SyntaxError
 */
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
