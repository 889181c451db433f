/** Folders of what was imported from the chain: nothing of a project lies there. */
const reserved = new Set(['deps', 'imports', '_'])
const keptNames = /^(con|prn|aux|nul|conin\$|conout\$|com\d|lpt\d|\.git|git~\d+)$/
const keptCharacters = /[<>:"|?*\\]/
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u
const maxSegmentBytes = 200
const maxBytes = 400
const maxKeyBytes = 1200
const maxDepth = 10

/**
 * Says what is wrong with a path of a file or folder, so that people learn it while they type. These are the rules of
 * the service that keeps projects, which decides: a name that it refuses would keep all of the project from being
 * saved.
 * @param others paths of the project's other files
 * @param folders its other folders, which may be empty
 * @returns undefined for one that can be taken
 */
export function pathProblem(
  path: string,
  others: Iterable<string> = [],
  folders: Iterable<string> = [],
): string | undefined {
  if (path === '') return 'Give it a name.'
  if (path.startsWith('/')) return 'A path begins within the project: leave out the first slash.'
  if (path.includes('\\')) return 'Folders are parted by / and not by \\.'
  if (bytesOf(path) > maxBytes) return `A path has at most ${maxBytes} bytes.`
  if (unseen.test(path)) return 'The name has a character that cannot be seen.'
  if (path.normalize('NFC') !== path)
    return 'The name has letters that are put together of several characters (NFC is wanted): type it again.'
  const segments = path.split('/')
  if (segments.length > maxDepth) return `Folders may be ${maxDepth} deep.`
  for (const segment of segments) {
    const problem = segmentProblem(segment)
    if (problem !== undefined) return problem
  }
  if (bytesOf(foldedPath(path)) > maxKeyBytes)
    return 'The name has too many characters that stand for several others: make it shorter.'
  if (reserved.has(foldedPath(segments[0] ?? '')))
    return `${segments[0] ?? ''}/ is kept for what is imported from the chain.`
  return clash(path, [...others], folders)
}

function segmentProblem(segment: string): string | undefined {
  if (segment === '') return 'A folder in this path has no name.'
  if (segment === '.' || segment === '..') return 'A path has no . and no .. in it.'
  if (/[. ]$/.test(segment) || segment.startsWith(' '))
    return 'A name neither begins nor ends with a space, and does not end with a dot.'
  if (keptCharacters.test(segment)) return 'A name has none of < > : " | ? *'
  if (/^\p{M}/u.test(segment)) return 'A name does not begin with an accent that has no letter.'
  if (bytesOf(segment) > maxSegmentBytes) return `A name has at most ${maxSegmentBytes} bytes.`
  const key = foldedPath(segment)
  if (
    key.includes('/') ||
    keptCharacters.test(key) ||
    unseen.test(key) ||
    /^[ .]*$|^ |[ .]$/.test(key) ||
    /^\p{M}/u.test(key)
  ) {
    return `${segment} has a character that stands for others which no name may have: write it by plain ones.`
  }
  const [base = ''] = key.split('.', 1)
  if (keptNames.test(key) || keptNames.test(base.trimEnd()))
    return `${segment} is a name that ${key.includes('git') ? 'Git' : 'Windows'} keeps for itself.`
  return undefined
}

/** Names that some file systems treat as equal count as one; no path is both file and folder. */
function clash(path: string, others: readonly string[], folders: Iterable<string>): string | undefined {
  const folded = foldedPath(path)
  for (const other of others) {
    const taken = foldedPath(other)
    if (taken === folded)
      return other === path
        ? `${other} is there already.`
        : `${other} is there already: names that differ in case alone are one to some computers.`
    if (folded.startsWith(`${taken}/`)) return `${other} is a file: nothing can be below it.`
    if (taken.startsWith(`${folded}/`)) return `${path} is a folder already.`
  }
  for (const folder of folders) {
    const taken = foldedPath(folder)
    if (taken === folded || taken.startsWith(`${folded}/`))
      return `${taken === folded ? folder : path} is a folder already.`
  }
  const written = new Map(
    [...others.flatMap(foldersAbove), ...[...folders].flatMap((folder) => [...foldersAbove(folder), folder])].map(
      (folder) => [foldedPath(folder), folder],
    ),
  )
  for (const folder of foldersAbove(path)) {
    const there = written.get(foldedPath(folder))
    if (there !== undefined && there !== folder) return `The folder ${there} is there already: write it like that.`
  }
  return undefined
}

/** `a/b/c.cdc`: `a`, `a/b`. */
function foldersAbove(path: string): string[] {
  const segments = path.split('/')
  return segments.slice(1).map((_, at) => segments.slice(0, at + 1).join('/'))
}

/** What a path is compared by: neither upper case nor compatible forms of characters make a difference. */
function foldedPath(path: string): string {
  if (/^[ -~]*$/.test(path)) return path.toLowerCase()
  let key = foldedOnce(path)
  // A few characters need a second turn: their lower case has a compatible form of its own.
  for (let next = foldedOnce(key); next !== key; next = foldedOnce(key)) key = next
  return key
}

/** Upper case first: ß is SS there, and both sigmas are one. */
function foldedOnce(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC')
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}
