import { expect } from 'chai'
import { durationText, Progress, progressText, statusText } from './progress.ts'

const batch = (from: number, to: number) => ({
  from,
  to,
  blockCount: to - from,
  txCount: 0,
  eventCount: (to - from) * 90,
  undecodedCodes: [],
  fetched: [],
  seconds: 0.1,
})

describe('progress', () => {
  it('measures a forward segment against the head', () => {
    const progress = new Progress(() => 199)
    progress.begin('main_ingester', { from: 100, position: 120, isForward: true })
    progress.committed('main_ingester', batch(120, 150))
    const [line] = progress.lines()
    expect(line).to.include({ done: 50, total: 100, behind: 50, height: 149 })
    expect(line?.blocksPerSecond).to.be.greaterThan(0)
    expect(line?.etaSeconds).to.be.greaterThan(0)
  })

  it('measures a backward segment against its lower end', () => {
    const progress = new Progress(() => 1000)
    progress.begin('history_ingester', { from: 0, position: 899, total: 1000, isForward: false })
    progress.committed('history_ingester', batch(880, 900))
    expect(progress.lines()[0]).to.include({ done: 120, total: 1000, behind: 880, height: 880 })
    progress.finish('history_ingester')
    expect(progress.lines()).to.deep.equal([])
  })

  it('formats a readable message', () => {
    const line = {
      ingester: 'main_ingester',
      done: 1200,
      total: 5000,
      blocksPerSecond: 812.4,
      eventsPerSecond: 75_600,
      behind: 3800,
      etaSeconds: 4.6,
      height: 1199,
    }
    expect(progressText(line)).to.equal(
      'main_ingester 1,200 of 5,000 (24.0 %), 812 blocks/s, 75,600 events/s, 3,800 behind, 5 s left',
    )
    expect(progressText({ ...line, blocksPerSecond: 0, etaSeconds: undefined })).to.match(/, waiting$/)
    expect(progressText({ ...line, done: 4999, behind: 1 })).to.include('(99.9 %)')
    expect(statusText(line)).to.equal(
      'main     24.0 %, 5 s left, 812 blocks/s, 75,600 events/s, 3,800 behind, now at 1,199',
    )
    expect(durationText(4)).to.equal('4 s')
    expect(durationText(600)).to.equal('10 min')
    expect(durationText(12_000)).to.equal('3 h 20 min')
    expect(durationText(440_000)).to.equal('5 d 2 h')
  })
})
