import { boxHeight, margin } from './graph-drawing.ts'
import type { GraphDrawing } from './graph-drawing.ts'
import { inLayers } from './graph-layers.ts'
import type { Edge } from './graph-layers.ts'

const boxWidth = 184
const gap = 64
const row = 42
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
        return [node, { x, y: margin + (i + (tallest - members.length) / 2) * row }] as const
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
    height: 2 * margin + (tallest - 1) * row + boxHeight,
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
