import { expect } from 'chai'
import fc from 'fast-check'
import type { CoverageLane } from './answers.gen.ts'
import { cellRange, cellState, pathOf, runsOf, ticksOf } from './coverage-cells.ts'

const lane: CoverageLane = {
  name: 'token_worker',
  done: [1, 1, 0.5, 0, 0, 0.9, 1],
  active: [0, 0, 0, 0.2, 0, 0, 0],
  failing: [0, 0, 0, 0, 0, 0.01, 0],
  skipped: [0, 0, 0, 0, 1, 0, 0],
}

describe('coverage cells', () => {
  it('show failures first, and done only for whole cells', () => {
    expect(lane.done.map((_, cell) => cellState(lane, cell))).to.deep.equal([
      'done',
      'done',
      'partly done',
      'active',
      'skipped',
      'failing',
      'done',
    ])
  })

  it('merge into ranges of one state', () => {
    expect(runsOf({ from: 100, to: 170, cells: 7, stages: [lane] }, lane)).to.deep.equal([
      { from: 100, to: 120, state: 'done' },
      { from: 120, to: 130, state: 'partly done' },
      { from: 130, to: 140, state: 'active' },
      { from: 140, to: 150, state: 'skipped' },
      { from: 150, to: 160, state: 'failing' },
      { from: 160, to: 170, state: 'done' },
    ])
  })

  it('draw one rectangle per run', () => {
    expect(pathOf(7, 4, 14, (cell) => lane.done[cell] === 1)).to.equal('M0 4h2v14h-2zM6 4h1v14h-1z')
    expect(pathOf(7, 4, 14, () => false)).to.equal('')
  })

  it('cover the span without gaps', () => {
    fc.assert(
      fc.property(fc.nat(1e9), fc.integer({ min: 1, max: 4000 }), fc.nat(1e7), (from, cells, more) => {
        const span = { from, to: from + cells + more, cells }
        expect(cellRange(span, 0).from).to.equal(from)
        expect(cellRange(span, cells - 1).to).to.equal(span.to)
        const cell = more % cells
        if (cell > 0) expect(cellRange(span, cell).from).to.equal(cellRange(span, cell - 1).to)
      }),
    )
  })

  it('have round axis ticks within the span', () => {
    expect(ticksOf({ from: 124_000_000, to: 124_918_343 }, 8)).to.deep.equal([
      124_000_000, 124_200_000, 124_400_000, 124_600_000, 124_800_000,
    ])
    fc.assert(
      fc.property(fc.nat(1e9), fc.integer({ min: 1, max: 1e9 }), (from, length) => {
        const ticks = ticksOf({ from, to: from + length }, 8)
        expect(ticks.length).to.be.at.most(9)
        expect(ticks.every((tick) => tick >= from && tick < from + length)).to.equal(true)
      }),
    )
  })
})
