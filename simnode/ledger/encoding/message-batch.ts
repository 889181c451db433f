import { ByteWriter } from '../../../src/platform/byte-writer.ts'

/** Above this the storage is that of a rare giant block, and is not kept. */
const keptCapacity = 16 * 1024 * 1024

/** Missing while messages are made: what is written may be made on the way, with messages of its own. */
let scratch: ByteWriter | undefined

/** Messages made one after the other in one piece of memory: one allocation for all of a block. */
export function messagesOf<Item>(
  items: readonly Item[],
  write: (out: ByteWriter, item: Item, index: number) => void,
): Buffer[] {
  const ends: number[] = []
  const bytes = messageOf((out) => {
    items.forEach((item, index) => {
      write(out, item, index)
      ends.push(out.position)
    })
  })
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end))
}

/** One message in memory of its own. */
export function messageOf(write: (out: ByteWriter) => void): Buffer {
  const out = scratch ?? new ByteWriter()
  scratch = undefined
  out.clear()
  write(out)
  if (out.bytes.length <= keptCapacity) scratch = out
  return Buffer.copyBytesFrom(out.bytes, 0, out.position)
}
