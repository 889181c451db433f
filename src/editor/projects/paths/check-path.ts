import { pathKey } from './path-key.ts'
import { mostKeyBytes, pathRules } from './path-rules.ts'
import type { PathProblem, PathRule } from './path-rules.ts'

type Finding = readonly [rule: PathRule, text: string]

/**
 * Controls, formats (direction, width nothing), halves of characters, private ones, those that Unicode has not given out (what their plain form is may
 * change), blanks other than a space, and what is drawn as nothing.
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
  const { mostBytes, mostSegments } = pathRules
  if (path === '') return ['empty', 'is empty; give a name']
  // Units are at most as many as bytes: what is far too long is not looked at further.
  if (path.length > mostBytes || Buffer.byteLength(path) > mostBytes)
    return ['too-long', `has more than ${mostBytes} bytes; shorten it`]
  if (!path.isWellFormed()) return ['broken-text', 'has half of a character; write whole ones']
  if (hidden.test(path)) return ['hidden-character', 'has a character that cannot be seen; leave it out']
  if (path.normalize('NFC') !== path) return ['not-nfc', 'is not in the Unicode form NFC; normalize it']
  if (path.includes('\\')) return ['backslash', 'has a backslash; folders are separated by /']
  if (path.startsWith('/')) return ['absolute', 'begins with /; paths begin at the top of the project']
  if (path.split('/').length > mostSegments) return ['too-deep', `is more than ${mostSegments} deep; use fewer folders`]
  return undefined
}

function inSegment(segment: string): Finding | undefined {
  const { mostSegmentBytes } = pathRules
  if (segment === '')
    return ['empty-segment', 'has a folder or a file without a name; leave out the / that is too many']
  if (segment === '.' || segment === '..') return ['dot-segment', 'has . or .. between slashes; write where it leads']
  if (Buffer.byteLength(segment) > mostSegmentBytes)
    return ['segment-too-long', `has a name of more than ${mostSegmentBytes} bytes; shorten it`]
  if (hasReserved(segment))
    return ['reserved-character', `has one of ${pathRules.reservedCharacters.slice(1)} in a name; leave it out`]
  if (/^ |[ .]$/.test(segment))
    return ['blank-or-dot-at-end', 'has a name that begins with a space, or ends with a space or a dot; leave it out']
  if (/^\p{M}/u.test(segment))
    return ['begins-with-mark', 'has a name that begins with an accent without a letter; leave it out']
  return inSegmentKey(pathKey(segment))
}

/** What a name turns into where compatible characters are taken for the same, as some file systems do: `．．`, `a／b`, `ＣＯＮ`. */
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
  if (Buffer.byteLength(key) > mostKeyBytes)
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
