import { transactionId } from '../flow/transactions/transaction-id.ts'
import type { BlockMessage, HeadMessage, TransactionMessage, TransactionResultMessage } from './messages.ts'
import { InconsistentResponseError } from './chain-source.ts'

const idLength = 32

type HeadPart = Pick<HeadMessage, 'id' | 'parentId' | 'height'>

/** @throws InconsistentResponseError */
export function checkHeader({ id, parentId, height: actual }: HeadPart, height: number, endpoint: string): void {
  const inconsistent = (contradiction: string) => new InconsistentResponseError(endpoint, height, contradiction)
  if (actual !== height) throw inconsistent(`the response is the block at height ${actual}`)
  if (id.length !== idLength) throw inconsistent(`the block id has ${id.length} bytes`)
  if (parentId.length !== idLength) throw inconsistent(`the parent id has ${parentId.length} bytes`)
}

/**
 * One result per body, for the transaction at its position.
 * @returns the transaction ids, computed from the bodies
 * @throws InconsistentResponseError
 */
export function checkParts(
  block: BlockMessage,
  transactions: readonly TransactionMessage[],
  results: readonly (TransactionResultMessage | undefined)[],
  endpoint: string,
): Buffer[] {
  if (results.length !== transactions.length) {
    const counts = `${results.length} results for ${transactions.length} transactions`
    throw new InconsistentResponseError(endpoint, block.height, counts)
  }
  const ids: Buffer[] = []
  let collection = 0
  for (let i = 0; i < transactions.length; i++) {
    const id = transactionId(transactions[i] as TransactionMessage)
    ids.push(id)
    const result = results[i]
    if (result === undefined) continue
    // Nodes of the first sporks return results without ids.
    if (result.transactionId.length > 0 && !result.transactionId.equals(id)) {
      const [theirs, ours] = [result.transactionId.toString('hex'), id.toString('hex')]
      throw new InconsistentResponseError(
        endpoint,
        block.height,
        `result ${i} belongs to transaction ${theirs}, the body to ${ours}`,
      )
    }
    if (isZero(result.collectionId)) continue
    const { collectionIds } = block
    while (collectionIds[collection]?.equals(result.collectionId) === false) collection++
    if (collection === collectionIds.length) {
      const actual = result.collectionId.toString('hex')
      throw new InconsistentResponseError(
        endpoint,
        block.height,
        `result ${i} belongs to collection ${actual}, which is not in the block`,
      )
    }
  }
  return ids
}

/** System transactions are in no collection. */
function isZero(collectionId: Buffer): boolean {
  for (let i = 0; i < collectionId.length; i++) if (collectionId[i] !== 0) return false
  return true
}
