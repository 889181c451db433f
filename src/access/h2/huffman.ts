import { Http2Error } from './http2-error.ts'
import { errorCode } from './protocol.ts'

/**
 * Length in bits of the code of every byte, and of the end mark, which stands for nothing. The codes themselves follow
 * from the lengths: shorter ones first, and in the order of the bytes among those of one length.
 * Source: RFC 7541, appendix B.
 */
const codeLengths: readonly number[] = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28, 28, 28,
  28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7, 8, 15, 6, 12, 10,
  13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19, 13, 14, 6, 15, 5, 6, 5, 6,
  5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13, 28, 20, 22, 20, 20, 22, 22, 22, 23,
  22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21, 22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22,
  23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23, 22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26,
  20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25, 19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27,
  27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25, 25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27,
  27, 27, 27, 26, 30,
]
const endMark = 256
/** The end of a string is filled up with the first bits of the end mark, which are ones: fewer than a byte. */
const longestFill = 7

/**
 * The codes as a binary tree: `nodes[2 * node + bit]` is the next node where positive, and the complement of a symbol
 * where negative. Node 0 is the root; nothing leads there.
 */
const nodes = buildTree()

function buildTree(): Int16Array {
  const tree = new Int16Array(2 * endMark)
  const symbols = codeLengths.map((_, symbol) => symbol)
  symbols.sort((a, b) => (codeLengths[a] as number) - (codeLengths[b] as number) || a - b)
  let used = 1
  let code = 0
  let length = 0
  for (const symbol of symbols) {
    const bits = codeLengths[symbol] as number
    code *= 2 ** (bits - length)
    length = bits
    let node = 0
    for (let bit = bits - 1; bit > 0; bit--) {
      const branch = 2 * node + ((code >>> bit) & 1)
      if (tree[branch] === 0) tree[branch] = used++
      node = tree[branch] as number
    }
    tree[2 * node + (code & 1)] = ~symbol
    code++
  }
  return tree
}

/**
 * The text, one character for each byte, that `bytes[from..to)` is the Huffman code of.
 * @throws Http2Error for what is no code
 */
export function decodeHuffman(bytes: Buffer, from: number, to: number): string {
  // The shortest code has 5 bits.
  const decoded = Buffer.allocUnsafe(Math.floor(((to - from) * 8) / 5))
  let length = 0
  let node = 0
  let depth = 0
  let onlyOnes = true
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number
    for (let shift = 7; shift >= 0; shift--) {
      const bit = (byte >>> shift) & 1
      const next = nodes[2 * node + bit] as number
      depth++
      if (bit === 0) onlyOnes = false
      if (next >= 0) {
        node = next
        continue
      }
      if (~next === endMark) throw malformed('the end mark within a string')
      decoded[length++] = ~next
      node = 0
      depth = 0
      onlyOnes = true
    }
  }
  if (depth > longestFill || !onlyOnes) throw malformed('a code cut off')
  return decoded.toString('latin1', 0, length)
}

function malformed(reason: string): Http2Error {
  return new Http2Error(errorCode.compressionError, `malformed header text: ${reason}`)
}
