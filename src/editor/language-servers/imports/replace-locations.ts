import type { ImportLocation } from './import-statements.ts'

/** Another place for an import to lead to. */
export interface LocationChange {
  readonly location: ImportLocation
  /** What is to stand in the quotes: no quote, no backslash and no line break. */
  readonly path: string
}

/** What may follow a literal that becomes longer: nothing that has a place of its own. */
const restOfLine = /[ \t;]*(?:\/\/[^\n\r]*)?(?=[\n\r]|$)/y

/**
 * Writes other locations into a source. A shorter literal is filled up with blanks behind it, so that nothing moves; a longer one is written only where
 * nothing else follows on its line, so that everything stays where it was up to the literal itself. Where neither is possible the import stays as it is.
 * @param changes in the order of the source
 */
export function replaceLocations(code: string, changes: readonly LocationChange[]): string {
  const parts: string[] = []
  let done = 0
  for (const {
    location: { start, end },
    path,
  } of changes) {
    const literal = `"${path}"`
    const length = end - start
    restOfLine.lastIndex = end
    if (literal.length > length && !restOfLine.test(code)) continue
    // A name may follow `from` with nothing between them, which a string may as well.
    parts.push(code.slice(done, start), literal.padEnd(length))
    done = end
  }
  return parts.join('') + code.slice(done)
}

/** The source with stretches of it made blank; line breaks stay. @param stretches in the order of the source */
export function blankOut(
  code: string,
  stretches: ReadonlyArray<{ readonly start: number; readonly end: number }>,
): string {
  const parts: string[] = []
  let done = 0
  for (const { start, end } of stretches) {
    parts.push(code.slice(done, start), code.slice(start, end).replaceAll(/[^\n\r]/g, ' '))
    done = end
  }
  return parts.join('') + code.slice(done)
}
