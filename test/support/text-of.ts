/** A field value as text: strings unchanged, other values as JSON, undefined as the empty text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
