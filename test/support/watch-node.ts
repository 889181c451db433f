import type { FaultCall } from '../../simnode/node/faults.ts'
import type { ReplayNode } from '../../simnode/replay/replay-node.ts'

/** Resolves with the next call on a node that `matches`. */
export function nextCall(node: ReplayNode, matches: (call: FaultCall) => boolean): Promise<FaultCall> {
  return new Promise((resolve) => {
    const look = (call: FaultCall): void => {
      if (!matches(call)) return
      node.events.off('call', look)
      resolve(call)
    }
    node.events.on('call', look)
  })
}

/** Resolves when a fault of the node was met `hits` times. */
export async function untilHit(node: ReplayNode, fault: { readonly hits: number }, hits: number): Promise<void> {
  while (fault.hits < hits) await nextCall(node, () => true)
}

/** The heights whose blocks are asked for from now on, in order, as often as they are asked for. */
export function askedHeights(node: ReplayNode): number[] {
  const heights: number[] = []
  node.events.on('call', ({ method, height }) => {
    if (method === 'GetBlockByHeight' && height !== undefined) heights.push(height)
  })
  return heights
}
