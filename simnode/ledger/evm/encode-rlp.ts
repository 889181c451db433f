import { BackwardRlp } from '../../../src/flow/backward-rlp.ts'
import { keccak256 } from '../../../src/flow/evm/keccak256.ts'

/** What RLP encodes: bytes, unsigned integers, lists. */
export type RlpItem = Uint8Array | number | bigint | readonly RlpItem[]

/** Above this an item is a rare giant, and its buffer is not kept. */
const keptCapacity = 4 * 1024 * 1024

let writer = new BackwardRlp()

/** An item's RLP. @param prefix bytes in front of it */
export function encodeRlp(item: RlpItem, ...prefix: readonly number[]): Buffer {
  const encoded = written(item)
  const bytes = Buffer.allocUnsafe(prefix.length + encoded.length)
  bytes.set(prefix)
  bytes.set(encoded, prefix.length)
  return bytes
}

/** The hash of an item's RLP, 32 bytes. */
export function rlpHash(item: RlpItem): Buffer {
  return keccak256(written(item))
}

/** Valid until the next item. */
function written(item: RlpItem): Buffer {
  if (writer.length > keptCapacity) writer = new BackwardRlp()
  writer.clear()
  write(item)
  return writer.view()
}

function write(item: RlpItem): void {
  if (item instanceof Uint8Array) writer.string(item)
  else if (typeof item === 'number') writer.uint(item)
  else if (typeof item === 'bigint') writer.string(bytesOf(item))
  else {
    const before = writer.length
    for (let i = item.length - 1; i >= 0; i--) write(item[i] as RlpItem)
    writer.list(before)
  }
}

function bytesOf(value: bigint): Buffer {
  const digits = value === 0n ? '' : value.toString(16)
  return Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex')
}
