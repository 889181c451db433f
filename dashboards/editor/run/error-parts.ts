/** A piece of what a node said went wrong: words, or a place in the script that was run. */
export type ErrorPart =
  | { readonly kind: 'text'; readonly text: string }
  /** `line` and `column` count from 1. */
  | { readonly kind: 'place'; readonly text: string; readonly line: number; readonly column: number }

/** Scripts are named by the hash of their text, contracts by address and name. */
const place = /(-->\s+)([0-9a-f]{64}):(\d{1,7}):(\d{1,7})/g

/** Finds in the message of a node the places of the script that it names, such as ` --> 9fe9….:3:9`, whose column counts from 0. */
export function errorParts(message: string): readonly ErrorPart[] {
  const parts: ErrorPart[] = []
  let end = 0
  for (const found of message.matchAll(place)) {
    const [whole, arrow = '', , line, column] = found
    const text = message.slice(end, found.index) + arrow
    if (text !== '') parts.push({ kind: 'text', text })
    parts.push({
      kind: 'place',
      text: `line ${line}, column ${Number(column) + 1}`,
      line: Number(line),
      column: Number(column) + 1,
    })
    end = found.index + whole.length
  }
  if (end < message.length) parts.push({ kind: 'text', text: message.slice(end) })
  return parts
}

/** The line that says most: what Cadence calls the error. */
export function errorTitle(message: string): string {
  const lines = message
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const told =
    lines.find((line) => line.startsWith('error: '))?.replace(/^error: /, '') ?? lines[0] ?? 'The script failed.'
  return told.length > 300 ? `${told.slice(0, 300)}…` : told
}
