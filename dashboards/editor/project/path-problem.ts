/** Folders of imported contracts. */
const reserved = new Set(['deps', 'imports', '_'])
const reservedNames = /^(con|prn|aux|nul|conin\$|conout\$|com\d|lpt\d|\.git|git~\d+)$/
const reservedCharacters = /[<>:"|?*\\]/
const invisible = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u
const maxSegmentBytes = 200
const maxBytes = 400
const maxKeyBytes = 1200
const maxDepth = 10

/**
 * By the rules of the projects service. @param others paths of the project's other files @param
 * folders its other folders @returns undefined if the path is valid
 */
export function pathProblem(
  path: string,
  others: Iterable<string> = [],
  folders: Iterable<string> = [],
): string | undefined {
  if (path === '') return 'Enter a name.'
  if (path.startsWith('/')) return 'A path must not start with /.'
  if (path.includes('\\')) return 'Separate folders with /, not with \\.'
  if (bytesOf(path) > maxBytes) return `The path is too long: the limit is ${maxBytes} bytes.`
  if (invisible.test(path)) return 'The name contains an invisible character.'
  if (path.normalize('NFC') !== path) return 'The name is not in Unicode NFC. Type it again.'
  const segments = path.split('/')
  if (segments.length > maxDepth) return `The path has too many folders: the limit is ${maxDepth} levels.`
  for (const segment of segments) {
    const problem = segmentProblem(segment)
    if (problem !== undefined) return problem
  }
  if (bytesOf(foldedPath(path)) > maxKeyBytes) return 'The name is too long after Unicode normalization. Shorten it.'
  if (reserved.has(foldedPath(segments[0] ?? ''))) return `${segments[0] ?? ''}/ is reserved for imported contracts.`
  return clash(path, [...others], folders)
}

function segmentProblem(segment: string): string | undefined {
  if (segment === '') return 'The path contains an empty folder name.'
  if (segment === '.' || segment === '..') return 'The path must not contain . or .. as a folder.'
  if (/[. ]$/.test(segment) || segment.startsWith(' '))
    return 'A name must not start or end with a space, or end with a dot.'
  if (reservedCharacters.test(segment)) return 'A name must not contain < > : " | ? *'
  if (/^\p{M}/u.test(segment)) return 'A name must not start with a combining mark.'
  if (bytesOf(segment) > maxSegmentBytes) return `The name is too long: the limit is ${maxSegmentBytes} bytes.`
  const key = foldedPath(segment)
  if (
    key.includes('/') ||
    reservedCharacters.test(key) ||
    invisible.test(key) ||
    /^[ .]*$|^ |[ .]$/.test(key) ||
    /^\p{M}/u.test(key)
  ) {
    return `${segment} contains a character that normalizes to a forbidden one. Replace it.`
  }
  const [base = ''] = key.split('.', 1)
  if (reservedNames.test(key) || reservedNames.test(base.trimEnd()))
    return `${segment} is a name reserved by ${key.includes('git') ? 'Git' : 'Windows'}.`
  return undefined
}

/** Names that some file systems treat as equal count as one; no path is both file and folder. */
function clash(path: string, others: readonly string[], folders: Iterable<string>): string | undefined {
  const folded = foldedPath(path)
  for (const other of others) {
    const taken = foldedPath(other)
    if (taken === folded)
      return other === path ? `${other} already exists.` : `${other} already exists: some file systems ignore case.`
    if (folded.startsWith(`${taken}/`)) return `${other} is a file, so it cannot contain other files.`
    if (taken.startsWith(`${folded}/`)) return `${path} is already a folder.`
  }
  for (const folder of folders) {
    const taken = foldedPath(folder)
    if (taken === folded || taken.startsWith(`${folded}/`))
      return `${taken === folded ? folder : path} is already a folder.`
  }
  const written = new Map(
    [...others.flatMap(foldersAbove), ...[...folders].flatMap((folder) => [...foldersAbove(folder), folder])].map(
      (folder) => [foldedPath(folder), folder],
    ),
  )
  for (const folder of foldersAbove(path)) {
    const there = written.get(foldedPath(folder))
    if (there !== undefined && there !== folder) return `The folder already exists as ${there}. Use the same spelling.`
  }
  return undefined
}

function foldersAbove(path: string): string[] {
  const segments = path.split('/')
  return segments.slice(1).map((_, at) => segments.slice(0, at + 1).join('/'))
}

/** Case-insensitive and NFKC. */
function foldedPath(path: string): string {
  if (/^[ -~]*$/.test(path)) return path.toLowerCase()
  let key = foldedOnce(path)
  // The lower case of some characters has another compatibility form.
  for (let next = foldedOnce(key); next !== key; next = foldedOnce(key)) key = next
  return key
}

/** Upper case first: ß becomes SS, and both sigmas are equal. */
function foldedOnce(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC')
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}
