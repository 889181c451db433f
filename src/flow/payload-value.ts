import { FlowfarmError } from '../platform/errors.ts'

/**
 * Limits of one payload. An event of a real chain stays far below each of them (a node answers with 20 MB at most,
 * an event of more than 256 KB fails its transaction); they keep a hostile payload from taking memory, time or stack.
 */
export const payloadLimits = {
  /** Nested values and types. Two stack frames a level, and jsonb accepts several times as many. */
  depth: 500,
  /** Bytes of a big integer: its decimal text takes time that grows faster than its length. */
  integerBytes: 64 * 1024,
  /** Characters of the text of one type. Types name each other, so a short payload could spell out a long text. */
  typeIdLength: 1024 * 1024,
  /**
   * Bytes of flattened text. Names of fields and types repeat for each struct, so text can be a thousand times as long
   * as its payload. Arrays of zeros of UFix64, the longest text that ordinary values have, take 13 bytes a byte.
   */
  outputBytes: 16 * 1024 * 1024,
  outputPerByte: 32,
  /** Bytes of flattened text that any payload may have, however short it is. */
  outputFloor: 64 * 1024,
  /** Characters of the texts of all types that a payload composes. */
  typeTextLength: 4 * 1024 * 1024,
  /** Characters of a dictionary's key that is no text, and of all pairs of a dictionary whose keys share a text. */
  keyTextLength: 1024,
  pairTextLength: 64 * 1024,
} as const

/**
 * Limits of the flattened text of many payloads. Text up to `ownPerByte` times its payload and `ownFloor` never
 * counts: the bytes received bound it, so one sender cannot use up the limit of the other events of a block.
 */
export const expansionLimits = {
  ownPerByte: 4,
  ownFloor: 1024,
  /** Bytes of text beyond that, for all events of a transaction and of a block. */
  transactionBytes: 16 * 1024 * 1024,
  blockBytes: 32 * 1024 * 1024,
} as const

/** Bytes of flattened text that a payload may have when nothing else limits it. */
export function outputLimitOf(payloadLength: number): number {
  const { outputBytes, outputFloor, outputPerByte } = payloadLimits
  return Math.min(outputBytes, outputFloor + outputPerByte * payloadLength)
}

/**
 * - `ccf-malformed`: bytes that the CCF specification does not allow at `offset`
 * - `ccf-truncated`: the payload ends inside a data item
 * - `json-cdc-malformed`: not JSON, or JSON that is not a Cadence value
 * - `payload-too-deep`: nested deeper than `maxDepth`
 * - `payload-too-large`: an integer, a type text or the flattened text would pass its limit
 * - `payload-unknown-encoding`: the first byte belongs to neither encoding
 */
export type PayloadErrorCode =
  | 'ccf-malformed'
  | 'ccf-truncated'
  | 'json-cdc-malformed'
  | 'payload-too-deep'
  | 'payload-too-large'
  | 'payload-unknown-encoding'

/** Characters of a message: it may quote the payload. */
const messageLength = 300

/** An event payload that cannot be decoded: the event is stored raw and listed, the rest of its block goes on. */
export class PayloadError extends FlowfarmError {
  declare readonly code: PayloadErrorCode
  /** Where in the payload decoding stopped, in bytes; 0 where JSON text was read as a whole. */
  readonly offset: number

  constructor(code: PayloadErrorCode, message: string, offset: number, cause?: unknown) {
    super(code, `${message.slice(0, messageLength)} (at byte ${offset})`, { cause, details: { offset } })
    this.offset = offset
  }
}

/** A flattened Cadence value: what the payload column holds. Numbers are strings, integers as well as fixed-point. */
export type PayloadValue = string | boolean | null | PayloadValue[] | PayloadFields

/** The fields of an event, struct or dictionary by name. */
export type PayloadFields = { [name: string]: PayloadValue }

/**
 * Text as PostgreSQL's jsonb can hold it: U+0000 becomes the six characters `\u0000`, so that it stays visible, and a
 * surrogate without its pair becomes U+FFFD.
 */
export function payloadText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\\u0000') : wellFormed
}

/** Sets an own property, also for the one name (`__proto__`) where an assignment would do something else. */
export function setField(fields: PayloadFields, name: string, value: PayloadValue): void {
  if (name === '__proto__') {
    Object.defineProperty(fields, name, { value, writable: true, enumerable: true, configurable: true })
  } else {
    fields[name] = value
  }
}

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
