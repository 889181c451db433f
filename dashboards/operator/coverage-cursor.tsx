import { useState } from 'react'
import type { KeyboardEvent, PointerEvent, ReactNode } from 'react'
import { formatRange, formatShare } from '../kit/formats.ts'
import type { Coverage, CoverageLane, HeightRange } from './contract.ts'
import { cellRange, cellState } from './coverage-cells.ts'

export interface CoverageCursorProps {
  readonly coverage: Coverage
  /** Shows another part of the chain; the whole when absent. */
  readonly onZoom: (span: HeightRange | undefined) => void
}

/**
 * Lies over the lanes and tells what is under the pointer, or under the cursor that the arrow keys move. Dragging over
 * a part of the chain zooms in on it; so do + and −, and 0 shows the whole.
 */
export function CoverageCursor({ coverage, onZoom }: CoverageCursorProps): ReactNode {
  const { cells } = coverage
  const [chosen, setCell] = useState<number>()
  const [dragFrom, setDragFrom] = useState<number>()
  const cell = chosen === undefined ? undefined : Math.min(chosen, cells - 1)
  const cellAt = (event: PointerEvent): number => {
    const box = event.currentTarget.getBoundingClientRect()
    return Math.max(0, Math.min(cells - 1, Math.floor(((event.clientX - box.left) / box.width) * cells)))
  }
  const zoomBy = (factor: number): void => {
    const { from, to } = cellRange(coverage, cell ?? Math.floor(cells / 2))
    const half = Math.max(10, ((coverage.to - coverage.from) * factor) / 2)
    const middle = (from + to) / 2
    onZoom({ from: Math.max(0, Math.floor(middle - half)), to: Math.ceil(middle + half) })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = event.shiftKey ? 10 : 1
    const now = cell ?? cells - 1
    const moves: Record<string, number> = { ArrowLeft: now - step, ArrowRight: now + step, Home: 0, End: cells - 1 }
    const target = moves[event.key]
    if (target !== undefined) setCell(Math.max(0, Math.min(cells - 1, target)))
    else if (event.key === '+' || event.key === '=') zoomBy(0.25)
    else if (event.key === '-') zoomBy(4)
    else if (event.key === '0' || event.key === 'Escape') onZoom(undefined)
    else return
    event.preventDefault()
  }
  const press = (event: PointerEvent): void => {
    setCell(cellAt(event))
    if (event.button === 0 && event.pointerType === 'mouse') setDragFrom(cellAt(event))
  }
  const leave = (event: PointerEvent): void => {
    setDragFrom(undefined)
    // A finger leaves as soon as it has told where to look.
    if (event.pointerType === 'mouse') setCell(undefined)
  }
  const onPointerUp = (event: PointerEvent): void => {
    const end = cellAt(event)
    setDragFrom(undefined)
    if (dragFrom === undefined || Math.abs(end - dragFrom) < 2) return
    onZoom({
      from: cellRange(coverage, Math.min(dragFrom, end)).from,
      to: cellRange(coverage, Math.max(dragFrom, end)).to,
    })
  }
  const marked =
    cell === undefined
      ? undefined
      : { from: Math.min(cell, dragFrom ?? cell), to: Math.max(cell, dragFrom ?? cell) + 1 }
  return (
    <div
      className="cursor"
      role="slider"
      tabIndex={0}
      aria-label="Position on the chain"
      aria-valuemin={0}
      aria-valuemax={cells - 1}
      aria-valuenow={cell ?? cells - 1}
      aria-valuetext={describe(coverage, cell ?? cells - 1)}
      onKeyDown={onKeyDown}
      onBlur={() => setCell(undefined)}
      onFocus={(event) => {
        if (event.currentTarget.matches(':focus-visible')) setCell((old) => old ?? cells - 1)
      }}
      onPointerMove={(event) => setCell(cellAt(event))}
      onPointerLeave={leave}
      onPointerDown={press}
      onPointerUp={onPointerUp}
    >
      {marked !== undefined && (
        <span
          className={`mark ${dragFrom === undefined ? '' : 'drag'}`}
          style={{ left: `${(marked.from / cells) * 100}%`, width: `${((marked.to - marked.from) / cells) * 100}%` }}
        />
      )}
      {cell !== undefined && <Tooltip coverage={coverage} cell={cell} />}
    </div>
  )
}

function Tooltip({ coverage, cell }: { readonly coverage: Coverage; readonly cell: number }): ReactNode {
  const isRight = cell > coverage.cells / 2
  const at = `${((cell + (isRight ? 0 : 1)) / coverage.cells) * 100}%`
  return (
    <div
      className="tooltip"
      style={isRight ? { right: `calc(100% - ${at} + 8px)` } : { left: `calc(${at} + 8px)` }}
      aria-hidden="true"
    >
      <p className="title">{formatRange(cellRange(coverage, cell))}</p>
      <dl>
        {coverage.stages.map((lane) => (
          <div key={lane.name} className={cellState(lane, cell).replace(' ', '-')}>
            <dt>{lane.name}</dt>
            <dd>{inWords(lane, cell)}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

function inWords(lane: CoverageLane, cell: number): string {
  const state = cellState(lane, cell)
  if (state === 'done' || state === 'owed') return state
  const done = lane.done[cell] ?? 0
  const share = `${formatShare(done, 1)} done`
  if (state === 'partly done') return share
  const word = state === 'troubled' ? 'in trouble' : state
  return done > 0 && done < 1 ? `${share}, ${word}` : word
}

function describe(coverage: Coverage, cell: number): string {
  return `${formatRange(cellRange(coverage, cell))}: ${coverage.stages.map((lane) => `${lane.name} ${inWords(lane, cell)}`).join('; ')}`
}
