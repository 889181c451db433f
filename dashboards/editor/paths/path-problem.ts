/** Folders of what was imported from the chain: nothing of a project lies there. */
const reserved = new Set(['deps', 'imports', '_'])
const windowsNames = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)/i
const unseen = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/u
const maxSegmentBytes = 200
const maxBytes = 400
const maxDepth = 10

/**
 * Says what is wrong with a path of a file or folder, so that people learn it while they type; the service that keeps projects decides.
 * @param others paths of the project's other files
 * @param folders its other folders, which may be empty
 * @returns undefined for one that can be taken
 */
export function pathProblem(path: string, others: Iterable<string> = [], folders: Iterable<string> = []): string | undefined {
  if (path === '') return 'Give it a name.'
  if (path.startsWith('/')) return 'A path begins within the project: leave out the first slash.'
  if (path.includes('\\')) return 'Folders are parted by / and not by \\.'
  if (unseen.test(path)) return 'The name has a character that cannot be seen.'
  if (path.normalize('NFC') !== path) return 'The name has letters that are put together of several characters (NFC is wanted): type it again.'
  const segments = path.split('/')
  if (segments.length > maxDepth) return `Folders may be ${maxDepth} deep.`
  for (const segment of segments) {
    const problem = segmentProblem(segment)
    if (problem !== undefined) return problem
  }
  if (bytesOf(path) > maxBytes) return `A path has at most ${maxBytes} bytes.`
  if (reserved.has(foldedPath(segments[0] ?? ''))) return `${segments[0] ?? ''}/ is kept for what is imported from the chain.`
  return clash(path, others) ?? folderClash(path, folders)
}

function segmentProblem(segment: string): string | undefined {
  if (segment === '') return 'A folder in this path has no name.'
  if (segment === '.' || segment === '..') return 'A path has no . and no .. in it.'
  if (/[. ]$/.test(segment) || segment.startsWith(' ')) return 'A name neither begins nor ends with a space, and does not end with a dot.'
  if (/[<>:"|?*]/.test(segment)) return 'A name has none of < > : " | ? *'
  if (windowsNames.test(segment)) return `${segment} is a name that Windows keeps for itself.`
  return bytesOf(segment) > maxSegmentBytes ? `A name has at most ${maxSegmentBytes} bytes.` : undefined
}

/** Two names that some file systems take for one are one, and nothing is both a file and a folder. */
function clash(path: string, others: Iterable<string>): string | undefined {
  const folded = foldedPath(path)
  for (const other of others) {
    const taken = foldedPath(other)
    if (taken === folded) return other === path ? `${other} is there already.` : `${other} is there already: names that differ in case alone are one to some computers.`
    if (folded.startsWith(`${taken}/`)) return `${other} is a file: nothing can be below it.`
    if (taken.startsWith(`${folded}/`)) return `${path} is a folder already.`
  }
  return undefined
}

/** Below a folder is room, and for each name of a folder one folder. */
function folderClash(path: string, folders: Iterable<string>): string | undefined {
  const folded = foldedPath(path)
  for (const folder of folders) {
    const taken = foldedPath(folder)
    if (taken === folded || taken.startsWith(`${folded}/`)) return `${taken === folded ? folder : path} is a folder already.`
  }
  return undefined
}

/** What a path is compared by. */
export function foldedPath(path: string): string {
  return path.normalize('NFKC').toLowerCase()
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length
}
