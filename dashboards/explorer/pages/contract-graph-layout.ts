/** In pixels. */
export interface GraphLayout {
  readonly boxes: ReadonlyMap<string, { readonly x: number; readonly y: number }>
  readonly lines: readonly { readonly source: string; readonly target: string; readonly path: string }[]
  readonly boxWidth: number
  readonly width: number
  readonly height: number
}

export const boxHeight = 30
const margin = 16

/** `source` imports `target`. */
export interface Edge {
  readonly source: string
  readonly target: string
}

/**
 * Layer of each contract: its longest distance from the root, positive for imports and negative for
 * dependents. Unconnected contracts are omitted.
 */
export function graphLayers(root: string, edges: readonly Edge[]): ReadonlyMap<string, number> {
  const imports = longestPaths(
    root,
    edges.map(({ source, target }) => [source, target]),
  )
  const dependents = longestPaths(
    root,
    edges.map(({ source, target }) => [target, source]),
  )
  return new Map([
    ...[...dependents].map(([node, steps]) => [node, -steps] as const),
    // A contract in a cycle is on both sides and counts as an import.
    ...imports,
  ])
}

/** In cycles limited to the number of contracts. */
function longestPaths(root: string, arrows: readonly (readonly [string, string])[]): Map<string, number> {
  const reached = new Map([[root, 0]])
  let frontier = new Set([root])
  const maxSteps = new Set(arrows.flat()).size
  for (let steps = 1; steps <= maxSteps && frontier.size > 0; steps++) {
    const from = frontier
    frontier = new Set(arrows.filter(([start, end]) => from.has(start) && end !== root).map(([, end]) => end))
    for (const node of frontier) reached.set(node, steps)
  }
  return reached
}

function inLayers(nodes: readonly string[], layers: ReadonlyMap<string, number>): string[][] {
  const known = nodes.filter((node) => layers.has(node))
  const byLayer = Map.groupBy(known, (node) => layers.get(node) ?? 0)
  return [...byLayer].toSorted(([a], [b]) => a - b).map(([, members]) => members)
}

const boxWidth = 184
const gap = 64
const rowPitch = 42
const sweeps = 6

/** One column per layer. An edge that spans columns takes a position between the boxes of each. */
export function layOutColumns(
  nodes: readonly string[],
  edges: readonly Edge[],
  layers: ReadonlyMap<string, number>,
): GraphLayout {
  const columns = inLayers(nodes, layers)
  const columnOf = new Map(columns.flatMap((members, column) => members.map((node) => [node, column] as const)))
  const routes = edges.flatMap(({ source, target }) => {
    const [from, to] = [columnOf.get(source), columnOf.get(target)]
    if (from === undefined || to === undefined || from >= to) return []
    const between = Array.from({ length: to - from - 1 }, (_, i) => `${source} ${target} ${from + 1 + i}`)
    for (const [i, position] of between.entries()) columns[from + 1 + i]?.push(position)
    return [{ source, target, stops: [source, ...between, target] }]
  })
  const steps = routes.flatMap(({ stops }) => stops.slice(1).map((stop, i) => [stops[i] ?? stop, stop] as const))
  reduceCrossings(columns, steps)
  const tallest = Math.max(...columns.map(({ length }) => length))
  const positions = new Map(
    columns.flatMap((members, column) =>
      members.map((node, i) => {
        const x = margin + column * (boxWidth + gap)
        return [node, { x, y: margin + (i + (tallest - members.length) / 2) * rowPitch }] as const
      }),
    ),
  )
  const lines = routes.map(({ source, target, stops }) => {
    const points = stops.map((stop) => positions.get(stop) ?? { x: 0, y: 0 })
    return { source, target, path: curve(points) }
  })
  return {
    boxes: new Map([...positions].filter(([node]) => columnOf.has(node))),
    lines,
    boxWidth,
    width: 2 * margin + columns.length * boxWidth + (columns.length - 1) * gap,
    height: 2 * margin + (tallest - 1) * rowPitch + boxHeight,
  }
}

function reduceCrossings(columns: string[][], steps: readonly (readonly [string, string])[]): void {
  const before = Map.groupBy(steps, ([, end]) => end)
  const after = Map.groupBy(steps, ([start]) => start)
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const isForwards = sweep % 2 === 0
    const order = isForwards ? columns.keys() : [...columns.keys()].toReversed()
    for (const column of order) {
      const beside = columns[isForwards ? column - 1 : column + 1]
      const members = columns[column]
      if (beside === undefined || members === undefined) continue
      const rank = new Map(beside.map((node, i) => [node, i - beside.length / 2]))
      const meanRank = (node: string, i: number): number => {
        const joined = isForwards
          ? (before.get(node) ?? []).map(([start]) => start)
          : (after.get(node) ?? []).map(([, end]) => end)
        const ranks = joined.flatMap((other) => rank.get(other) ?? [])
        return ranks.length === 0 ? i - members.length / 2 : ranks.reduce((sum, each) => sum + each, 0) / ranks.length
      }
      const means = new Map(members.map((node, i) => [node, meanRank(node, i)]))
      members.sort((a, b) => (means.get(a) ?? 0) - (means.get(b) ?? 0))
    }
  }
}

function curve(points: readonly { readonly x: number; readonly y: number }[]): string {
  const middle = boxHeight / 2
  const [first = { x: 0, y: 0 }, ...rest] = points
  const parts = rest.map(({ x, y }, i) => {
    const from = points[i] ?? first
    const bend = gap / 2
    const pass = i < rest.length - 1 ? `h${boxWidth}` : ''
    return `c${bend} 0 ${gap - bend} ${y - from.y} ${x - from.x - boxWidth} ${y - from.y}${pass}`
  })
  return `M${first.x + boxWidth} ${first.y + middle}${parts.join('')}`
}

const rowHeight = 38
const maxBoxWidth = 320
const minArc = 12
const maxArc = 76

export function layOutRows(
  nodes: readonly string[],
  edges: readonly Edge[],
  layers: ReadonlyMap<string, number>,
  width: number,
): GraphLayout {
  const order = inLayers(nodes, layers).flat()
  const at = new Map(order.map((node, i) => [node, i]))
  const left = margin + maxArc * 0.75
  const y = (i: number): number => margin + i * rowHeight
  const longest = Math.max(1, order.length - 1)
  const lines = edges.flatMap(({ source, target }) => {
    const [from, to] = [at.get(source), at.get(target)]
    if (from === undefined || to === undefined || from === to) return []
    const reach = minArc + (maxArc - minArc) * (Math.abs(to - from) / longest)
    const [start, end] = [y(from) + boxHeight / 2, y(to) + boxHeight / 2]
    return [
      { source, target, path: `M${left} ${start}C${left - reach} ${start} ${left - reach} ${end} ${left} ${end}` },
    ]
  })
  return {
    boxes: new Map(order.map((node, i) => [node, { x: left, y: y(i) }])),
    lines,
    boxWidth: Math.max(80, Math.min(maxBoxWidth, width - left - margin)),
    width,
    height: 2 * margin + longest * rowHeight + boxHeight,
  }
}
