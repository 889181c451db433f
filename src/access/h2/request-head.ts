import { staticIndex } from './static-table.ts'

/** Tells the server that no table is used; it may insist on being told once. Source: RFC 7541, 6.3 and 4.2. */
const noTable = Buffer.from([0x20])

/**
 * Encodes the headers of a request without table and without Huffman code, so that the same headers are the same bytes
 * at all times. Names are in lower case; names and values have one byte for each character.
 */
export function encodeHead(fields: readonly (readonly [name: string, value: string])[]): Buffer {
  const parts: Buffer[] = [noTable]
  for (const [name, value] of fields) {
    if (name === ':method' || name === ':scheme') parts.push(Buffer.from([0x80 | staticIndex(name, value)]))
    else parts.push(Buffer.from([0]), textOf(name), textOf(value))
  }
  return Buffer.concat(parts)
}

function textOf(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1')
  return Buffer.concat([lengthOf(bytes.length), bytes])
}

/** An integer whose first byte has 7 bits for it. */
function lengthOf(length: number): Buffer {
  if (length < 0x7f) return Buffer.from([length])
  const bytes = [0x7f]
  let rest = length - 0x7f
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.from([...bytes, rest])
}
