import { readRepositoryFile } from './repository.ts'

/** A file that a page of the documentation gives, or a change of one that is there. */
export interface PageBlock {
  /** As the page names it, from the root. */
  readonly path: string
  readonly kind: 'file' | 'change'
  readonly text: string
}

/**
 * The code blocks of a page that are files: each stands below a line that begins with the file's name in code and
 * ends with a colon. Blocks of `diff` are changes; one that follows another directly is of the same file.
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

/** The commands of npm on a page, as typed: those in blocks of `sh` and in tables. */
export function npmCommands(page: string): string[] {
  return [
    ...readRepositoryFile(page).matchAll(
      /(?:^|`)(?:\w+=\S+ )*(npm (?:run [\w:-]+|start|test)(?: -- [^`\n]*)?)(?=`|$)/gm,
    ),
  ].map(([, command = '']) => command)
}

/**
 * Applies a change as `diff` shows it, without places: the lines that stay or go must be there once, in a row.
 * @throws RangeError when they are not
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
