/** One header. The name is in lower case; the value has one character for each byte. */
export interface HeaderField {
  readonly name: string
  readonly value: string
}

/** The value of the first header of that name. */
export function valueOf(fields: readonly HeaderField[], name: string): string | undefined {
  for (const field of fields) if (field.name === name) return field.value
  return undefined
}
