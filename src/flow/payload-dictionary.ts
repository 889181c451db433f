import { PayloadError } from './payload-error.ts'
import { payloadLimits } from './payload-limits.ts'
import { setField } from './payload-value.ts'
import type { PayloadFields, PayloadValue } from './payload-value.ts'

/**
 * A dictionary's key as an object's name: text as it is, anything else as its JSON text (`true`, `null`). Each level of
 * dictionaries in keys doubles the text, so it is bounded.
 */
export function dictionaryKey(key: PayloadValue): string {
  if (typeof key === 'string') return key
  checkTextLength(key, payloadLimits.keyTextLength)
  return JSON.stringify(key)
}

/**
 * A dictionary as an object. Two keys of different types can have the same text (`1` and `"1"` in
 * `{HashableStruct: T}`); such a dictionary becomes a list of `{key, value}` so that no pair is lost, sorted by key and
 * value, since the two encodings order pairs differently.
 */
export function dictionaryOf(pairs: ReadonlyArray<readonly [key: PayloadValue, value: PayloadValue]>): PayloadValue {
  const fields: PayloadFields = {}
  const seen = new Set<string>()
  for (const [key, value] of pairs) {
    const name = dictionaryKey(key)
    seen.add(name)
    setField(fields, name, value)
  }
  return seen.size === pairs.length ? fields : listOfPairs(pairs)
}

function listOfPairs(pairs: ReadonlyArray<readonly [key: PayloadValue, value: PayloadValue]>): PayloadValue {
  checkTextLength(
    pairs.map(([key, value]) => [key, value]),
    payloadLimits.pairTextLength,
  )
  return pairs
    .map(([key, value]) => ({ text: canonicalText([key, value]), pair: { key, value } }))
    .sort((left, right) => (left.text < right.text ? -1 : left.text > right.text ? 1 : 0))
    .map(({ pair }) => pair)
}

/** Refuses a value whose JSON text is longer than `limit`, before that text is made. */
function checkTextLength(value: PayloadValue, limit: number): void {
  let left = limit
  const spend = (part: PayloadValue): void => {
    left -= typeof part === 'string' ? part.length + 2 : 2
    if (left < 0) throw new PayloadError('payload-too-large', `a dictionary is too long (limit ${limit} characters)`, 0)
    if (typeof part !== 'object' || part === null) return
    for (const [name, inner] of Object.entries(part)) {
      left -= name.length
      spend(inner)
    }
  }
  spend(value)
}

/** JSON text that does not depend on the order in which names were set. */
function canonicalText(value: PayloadValue): string {
  return JSON.stringify(value, (_name, part: PayloadValue) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)))
  })
}
