import type { Transport } from '../../../src/access/transport.ts'
import { readBlockResponse } from '../../../src/access/wire/read-block.ts'
import { readTransactionResultsResponse } from '../../../src/access/wire/read-results.ts'
import { readTransactionsResponse } from '../../../src/access/wire/read-transactions.ts'
import { heightRequest, transactionsByBlockRequest } from '../../../src/access/wire/requests.ts'

const options = { timeoutMs: 30_000 }

/**
 * A block by its three calls: the light block, then transactions and results at once. Of the answers nothing is read but the
 * block's id, which the others are asked by.
 */
export async function callForBlock(
  transport: Transport,
  height: number,
): Promise<{ light: Buffer; transactions: Buffer; results: Buffer }> {
  const light = await transport.unary('GetBlockByHeight', heightRequest(height), options)
  const request = transactionsByBlockRequest(readBlockResponse(light).id, 'ccf')
  const [transactions, results] = await Promise.all([
    transport.unary('GetTransactionsByBlockID', request, options),
    transport.unary('GetTransactionResultsByBlockID', request, options),
  ])
  return { light, transactions, results }
}

/** The same, with the answers taken apart. @returns their bytes */
export async function callAndRead(transport: Transport, height: number): Promise<number> {
  const { light, transactions, results } = await callForBlock(transport, height)
  const counts = [readTransactionsResponse(transactions).length, readTransactionResultsResponse(results).length]
  if (counts[0] !== counts[1]) throw new Error(`height ${height}: ${counts[0]} transactions, ${counts[1]} results`)
  return light.length + transactions.length + results.length
}
