import { setTimeout as delay } from 'node:timers/promises'
import type { NodeClient, ToldResult } from './node-client.ts'

/** What a node tells of a transaction once a sealed block holds it. It has to make blocks by itself. */
export async function untilSealed(node: NodeClient, id: string): Promise<ToldResult> {
  for (;;) {
    const result = await node.result(id)
    if (result.status === 4) return result
    if (result.status === 5) throw new Error(`${id} has expired`)
    await delay(50)
  }
}
