/** A graph ready to be drawn, in pixels. */
export interface GraphDrawing {
  readonly boxes: ReadonlyMap<string, { readonly x: number; readonly y: number }>
  readonly lines: readonly { readonly source: string; readonly target: string; readonly path: string }[]
  readonly boxWidth: number
  readonly width: number
  readonly height: number
}

export const boxHeight = 30
const margin = 16

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
  const max = new Set(arrows.flat()).size
  for (let steps = 1; steps <= max && frontier.size > 0; steps++) {
    const from = frontier
    frontier = new Set(arrows.filter(([start, end]) => from.has(start) && end !== root).map(([, end]) => end))
    for (const node of frontier) reached.set(node, steps)
  }
  return reached
}

/** The layers in order, each with its contracts in the order given; empty ones are left out. */
function inLayers(nodes: readonly string[], layers: ReadonlyMap<string, number>): string[][] {
  const known = nodes.filter((node) => layers.has(node))
  const byLayer = Map.groupBy(known, (node) => layers.get(node) ?? 0)
  return [...byLayer].toSorted(([a], [b]) => a - b).map(([, members]) => members)
}

const boxWidth = 184
const gap = 64
const rowOfColumns = 42
const sweeps = 6

/**
 * Draws a graph in columns, one for each layer, so that all lines go from left to right. A line that passes columns has
 * a place in each of them, between the boxes; places are ordered so that few lines cross.
 */
export function drawColumns(
  nodes: readonly string[],
  edges: readonly Edge[],
  layers: ReadonlyMap<string, number>,
): GraphDrawing {
  const columns = inLayers(nodes, layers)
  const columnOf = new Map(columns.flatMap((members, column) => members.map((node) => [node, column] as const)))
  const ways = edges.flatMap(({ source, target }) => {
    const [from, to] = [columnOf.get(source), columnOf.get(target)]
    if (from === undefined || to === undefined || from >= to) return []
    const between = Array.from({ length: to - from - 1 }, (_, i) => `${source} ${target} ${from + 1 + i}`)
    for (const [i, place] of between.entries()) columns[from + 1 + i]?.push(place)
    return [{ source, target, stops: [source, ...between, target] }]
  })
  const steps = ways.flatMap(({ stops }) => stops.slice(1).map((stop, i) => [stops[i] ?? stop, stop] as const))
  uncross(columns, steps)
  const tallest = Math.max(...columns.map(({ length }) => length))
  const places = new Map(
    columns.flatMap((members, column) =>
      members.map((node, i) => {
        const x = margin + column * (boxWidth + gap)
        return [node, { x, y: margin + (i + (tallest - members.length) / 2) * rowOfColumns }] as const
      }),
    ),
  )
  const lines = ways.map(({ source, target, stops }) => {
    const points = stops.map((stop) => places.get(stop) ?? { x: 0, y: 0 })
    return { source, target, path: curve(points) }
  })
  return {
    boxes: new Map([...places].filter(([node]) => columnOf.has(node))),
    lines,
    boxWidth,
    width: 2 * margin + columns.length * boxWidth + (columns.length - 1) * gap,
    height: 2 * margin + (tallest - 1) * rowOfColumns + boxHeight,
  }
}

/** Orders each column by the middle of what its members are joined to, forwards and backwards in turns. */
function uncross(columns: string[][], steps: readonly (readonly [string, string])[]): void {
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
      const middle = (node: string, i: number): number => {
        const joined = isForwards
          ? (before.get(node) ?? []).map(([start]) => start)
          : (after.get(node) ?? []).map(([, end]) => end)
        const ranks = joined.flatMap((other) => rank.get(other) ?? [])
        return ranks.length === 0 ? i - members.length / 2 : ranks.reduce((sum, each) => sum + each, 0) / ranks.length
      }
      const middles = new Map(members.map((node, i) => [node, middle(node, i)]))
      members.sort((a, b) => (middles.get(a) ?? 0) - (middles.get(b) ?? 0))
    }
  }
}

/** A line from the right side of the first place to the left side of the last one, level where it passes others. */
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
const widestBox = 320
const narrowestArc = 12
const widestArc = 76

/** Draws a graph where there is no room for columns: one box below the other by layers, with arcs on their left. */
export function drawRows(
  nodes: readonly string[],
  edges: readonly Edge[],
  layers: ReadonlyMap<string, number>,
  width: number,
): GraphDrawing {
  const order = inLayers(nodes, layers).flat()
  const at = new Map(order.map((node, i) => [node, i]))
  const left = margin + widestArc * 0.75
  const y = (i: number): number => margin + i * rowHeight
  const longest = Math.max(1, order.length - 1)
  const lines = edges.flatMap(({ source, target }) => {
    const [from, to] = [at.get(source), at.get(target)]
    if (from === undefined || to === undefined || from === to) return []
    const reach = narrowestArc + (widestArc - narrowestArc) * (Math.abs(to - from) / longest)
    const [start, end] = [y(from) + boxHeight / 2, y(to) + boxHeight / 2]
    return [
      { source, target, path: `M${left} ${start}C${left - reach} ${start} ${left - reach} ${end} ${left} ${end}` },
    ]
  })
  return {
    boxes: new Map(order.map((node, i) => [node, { x: left, y: y(i) }])),
    lines,
    boxWidth: Math.max(80, Math.min(widestBox, width - left - margin)),
    width,
    height: 2 * margin + longest * rowHeight + boxHeight,
  }
}
