import { expect } from 'chai'
import { timeOf } from './clock.ts'
import type { ClockShape } from './clock.ts'

const dayMs = 86_400_000
const clock: ClockShape = {
  height: 10_000,
  time: new Date('2026-03-01T00:00:00Z'),
  spacingMs: 800,
  pastSpacingMs: (21 * dayMs) / 10_000,
}

describe('ledger clock', () => {
  it('spreads the past over busy and quiet days', () => {
    const heights = Array.from({ length: 10_101 }, (_, height) => height)
    const times = heights.map((height) => timeOf(height, clock))
    for (const height of heights.slice(1)) {
      expect(times[height], `height ${height}`).to.be.above(times[height - 1] as number)
    }
    expect(times[10_000]).to.be.closeTo(clock.time.getTime(), 200)
    expect(times[10_100]).to.be.closeTo(clock.time.getTime() + 80_000, 200)
    expect(times[0]).to.be.within(clock.time.getTime() - 23 * dayMs, clock.time.getTime() - 19 * dayMs)
    const byDay = Map.groupBy(times.slice(0, 9_900), (time) => Math.floor(time / dayMs))
    const counts = [...byDay.values()].slice(1, -1).map(({ length }) => length)
    expect(Math.max(...counts)).to.be.above(1.5 * Math.min(...counts))
  })

  it('has a constant pace without a generated past', () => {
    const { pastSpacingMs: _past, ...even } = clock
    expect(timeOf(0, even)).to.be.closeTo(clock.time.getTime() - 8_000_000, 200)
    const gaps = Array.from({ length: 200 }, (_, i) => timeOf(i + 1, even) - timeOf(i, even)).toSorted((a, b) => a - b)
    // The median spacing: half of the spacings are longer.
    expect(gaps[100]).to.be.closeTo(800, 40)
    expect(new Set(gaps).size).to.be.above(100)
  })
})
