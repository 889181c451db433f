import { readRepositoryFile } from './repository.ts'

/** A file on a documentation page, or a change to an existing file. */
export interface PageBlock {
  /** The path on the page, from the root. */
  readonly path: string
  readonly kind: 'file' | 'change'
  readonly text: string
}

/**
 * The code blocks of a page that are files. A line with the file name in code and a colon precedes
 * each. `diff` blocks are changes. One that directly follows another is of the same file.
 */
export function pageBlocks(page: string): PageBlock[] {
  const blocks: PageBlock[] = []
  const pattern = /(?:^`([\w./-]+)`[^\n]*:\n\n|```\n\n)```(\w+)\n(.*?)^(?=```$)/gms
  const text = readRepositoryFile(page)
  let path: string | undefined
  for (let at = 0; ;) {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found === null) return blocks
    const [all, name, language, content = ''] = found
    path = name ?? (language === 'diff' ? path : undefined)
    if (path !== undefined) blocks.push({ path, kind: language === 'diff' ? 'change' : 'file', text: content })
    at = found.index + all.length
  }
}

/** The npm commands of a page as typed, in `sh` blocks and in tables. */
export function npmCommands(page: string): string[] {
  return [
    ...readRepositoryFile(page).matchAll(
      /(?:^|`)(?:\w+=\S+ )*(npm (?:run [\w:-]+|start|test)(?: -- [^`\n]*)?)(?=`|$)/gm,
    ),
  ].map(([, command = '']) => command)
}

/**
 * Applies a diff without line numbers: its context and removed lines must occur exactly once, in
 * sequence.
 *
 * @throws RangeError if they do not
 */
export function applyChange(text: string, change: string): string {
  const lines = change.replace(/\n$/, '').split('\n')
  const side = (other: string): string =>
    lines
      .filter((line) => !line.startsWith(other))
      .map((line) => `${line.slice(1)}\n`)
      .join('')
  const [before, after] = [side('+'), side('-')]
  if (text.split(before).length !== 2) throw new RangeError(`there is not one place for this change:\n${change}`)
  return text.replace(before, () => after)
}
