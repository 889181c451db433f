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
  /** Bytes of flattened text. Field names repeat for each struct, so text can be longer than its payload. */
  outputBytes: 64 * 1024 * 1024,
} as const
