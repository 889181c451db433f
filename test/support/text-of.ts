/** A value of a field as text: itself where it is text, else its JSON; of nothing the empty text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
