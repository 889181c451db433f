import { setTimeout as delay } from 'node:timers/promises'
import type { NodeClient, TransactionStatusResult } from './node-client.ts'

/**
 * A node's result for a transaction in a sealed block. The node must produce blocks automatically.
 */
export async function untilSealed(node: NodeClient, id: string): Promise<TransactionStatusResult> {
  for (;;) {
    const result = await node.result(id)
    if (result.status === 4) return result
    if (result.status === 5) throw new Error(`${id} has expired`)
    await delay(50)
  }
}
