import type { WireReader } from './wire-reader.ts'

/**
 * Reads a `google.protobuf.Timestamp` into microseconds since 1970; below a microsecond it rounds down.
 * @param before what an earlier part of the same field said, which protobuf merges
 */
export function readTimestamp(reader: WireReader, before: number): number {
  let seconds = Math.floor(before / 1e6)
  let micros = before - seconds * 1e6
  const outer = reader.enter()
  while (reader.position < reader.limit) {
    const tag = reader.tag()
    switch (tag) {
      case 0x08:
        seconds = reader.signedCount()
        break
      case 0x10:
        micros = Math.floor(reader.int32() / 1000)
        break
      default:
        reader.skip(tag)
    }
  }
  reader.limit = outer
  const result = seconds * 1e6 + micros
  if (!Number.isSafeInteger(result)) reader.fail('timestamp out of range')
  return result
}
