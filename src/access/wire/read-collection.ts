import { WireReader } from './wire-reader.ts'

/**
 * Reads a `CollectionResponse` of either service.
 * @returns the ids of its transactions, in order, as views into the answer
 * @throws WireError also for an answer without a collection
 */
export function readCollectionResponse(answer: Buffer): Buffer[] {
  const reader = new WireReader(answer)
  const transactionIds: Buffer[] = []
  let found = false
  while (reader.position < reader.limit) {
    const tag = reader.tag()
    if (tag === 0x0a) {
      found = true
      const outer = reader.enter()
      while (reader.position < reader.limit) {
        const field = reader.tag()
        if (field === 0x12) transactionIds.push(reader.view())
        else reader.skip(field)
      }
      reader.limit = outer
    } else reader.skip(tag)
  }
  if (!found) reader.fail('answer without a collection')
  return transactionIds
}
