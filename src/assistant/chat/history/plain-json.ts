/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A copy whose texts are well-formed: half a character, which JSON can hold, is refused by providers. @param value as JSON has it, not deep */
export function wellFormedJson(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormedJson)
  if (!isJsonObject(value)) return value
  // Not by assignment, which would take a field `__proto__` for something else.
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name.toWellFormed(), wellFormedJson(part)]))
}

/** The beginning of a text that is too long, with a remark that it is one; the text itself otherwise. */
export function cutText(text: string, mostCharacters: number): string {
  if (text.length <= mostCharacters) return text
  return `${text.slice(0, mostCharacters).toWellFormed()}\n… (cut here: the first ${mostCharacters} of ${text.length} characters)`
}

/** The shortest that texts within a value are cut to, before all of it is. */
const leastTextCharacters = 250

/**
 * A well-formed copy that has at most so many characters when it is written. Its texts are cut first, so that it keeps its form; where
 * that is not enough, it is the beginning of what is written.
 */
export function boundedJson(value: unknown, mostCharacters: number): unknown {
  const written = JSON.stringify(value)
  if (written.length <= mostCharacters) return wellFormedJson(value)
  const fits = (shorter: unknown): boolean => JSON.stringify(shorter).length <= mostCharacters
  // Whether it helps at all is asked first: what is long by its numbers, or by many short texts, may be very long.
  if (typeof value !== 'string' && fits(withShortTexts(value, leastTextCharacters))) {
    for (let most = mostCharacters / 2; most >= leastTextCharacters; most /= 2) {
      const shorter = withShortTexts(value, Math.floor(most))
      if (fits(shorter)) return wellFormedJson(shorter)
    }
    return wellFormedJson(withShortTexts(value, leastTextCharacters))
  }
  return cutText(typeof value === 'string' ? value.toWellFormed() : written, mostCharacters)
}

function withShortTexts(value: unknown, most: number): unknown {
  if (typeof value === 'string') return cutText(value, most)
  if (Array.isArray(value)) return value.map((part) => withShortTexts(part, most))
  return isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, part]) => [name, withShortTexts(part, most)]))
    : value
}
