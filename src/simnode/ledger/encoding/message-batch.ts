import { ByteWriter } from '../../../base/byte-writer.ts'

/** Above this the storage is that of a rare giant block, and is not kept. */
const keptCapacity = 16 * 1024 * 1024

let scratch = new ByteWriter()

/** Messages made one after the other in one piece of memory: one allocation for all of a block. What writes makes no other. */
export function messagesOf<Item>(
  items: readonly Item[], write: (out: ByteWriter, item: Item, index: number) => void,
): Buffer[] {
  const out = scratch
  out.clear()
  const ends = items.map((item, index) => {
    write(out, item, index)
    return out.position
  })
  const bytes = Buffer.from(out.view())
  if (out.bytes.length > keptCapacity) scratch = new ByteWriter()
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

/** One message in memory of its own. */
export function messageOf(write: (out: ByteWriter) => void): Buffer {
  scratch.clear()
  write(scratch)
  return Buffer.from(scratch.view())
}
