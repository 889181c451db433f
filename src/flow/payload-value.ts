import { FlowfarmError } from '../platform/errors.ts'

/**
 * Bounds for hostile payloads. Real events stay far below: nodes respond with at most 20 MB, and an
 * event of more than 256 KB fails its transaction.
 */
export const payloadLimits = {
  /** Two stack frames per level; jsonb accepts several times as many. */
  depth: 500,
  /** Conversion to decimal is superlinear: 256 KB of integers take 30 ms, of 64 KB each 230 ms. */
  integerBytes: 2 * 1024,
  /** Types can reference each other, so a short payload can expand to a long text. */
  typeIdLength: 1024 * 1024,
  /**
   * The text can be a thousand times the payload, because names repeat for each struct. UFix64
   * zeros, the longest ordinary values, take 13 bytes per byte.
   */
  outputBytes: 16 * 1024 * 1024,
  outputPerByte: 32,
  /** Allowed for any payload. */
  outputFloor: 64 * 1024,
  typeTextLength: 4 * 1024 * 1024,
  /** Characters of a non-text key, and of all pairs whose keys share a text. */
  keyTextLength: 1024,
  pairTextLength: 64 * 1024,
} as const

/**
 * Text up to `ownPerByte` times its payload and up to `ownFloor` does not count, so one sender
 * cannot use up the limit of other events in a block.
 */
export const expansionLimits = {
  ownPerByte: 4,
  ownFloor: 1024,
  /** Limits for all events of a transaction and of a block. */
  transactionBytes: 16 * 1024 * 1024,
  blockBytes: 32 * 1024 * 1024,
} as const

export function outputLimitOf(payloadLength: number): number {
  const { outputBytes, outputFloor, outputPerByte } = payloadLimits
  return Math.min(outputBytes, outputFloor + outputPerByte * payloadLength)
}

/**
 * - `ccf-malformed`: invalid CCF at `offset`
 *
 * - `ccf-truncated`: the payload ends inside a data item
 *
 * - `json-cdc-malformed`: not JSON, or not a Cadence value
 *
 * - `payload-too-deep`: nested deeper than `depth`
 *
 * - `payload-too-large`: an integer, type text or the flattened text exceeds its limit
 *
 * - `payload-unknown-encoding`: the first byte belongs to neither encoding
 */
export type PayloadErrorCode =
  | 'ccf-malformed'
  | 'ccf-truncated'
  | 'json-cdc-malformed'
  | 'payload-too-deep'
  | 'payload-too-large'
  | 'payload-unknown-encoding'

const messageLength = 300

/** The event is stored raw and recorded, and the rest of the block proceeds. */
export class PayloadError extends FlowfarmError {
  declare readonly code: PayloadErrorCode
  /** Byte offset of the error; 0 for JSON. */
  readonly offset: number

  constructor(code: PayloadErrorCode, message: string, offset: number, cause?: unknown) {
    super(code, `${message.slice(0, messageLength)} (at byte ${offset})`, { cause, details: { offset } })
    this.offset = offset
  }
}

/** A flattened Cadence value, as stored. All numbers are strings. */
export type PayloadValue = string | boolean | null | PayloadValue[] | PayloadFields

export type PayloadFields = { [name: string]: PayloadValue }

/**
 * jsonb accepts no U+0000, which becomes the six characters `\u0000`, and no unpaired surrogate,
 * which becomes U+FFFD.
 */
export function payloadText(text: string): string {
  const wellFormed = text.isWellFormed() ? text : text.toWellFormed()
  return wellFormed.includes('\0') ? wellFormed.replaceAll('\0', '\\u0000') : wellFormed
}

export function setField(fields: PayloadFields, name: string, value: PayloadValue): void {
  if (name === '__proto__') {
    Object.defineProperty(fields, name, { value, writable: true, enumerable: true, configurable: true })
  } else {
    fields[name] = value
  }
}

/**
 * Text unchanged, other values as JSON text. Bounded, because each level of dictionaries in keys
 * doubles the text.
 */
export function dictionaryKey(key: PayloadValue): string {
  if (typeof key === 'string') return key
  checkTextLength(key, payloadLimits.keyTextLength)
  return JSON.stringify(key)
}

/**
 * If keys of different types have the same text (`1` and `"1"`), a list of `{key, value}`, sorted
 * because the encodings order pairs differently.
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

function canonicalText(value: PayloadValue): string {
  return JSON.stringify(value, (_name, part: PayloadValue) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).sort(([left], [right]) => (left < right ? -1 : 1)))
  })
}
