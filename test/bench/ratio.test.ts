import { expect } from 'chai'
import { grownBlock, grownRequests, timesGrown } from '../../scripts/bench/report/growth.ts'
import { numberText, percentText } from '../../scripts/bench/report/number-text.ts'
import { disturbance } from '../../scripts/bench/report/quiet.ts'
import { isTargetReached, targetText, timesLimit, timesText } from '../../scripts/bench/report/ratio.ts'

describe('figures and their limits', () => {
  it('are so many times the limit, in words that say which way is better', () => {
    expect(timesLimit({ value: 500, limit: 2000 })).to.equal(0.25)
    expect(timesText({ better: 'more' }, { value: 500, limit: 2000 })).to.equal('0.250 times as fast')
    expect(timesText({ better: 'less' }, { value: 8, limit: 2 })).to.equal('4.00 times as much')
  })

  it('have nothing to be compared with without a limit, or of nothing', () => {
    expect(timesLimit({ value: 500 })).to.equal(undefined)
    expect(timesLimit({ value: 500, limit: 0 })).to.equal(undefined)
    expect(timesLimit({ value: 0, limit: 0 })).to.equal(undefined)
    expect(timesText({ better: 'less' }, { value: 500 })).to.equal('')
  })

  it('reach a target from the side that is better', () => {
    expect([399, 400].map((value) => isTargetReached({ better: 'more', target: 400 }, { value }))).to.deep.equal([
      false,
      true,
    ])
    expect([150, 151].map((value) => isTargetReached({ better: 'less', target: 150 }, { value }))).to.deep.equal([
      true,
      false,
    ])
    expect(isTargetReached({ better: 'less' }, { value: 1 })).to.equal(undefined)
    expect([
      targetText({ better: 'more', target: 2000 }),
      targetText({ better: 'less', target: 2.2 }),
      targetText({ better: 'less' }),
    ]).to.deep.equal(['at least 2,000', 'at most 2.2', ''])
  })

  it('are written with three digits that count', () => {
    expect([0, 0.01234, 0.5, 4.567, 89.12, 999.6, 1234.5, 1_234_567].map(numberText)).to.deep.equal([
      '0',
      '0.0123',
      '0.500',
      '4.57',
      '89.1',
      '1,000',
      '1,235',
      '1,234,567',
    ])
    expect(numberText(Number.NaN)).to.equal('–')
    expect([1.234, 0.5, 0.0123, 0.00123, 0].map(percentText)).to.deep.equal(['123 %', '50 %', '1 %', '0.12 %', '0 %'])
  })
})

describe('growth', () => {
  const stretch = (upTo: number, ms: number): { upTo: number; nodeMs: number; postgresMs: number } => ({
    upTo,
    nodeMs: ms,
    postgresMs: 2 * ms,
  })

  it('of a block is from where a tenth of the blocks were there, without the start of the program', () => {
    const grown = grownBlock([stretch(500, 9), stretch(1000, 2), stretch(5000, 7), stretch(10_000, 3)])
    expect(grown).to.deep.equal({ few: 1000, many: 10_000, fewMs: 6, manyMs: 9 })
    expect(timesGrown(grown ?? { fewMs: 0, manyMs: 0 })).to.equal(1.5)
    expect(grownBlock([stretch(5000, 9), stretch(10_000, 2)])).to.include({ few: 10_000, many: 10_000 })
    expect(grownBlock([stretch(500, 9)])).to.equal(undefined)
  })

  it('of requests is by case', () => {
    expect([
      ...grownRequests({ sizes: [10, 20, 100], cases: { 'block-list': [2, 9, 3].map((ms) => ({ ms, bytes: 1 })) } }),
    ]).to.deep.equal([['block-list', { few: 10, many: 100, fewMs: 2, manyMs: 3 }]])
  })
})

describe('a machine', () => {
  const quiet = { cores: 2, loadBefore: 1.4, others: [0.02, 0.18] }

  it('is quiet while others take at most a tenth of it in the mean, and little ran just before', () => {
    expect(disturbance(quiet)).to.equal(undefined)
  })

  it('is not where others worked, or the load was high', () => {
    expect(disturbance({ ...quiet, others: [0, 0.34, 0] })).to.equal('others used 11 % of all cores')
    expect(disturbance({ ...quiet, loadBefore: 1.6 })).to.equal('the load before was 1.6 on 2 cores')
  })
})
