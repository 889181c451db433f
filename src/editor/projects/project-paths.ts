import { projectError } from './project-error.ts'
import type { ApiError } from '../../platform/errors.ts'

/** What a path of a project may be, as far as numbers and names go; the editor's page is told them too. */
export const pathRules = {
  /** Bytes in UTF-8. */
  maxBytes: 400,
  maxSegmentBytes: 200,
  /** Segments: `a/b/c.cdc` has three. */
  maxSegments: 10,
  /** Of what editors and language servers have beside the project and nobody saves: contracts that its code imports. */
  reservedFolders: ['deps', 'imports', '_'],
  /** No file system of Windows takes these, whatever follows after a dot; git does not take its own. */
  reservedNames: [
    'con',
    'prn',
    'aux',
    'nul',
    'conin$',
    'conout$',
    '.git',
    'git~1',
    ...['com', 'lpt'].flatMap((device) => Array.from({ length: 10 }, (_, i) => `${device}${i}`)),
  ],
  /** Characters that have a meaning of their own for some file system. */
  reservedCharacters: '\\:*?"<>|',
} as const

/** Bytes of the key of a path, which is longer than the path where one character stands for several. */
export const maxKeyBytes = 1200

/** Why a path is refused. */
export type PathRule =
  | 'empty'
  | 'too-long'
  | 'segment-too-long'
  | 'too-deep'
  | 'broken-text'
  | 'not-nfc'
  | 'hidden-character'
  | 'absolute'
  | 'empty-segment'
  | 'dot-segment'
  | 'backslash'
  | 'reserved-character'
  | 'blank-or-dot-at-end'
  | 'begins-with-mark'
  | 'look-alike'
  | 'reserved-name'
  | 'reserved-folder'
  | 'same-path'
  | 'other-spelling'
  | 'file-and-folder'

interface PathProblem {
  readonly path: string
  readonly rule: PathRule
  /** What is wrong and what to do, to follow after the path. */
  readonly text: string
}

/** Equal for paths that differ by case or compatible characters (Ａ, ﬁ, ²) only. A key is its own key. */
export function pathKey(path: string): string {
  // Most paths are plain, and a save asks for hundreds.
  if (/^[ -~]*$/.test(path)) return path.toLowerCase()
  let key = folded(path)
  // A few characters need a second turn: their lower case has a compatible form of its own.
  for (let next = folded(key); next !== key; next = folded(key)) key = next
  return key
}

/** Upper case first: ß becomes SS, and both sigmas one; `toLowerCase` restores the final sigma. */
function folded(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ').normalize('NFKC')
}

/** `a/b/c.cdc`: `a`, `a/b`. */
export function foldersAbove(path: string): string[] {
  const segments = path.split('/')
  return segments.slice(1).map((_, i) => segments.slice(0, i + 1).join('/'))
}

type Finding = readonly [rule: PathRule, text: string]

/**
 * Controls, formats, surrogates, private and unassigned characters (whose compatible form may change), blanks other
 * than a space, and invisible characters.
 */
const hidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u

/**
 * Whether a path may be one of a project, by itself: of a file or of a folder.
 * @returns undefined where it may; else the first rule that it breaks
 */
export function checkPath(path: string): PathProblem | undefined {
  const finding =
    inWhole(path) ??
    path
      .split('/')
      .map(inSegment)
      .find((found) => found !== undefined) ??
    inKey(path)
  if (finding === undefined) return undefined
  const [rule, text] = finding
  return { path, rule, text }
}

function inWhole(path: string): Finding | undefined {
  const { maxBytes, maxSegments } = pathRules
  if (path === '') return ['empty', 'is empty; give a name']
  // Units are at most as many as bytes: what is far too long is not looked at further.
  if (path.length > maxBytes || Buffer.byteLength(path) > maxBytes)
    return ['too-long', `has more than ${maxBytes} bytes; shorten it`]
  if (!path.isWellFormed()) return ['broken-text', 'has half of a character; write whole ones']
  if (hidden.test(path)) return ['hidden-character', 'has a character that cannot be seen; leave it out']
  if (path.normalize('NFC') !== path) return ['not-nfc', 'is not in the Unicode form NFC; normalize it']
  if (path.includes('\\')) return ['backslash', 'has a backslash; folders are separated by /']
  if (path.startsWith('/')) return ['absolute', 'begins with /; paths begin at the top of the project']
  if (path.split('/').length > maxSegments) return ['too-deep', `is more than ${maxSegments} deep; use fewer folders`]
  return undefined
}

function inSegment(segment: string): Finding | undefined {
  const { maxSegmentBytes } = pathRules
  if (segment === '')
    return ['empty-segment', 'has a folder or a file without a name; leave out the / that is too many']
  if (segment === '.' || segment === '..') return ['dot-segment', 'has . or .. between slashes; write where it leads']
  if (Buffer.byteLength(segment) > maxSegmentBytes)
    return ['segment-too-long', `has a name of more than ${maxSegmentBytes} bytes; shorten it`]
  if (hasReserved(segment))
    return ['reserved-character', `has one of ${pathRules.reservedCharacters.slice(1)} in a name; leave it out`]
  if (/^ |[ .]$/.test(segment))
    return ['blank-or-dot-at-end', 'has a name that begins with a space, or ends with a space or a dot; leave it out']
  if (/^\p{M}/u.test(segment))
    return ['begins-with-mark', 'has a name that begins with an accent without a letter; leave it out']
  return inSegmentKey(pathKey(segment))
}

/** What a name becomes where compatible characters count as equal: `．．`, `a／b`, `ＣＯＮ`. */
function inSegmentKey(key: string): Finding | undefined {
  if (
    key.includes('/') ||
    hasReserved(key) ||
    hidden.test(key) ||
    /^[ .]*$|^ |[ .]$/.test(key) ||
    /^\p{M}/u.test(key)
  ) {
    return ['look-alike', 'has a character that stands for others which no name may have; write it by plain ones']
  }
  const [base = ''] = key.split('.', 1)
  if (isReserved(key) || (base !== '' && isReserved(base.trimEnd())))
    return ['reserved-name', 'has a name that some system keeps for itself; choose another']
  return undefined
}

function inKey(path: string): Finding | undefined {
  const key = pathKey(path)
  if (Buffer.byteLength(key) > maxKeyBytes)
    return ['too-long', 'has too many characters that stand for several others; shorten it']
  const [top = ''] = key.split('/', 1)
  if (pathRules.reservedFolders.some((name) => name === top)) {
    return ['reserved-folder', `lies in ${top}/, where contracts that code imports are; choose another folder`]
  }
  return undefined
}

function hasReserved(text: string): boolean {
  return Array.from(pathRules.reservedCharacters).some((character) => text.includes(character))
}

function isReserved(name: string): boolean {
  // Windows numbers short names, and Git's folder may get any number.
  return /^git~\d+$/.test(name) || pathRules.reservedNames.some((reserved) => reserved === name)
}

/**
 * Files and folders of one project that fit any file system: no paths that differ by case or compatible characters
 * only, no folder in two spellings, no file where a folder is. Paths have passed `checkPath`.
 */
export class ProjectTree {
  /** By key, as they are written. */
  readonly #files = new Map<string, string>()
  readonly #folders = new Map<string, string>()

  /** Adds what is there already, whatever rules it was made under. */
  keepFile(path: string): void {
    this.#files.set(pathKey(path), path)
    for (const folder of foldersAbove(path)) this.#folders.set(pathKey(folder), folder)
  }

  /** The same of a folder. */
  keepFolder(path: string): void {
    for (const folder of [...foldersAbove(path), path]) this.#folders.set(pathKey(folder), folder)
  }

  /** @returns why the file does not fit; it is not added then */
  addFile(path: string): PathProblem | undefined {
    const key = pathKey(path)
    const other = this.#files.get(key)
    if (other === path) return undefined
    if (other !== undefined) {
      return {
        path,
        rule: 'same-path',
        text: `is too much like the file ${other}; delete that one in the same save, or choose another name`,
      }
    }
    const folder = this.#folders.get(key)
    if (folder !== undefined)
      return { path, rule: 'file-and-folder', text: `is a file, and ${folder} is a folder; choose another name` }
    const problem = this.#checkFolders(path, foldersAbove(path))
    if (problem === undefined) this.keepFile(path)
    return problem
  }

  /** The same of a folder. */
  addFolder(path: string): PathProblem | undefined {
    const problem = this.#checkFolders(path, [...foldersAbove(path), path])
    if (problem === undefined) this.keepFolder(path)
    return problem
  }

  #checkFolders(path: string, folders: readonly string[]): PathProblem | undefined {
    for (const folder of folders) {
      const key = pathKey(folder)
      const file = this.#files.get(key)
      if (file !== undefined)
        return {
          path,
          rule: 'file-and-folder',
          text: `needs the folder ${folder}, and ${file} is a file; choose another name`,
        }
      const other = this.#folders.get(key)
      if (other !== undefined && other !== folder) {
        return {
          path,
          rule: 'other-spelling',
          text: `needs the folder ${folder}, which is there as ${other}; write it like that`,
        }
      }
    }
    return undefined
  }
}

/** The path as it is, and the rule, are in `error` of the answer. */
export function invalidPath({ path, rule, text }: PathProblem): ApiError {
  return projectError('INVALID_PATH', `Path ${shown(path)} ${text}.`, { facts: { path: path.slice(0, 1000), rule } })
}

/** A path that a line can be read with: what hides in it or turns the line around is told by its number. */
function shown(path: string): string {
  const short = path.length > 200 ? `${path.slice(0, 200)}…` : path
  const escaped = short.replaceAll(
    /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}"\\]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
  return `"${escaped}"`
}
