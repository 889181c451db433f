import { boxHeight, margin } from './graph-drawing.ts'
import type { GraphDrawing } from './graph-drawing.ts'
import { inLayers } from './graph-layers.ts'
import type { Edge } from './graph-layers.ts'

const row = 38
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
  const y = (i: number): number => margin + i * row
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
    height: 2 * margin + longest * row + boxHeight,
  }
}
