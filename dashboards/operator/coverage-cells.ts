import type { Coverage, CoverageLane } from './answers.gen.ts'

/** Half open. */
export interface HeightRange {
  readonly from: number
  readonly to: number
}

/** Most important state of a cell; failures come first. */
export type CellState = 'failing' | 'active' | 'skipped' | 'done' | 'partly done' | 'pending'

export interface Run extends HeightRange {
  readonly state: CellState
}

/** With more cells than heights, neighbours overlap. */
export function cellRange({ from, to, cells }: Pick<Coverage, 'from' | 'to' | 'cells'>, cell: number): HeightRange {
  const at = (edge: number): number => from + Math.floor(((to - from) * edge) / cells)
  return { from: at(cell), to: Math.max(at(cell) + 1, at(cell + 1)) }
}

export function cellState(lane: CoverageLane, cell: number): CellState {
  if ((lane.failing[cell] ?? 0) > 0) return 'failing'
  if ((lane.active[cell] ?? 0) > 0) return 'active'
  if ((lane.skipped[cell] ?? 0) > 0) return 'skipped'
  const done = lane.done[cell] ?? 0
  return done >= 1 ? 'done' : done > 0 ? 'partly done' : 'pending'
}

export function runsOf(coverage: Coverage, lane: CoverageLane): Run[] {
  const runs: { from: number; to: number; state: CellState }[] = []
  for (let cell = 0; cell < coverage.cells; cell++) {
    const { from, to } = cellRange(coverage, cell)
    const state = cellState(lane, cell)
    const last = runs.at(-1)
    if (last !== undefined && last.state === state) last.to = Math.max(last.to, to)
    else runs.push({ from, to, state })
  }
  return runs
}

export function pathOf(cells: number, top: number, height: number, pick: (cell: number) => boolean): string {
  let path = ''
  for (let cell = 0; cell < cells; cell++) {
    if (!pick(cell)) continue
    const start = cell
    while (cell + 1 < cells && pick(cell + 1)) cell++
    path += `M${start} ${top}h${cell + 1 - start}v${height}h${start - cell - 1}z`
  }
  return path
}

export function ticksOf({ from, to }: HeightRange, max: number): number[] {
  const span = Math.max(1, to - from)
  const rough = span / Math.max(1, max)
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough)
  const ticks: number[] = []
  for (let tick = Math.ceil(from / step) * step; tick < to; tick += step) ticks.push(tick)
  return ticks
}
