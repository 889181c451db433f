export interface Edge {
  readonly source: string
  readonly target: string
}

export interface Placed {
  readonly places: ReadonlyMap<string, { readonly x: number; readonly y: number }>
  readonly width: number
  readonly height: number
}

const column = 210
const row = 42
const margin = 16
const boxWidth = 150

/**
 * Places the nodes of a graph in columns: the root in the middle one, what it leads to in those to the right, by the
 * number of steps, and what leads to it in those to the left.
 */
export function placeNodes(root: string, nodes: readonly string[], edges: readonly Edge[]): Placed {
  const steps = new Map([[root, 0]])
  spread(steps, root, edges.map(({ source, target }) => [source, target]), 1)
  spread(steps, root, edges.map(({ source, target }) => [target, source]), -1)
  const first = Math.min(...steps.values())
  const columns = Map.groupBy(nodes.filter((node) => steps.has(node)), (node) => (steps.get(node) ?? 0) - first)
  const tallest = Math.max(...[...columns.values()].map(({ length }) => length))
  const places = new Map(
    [...columns].flatMap(([at, members]) =>
      members.map((node, i) => [node, { x: margin + at * column, y: margin + (i + (tallest - members.length) / 2) * row }] as const),
    ),
  )
  return {
    places,
    width: 2 * margin + (Math.max(...columns.keys()) * column + boxWidth),
    height: 2 * margin + (tallest - 1) * row + 30,
  }
}

/** Counts the steps from the root along arrows; what was reached before stays where it is. */
function spread(steps: Map<string, number>, root: string, arrows: readonly (readonly [string, string])[], step: number): void {
  let reached = [root]
  for (let at = step; reached.length > 0; at += step) {
    const next = new Set(arrows.filter(([from, to]) => reached.includes(from) && !steps.has(to)).map(([, to]) => to))
    for (const node of next) steps.set(node, at)
    reached = [...next]
  }
}
