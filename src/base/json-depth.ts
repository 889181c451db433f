import { ApiError } from './errors.ts'

/** Deeper than anything that a person or a program means: arguments of scripts nest by three for each level of Cadence. */
export const mostJsonLevels = 200

/**
 * Whether lists and objects are within each other at most so deep. What reads a value by calling itself, as `JSON.stringify` does, ends
 * with a full stack for one that is deeper than some thousands, which fit into a few kilobytes.
 */
export function isShallow(value: unknown, mostLevels = mostJsonLevels): boolean {
  let level: readonly unknown[] = [value]
  for (let depth = 0; depth <= mostLevels; depth++) {
    level = level.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) as unknown[] : []))
    if (level.length === 0) return true
  }
  return false
}

const [quote, backslash, openList, closeList, openObject, closeObject] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d]

/** The same of JSON that was not parsed yet, which takes a second where it is some megabytes of brackets. @param text in UTF-8, which may be no JSON */
export function isShallowText(text: Uint8Array, mostLevels = mostJsonLevels): boolean {
  let level = 0
  let isInText = false
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]
    if (isInText) {
      if (byte === backslash) i++
      else if (byte === quote) isInText = false
    } else if (byte === quote) isInText = true
    else if (byte === openList || byte === openObject) {
      level++
      if (level > mostLevels) return false
    } else if (byte === closeList || byte === closeObject) level--
  }
  return true
}

export function tooDeep(): ApiError {
  return new ApiError(400, 'too-deep', `Lists and objects may be within each other ${mostJsonLevels} deep.`)
}
