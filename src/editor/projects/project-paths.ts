import { projectError } from './project-error.ts'
import type { ApiError } from '../../platform/errors.ts'

/** Also sent to the page. */
export const pathRules = {
  /** UTF-8. */
  maxBytes: 400,
  maxSegmentBytes: 200,
  /** `a/b/c.cdc` has three. */
  maxSegments: 10,
  /** Unsaved folders of editors and language servers. */
  reservedFolders: ['deps', 'imports', '_'],
  /** Reserved on Windows with any extension, or by Git. */
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
  /** Reserved on some file system. */
  reservedCharacters: '\\:*?"<>|',
} as const

/** Keys are longer than paths where one character folds to several. */
export const maxKeyBytes = 1200

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
  readonly text: string
}

/** Equal for paths that differ only by case or compatible characters (Ａ, ﬁ, ²). */
export function pathKey(path: string): string {
  if (/^[ -~]*$/.test(path)) return path.toLowerCase()
  let key = folded(path)
  // The lower case of some characters has a compatible form.
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
 * Controls, formats, surrogates, private and unassigned characters (whose compatible form may
 * change), blanks other than a space, invisible characters.
 */
const hidden = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/u

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
  // UTF-16 units never exceed bytes.
  if (path.length > maxBytes || Buffer.byteLength(path) > maxBytes)
    return ['too-long', `is longer than ${maxBytes} bytes; shorten it`]
  if (!path.isWellFormed()) return ['broken-text', 'contains a lone surrogate; remove it']
  if (hidden.test(path)) return ['hidden-character', 'contains an invisible character; remove it']
  if (path.normalize('NFC') !== path) return ['not-nfc', 'is not in the Unicode form NFC; normalize it']
  if (path.includes('\\')) return ['backslash', 'contains a backslash; folders are separated by /']
  if (path.startsWith('/')) return ['absolute', 'starts with /; use a path relative to the project']
  if (path.split('/').length > maxSegments) return ['too-deep', `is more than ${maxSegments} deep; use fewer folders`]
  return undefined
}

function inSegment(segment: string): Finding | undefined {
  const { maxSegmentBytes } = pathRules
  if (segment === '') return ['empty-segment', 'contains an empty name; remove the extra /']
  if (segment === '.' || segment === '..') return ['dot-segment', 'contains . or ..; use the resolved path']
  if (Buffer.byteLength(segment) > maxSegmentBytes)
    return ['segment-too-long', `contains a name longer than ${maxSegmentBytes} bytes; shorten it`]
  if (hasReserved(segment))
    return ['reserved-character', `has one of ${pathRules.reservedCharacters.slice(1)} in a name; remove it`]
  if (/^ |[ .]$/.test(segment))
    return ['blank-or-dot-at-end', 'contains a name that starts with a space or ends with a space or dot; remove it']
  if (/^\p{M}/u.test(segment))
    return ['begins-with-mark', 'contains a name that starts with a combining mark; remove it']
  return inSegmentKey(pathKey(segment))
}

/** Compatible characters are equal: `．．`, `a／b`, `ＣＯＮ`. */
function inSegmentKey(key: string): Finding | undefined {
  if (
    key.includes('/') ||
    hasReserved(key) ||
    hidden.test(key) ||
    /^[ .]*$|^ |[ .]$/.test(key) ||
    /^\p{M}/u.test(key)
  ) {
    return ['look-alike', 'contains a look-alike of a reserved character; replace it']
  }
  const [base = ''] = key.split('.', 1)
  if (isReserved(key) || (base !== '' && isReserved(base.trimEnd())))
    return ['reserved-name', 'contains a name that is reserved on some system; choose another']
  return undefined
}

function inKey(path: string): Finding | undefined {
  const key = pathKey(path)
  if (Buffer.byteLength(key) > maxKeyBytes) return ['too-long', 'is too long after Unicode folding; shorten it']
  const [top = ''] = key.split('/', 1)
  if (pathRules.reservedFolders.some((name) => name === top)) {
    return ['reserved-folder', `is in ${top}/, which is reserved for imported contracts; choose another folder`]
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

export class ProjectTree {
  readonly #files = new Map<string, string>()
  readonly #folders = new Map<string, string>()

  keepFile(path: string): void {
    this.#files.set(pathKey(path), path)
    for (const folder of foldersAbove(path)) this.#folders.set(pathKey(folder), folder)
  }

  keepFolder(path: string): void {
    for (const folder of [...foldersAbove(path), path]) this.#folders.set(pathKey(folder), folder)
  }

  /** @returns why the file does not fit; then it is not added */
  addFile(path: string): PathProblem | undefined {
    const key = pathKey(path)
    const other = this.#files.get(key)
    if (other === path) return undefined
    if (other !== undefined) {
      return {
        path,
        rule: 'same-path',
        text: `is too similar to the file ${other}; delete that file in the same save or choose another name`,
      }
    }
    const folder = this.#folders.get(key)
    if (folder !== undefined)
      return { path, rule: 'file-and-folder', text: `is a file, but ${folder} is a folder; choose another name` }
    const problem = this.#checkFolders(path, foldersAbove(path))
    if (problem === undefined) this.keepFile(path)
    return problem
  }

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
          text: `needs the folder ${folder}, but ${file} is a file; choose another name`,
        }
      const other = this.#folders.get(key)
      if (other !== undefined && other !== folder) {
        return {
          path,
          rule: 'other-spelling',
          text: `needs the folder ${folder}, which exists as ${other}; use that spelling`,
        }
      }
    }
    return undefined
  }
}

/** `error` has the path and rule. */
export function invalidPath({ path, rule, text }: PathProblem): ApiError {
  return projectError('INVALID_PATH', `Path ${shown(path)} ${text}.`, { facts: { path: path.slice(0, 1000), rule } })
}

/** Shows invisible characters by code point. */
function shown(path: string): string {
  const short = path.length > 200 ? `${path.slice(0, 200)}…` : path
  const escaped = short.replaceAll(
    /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}"\\]/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  )
  return `"${escaped}"`
}
