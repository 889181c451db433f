import type { AccessNode } from './node.ts'

/** Milliseconds by which waits must differ to make a difference. */
const sameWaitMs = 50

/** What choosing needs to know of a node. */
export type Candidate = Pick<
  AccessNode,
  'rootHeight' | 'headHeight' | 'restingForMs' | 'isOnTrial' | 'waitMs' | 'inFlight' | 'lastUsed' | 'mayServe'
>

/**
 * The node to ask for a height: of those that may serve it and are not `tried` yet, the one
 * 1. that is not resting, or whose rest is over first;
 * 2. with the largest known root, since older sporks' nodes have it from hearsay at best; unknown roots last;
 * 3. that is not on trial with something else;
 * 4. whose rate limit makes a call wait the least;
 * 5. that is not known to lag behind the height;
 * 6. that has the fewest requests in flight, then the least recently used one.
 * @returns undefined where every node that may serve the height was tried
 */
export function chooseNode<T extends Candidate>(
  nodes: readonly T[],
  height: number,
  tried: ReadonlySet<T>,
): T | undefined {
  let best: T | undefined
  for (const node of nodes) {
    if (tried.has(node) || !node.mayServe(height)) continue
    if (best === undefined || compare(node, best, height) < 0) best = node
  }
  return best
}

/** The lowest root above a height: where the nodes' reach begins, seen from below. */
export function rootAbove(nodes: readonly Pick<Candidate, 'rootHeight'>[], height: number): number | undefined {
  let lowest: number | undefined
  for (const { rootHeight } of nodes) {
    if (rootHeight === undefined || rootHeight <= height) continue
    if (lowest === undefined || rootHeight < lowest) lowest = rootHeight
  }
  return lowest
}

function compare(a: Candidate, b: Candidate, height: number): number {
  return (
    a.restingForMs - b.restingForMs ||
    (b.rootHeight ?? -1) - (a.rootHeight ?? -1) ||
    Number(isBusyOnTrial(a)) - Number(isBusyOnTrial(b)) ||
    Math.floor(a.waitMs / sameWaitMs) - Math.floor(b.waitMs / sameWaitMs) ||
    Number(isBehind(a, height)) - Number(isBehind(b, height)) ||
    a.inFlight - b.inFlight ||
    a.lastUsed - b.lastUsed
  )
}

function isBusyOnTrial(node: Candidate): boolean {
  return node.isOnTrial && node.inFlight > 0
}

function isBehind(node: Candidate, height: number): boolean {
  return node.headHeight !== undefined && node.headHeight < height
}
