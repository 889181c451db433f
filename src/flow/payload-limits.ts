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
 * Limits of the flattened text of many payloads. Text up to `ownPerByte` times its payload and `ownFloor` never counts:
 * it is bounded by the bytes received, so one sender cannot use up the limit at the expense of other events of the block.
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
