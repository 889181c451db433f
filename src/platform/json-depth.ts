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
    level = level.flatMap((item) =>
      typeof item === 'object' && item !== null ? (Object.values(item) as unknown[]) : [],
    )
    if (level.length === 0) return true
  }
  return false
}

const [quote, backslash, openList, closeList, openObject, closeObject] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d]

/** The same of JSON that was not parsed yet, which takes a second where it is some megabytes of brackets. @param text in UTF-8, which may be no JSON */
export function isShallowText(text: Uint8Array, mostLevels = mostJsonLevels): boolean {
  let level = 0
  for (let i = 0; i < text.length; i++) {
    const byte = text[i]
    if (byte === quote) i = endOfText(text, i + 1)
    else if (byte === openList || byte === openObject) {
      level++
      if (level > mostLevels) return false
    } else if (byte === closeList || byte === closeObject) level--
  }
  return true
}

/** Bytes that are looked at one by one: to have the system search costs as much. */
const fewBytes = 32

/** Where the quote is that ends a text; the length of all where there is none. @param from behind its first quote */
function endOfText(text: Uint8Array, from: number): number {
  let at = from
  for (const few = Math.min(from + fewBytes, text.length); at < few; at++) {
    if (text[at] === quote) return at
    if (text[at] === backslash) at++
  }
  for (let end = text.indexOf(quote, at); end >= 0; end = text.indexOf(quote, end + 1)) {
    let first = end
    while (first > at && text[first - 1] === backslash) first--
    if ((end - first) % 2 === 0) return end
  }
  return text.length
}

export function tooDeep(): ApiError {
  return new ApiError(400, 'too-deep', `Lists and objects may be within each other ${mostJsonLevels} deep.`)
}
