import type { Files } from './file-changes.ts'

interface FileMatch {
  readonly path: string
  /** Both count from 1. */
  readonly line: number
  readonly column: number
  /** Parts of the line: before, within and after the match. */
  readonly parts: readonly [before: string, match: string, after: string]
}

interface SearchResult {
  readonly matches: readonly FileMatch[]
  /** There may be more: the search stopped at a limit. */
  readonly isPartial: boolean
}

export const maxMatches = 300
const maxMs = 250
const contextCharacters = 80

/** Plain text, at most one match per line. */
export function searchFiles(
  files: Files,
  text: string,
  { isCaseSensitive }: { isCaseSensitive: boolean },
): SearchResult {
  const matches: FileMatch[] = []
  if (text === '') return { matches, isPartial: false }
  const pattern = new RegExp(text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`), isCaseSensitive ? 'u' : 'iu')
  const end = performance.now() + maxMs
  for (const [path, code] of [...files].toSorted(([one], [other]) => one.localeCompare(other, 'en'))) {
    for (const [at, line] of code.split('\n').entries()) {
      const found = pattern.exec(line)
      if (found === null) continue
      const to = found.index + found[0].length
      matches.push({
        path,
        line: at + 1,
        column: found.index + 1,
        parts: [
          line.slice(Math.max(0, found.index - contextCharacters), found.index).trimStart(),
          found[0],
          line.slice(to, to + contextCharacters),
        ],
      })
      if (matches.length === maxMatches) return { matches, isPartial: true }
    }
    if (performance.now() > end) return { matches, isPartial: true }
  }
  return { matches, isPartial: false }
}
