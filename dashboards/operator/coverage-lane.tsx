import { memo } from 'react'
import type { ReactNode } from 'react'
import type { CoverageLane } from './contract.ts'
import { pathOf } from './coverage-cells.ts'

/** Height of the drawing, px; its width is that of the place it has. */
export const laneHeight = 22
const shades = [0.2, 0.4, 0.6, 0.8] as const

/**
 * One stage along the chain. States differ in shape too, for whoever does not see the colours: what is owed is a thin
 * line, what was skipped a broader one, what is done a band, and trouble stands out above and below it.
 */
export const Lane = memo(function Lane({
  lane,
  cells,
}: {
  readonly lane: CoverageLane
  readonly cells: number
}): ReactNode {
  const done = (cell: number): number => lane.done[cell] ?? 0
  const has =
    (values: readonly number[]) =>
    (cell: number): boolean =>
      (values[cell] ?? 0) > 0
  return (
    <svg
      className="lane"
      viewBox={`0 0 ${cells} ${laneHeight}`}
      height={laneHeight}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <path className="owed" d={`M0 10h${cells}v2h-${cells}z`} />
      {shades.map((shade) => (
        <path
          key={shade}
          className="done"
          opacity={shade}
          d={pathOf(cells, 4, 14, (cell) => done(cell) > shade - 0.2 && done(cell) <= shade && done(cell) < 1)}
        />
      ))}
      <path className="done" opacity={0.9} d={pathOf(cells, 4, 14, (cell) => done(cell) > 0.8 && done(cell) < 1)} />
      <path className="done" d={pathOf(cells, 4, 14, (cell) => done(cell) >= 1)} />
      <path className="skipped" d={pathOf(cells, 8, 6, has(lane.skipped))} />
      <path className="active" d={pathOf(cells, 4, 14, has(lane.active))} />
      <path className="troubled" d={pathOf(cells, 0, laneHeight, has(lane.troubled))} />
    </svg>
  )
})
