/** One contract imports another. */
export interface Edge {
  readonly source: string
  readonly target: string
}

/**
 * How many steps each contract is away from the root by the longest way, so that imports always point forwards: those
 * that it uses above nought, those that use it below. What does not hang together with the root is left out.
 */
export function graphLayers(root: string, edges: readonly Edge[]): ReadonlyMap<string, number> {
  const used = longestWays(
    root,
    edges.map(({ source, target }) => [source, target]),
  )
  const users = longestWays(
    root,
    edges.map(({ source, target }) => [target, source]),
  )
  return new Map([
    ...[...users].map(([node, steps]) => [node, -steps] as const),
    // In a circle a contract is on both sides: it counts as used.
    ...used,
  ])
}

/** The longest ways along arrows; where they lead in circles, those of as many steps as there are contracts. */
function longestWays(root: string, arrows: readonly (readonly [string, string])[]): Map<string, number> {
  const reached = new Map([[root, 0]])
  let frontier = new Set([root])
  const most = new Set(arrows.flat()).size
  for (let steps = 1; steps <= most && frontier.size > 0; steps++) {
    const from = frontier
    frontier = new Set(arrows.filter(([start, end]) => from.has(start) && end !== root).map(([, end]) => end))
    for (const node of frontier) reached.set(node, steps)
  }
  return reached
}

/** The layers in order, each with its contracts in the order given; empty ones are left out. */
export function inLayers(nodes: readonly string[], layers: ReadonlyMap<string, number>): string[][] {
  const known = nodes.filter((node) => layers.has(node))
  const byLayer = Map.groupBy(known, (node) => layers.get(node) ?? 0)
  return [...byLayer].toSorted(([a], [b]) => a - b).map(([, members]) => members)
}
