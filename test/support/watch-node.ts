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

/** Resolves when a node fault was triggered `hits` times. */
export async function untilHit(node: ReplayNode, fault: { readonly hits: number }, hits: number): Promise<void> {
  while (fault.hits < hits) await nextCall(node, () => true)
}

/** The requested block heights from now on, in order and with repetitions. */
export function requestedHeights(node: ReplayNode): number[] {
  const heights: number[] = []
  node.events.on('call', ({ method, height }) => {
    if (method === 'GetBlockByHeight' && height !== undefined) heights.push(height)
  })
  return heights
}
