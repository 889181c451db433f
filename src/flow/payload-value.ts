/** A flattened Cadence value: what the payload column holds. Numbers are strings, integers as well as fixed-point. */
export type PayloadValue = string | boolean | null | PayloadValue[] | PayloadFields

/** The fields of an event, struct or dictionary by name. */
export type PayloadFields = { [name: string]: PayloadValue }

/**
 * Text as PostgreSQL's jsonb can hold it: U+0000 becomes the six characters `\u0000`, so that it stays visible, and a
 * surrogate without its pair becomes U+FFFD.
 */
export function payloadText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\\u0000') : wellFormed
}

/** Sets an own property, also for the one name (`__proto__`) where an assignment would do something else. */
export function setField(fields: PayloadFields, name: string, value: PayloadValue): void {
  if (name === '__proto__') {
    Object.defineProperty(fields, name, { value, writable: true, enumerable: true, configurable: true })
  } else {
    fields[name] = value
  }
}
