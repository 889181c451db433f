import { expect } from 'chai'
import fc from 'fast-check'
import {
  formatAge,
  formatAgo,
  formatCompact,
  formatCount,
  formatDuration,
  formatNumber,
  formatRange,
  formatRate,
  formatShare,
  formatTime,
  splitAmount,
} from './formats.ts'

describe('page formats', () => {
  it('split amounts into shown and hidden decimals', () => {
    const amounts = ['1,234.56789', '-0.000012345', '12', '0.5', '7.1234', '0', '1,000.00004']
    expect(amounts.map((amount) => splitAmount(amount))).to.deep.equal([
      ['1,234.5678', '9'],
      ['-0.00001234', '5'],
      ['12', ''],
      ['0.5', ''],
      ['7.1234', ''],
      ['0', ''],
      ['1,000', '.00004'],
    ])
    expect([splitAmount('2,136.5', 0), splitAmount('0.123456', 2)]).to.deep.equal([
      ['2,136', '.5'],
      ['0.1234', '56'],
    ])
  })

  it('write numbers with commas, and a compact form', () => {
    expect(formatNumber(1_234_567)).to.equal('1,234,567')
    expect([9_999, 10_000, 12_345, 999_999, 1_000_000, 124_918_342, 1.5e9].map(formatCompact)).to.deep.equal([
      '9,999',
      '10.0k',
      '12.3k',
      '999k',
      '1.00M',
      '124M',
      '1.50B',
    ])
    expect([0, 0.44, 9.96, 37, 1204].map(formatRate)).to.deep.equal(['0', '0.4', '10.0', '37', '1,204'])
    expect([formatCount(1, 'range'), formatCount(2000, 'range')]).to.deep.equal(['1 range', '2,000 ranges'])
  })

  it('show 100% only for the whole', () => {
    expect([formatShare(0, 10), formatShare(1, 3), formatShare(10, 10), formatShare(0, 0)]).to.deep.equal([
      '0.0%',
      '33.3%',
      '100%',
      '100%',
    ])
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), fc.nat(), (total, missing) => {
        expect(formatShare(total - missing, total) === '100%').to.equal(missing === 0)
      }),
    )
  })

  it('write durations in at most two units', () => {
    expect([0, 59.4, 60, 250, 3600, 11_550, 93_600, 864_000].map(formatDuration)).to.deep.equal([
      '0 s',
      '59 s',
      '1 min',
      '4 min 10 s',
      '1 h',
      '3 h 12 min',
      '1 d 2 h',
      '10 d',
    ])
  })

  it('write ages in one unit, never below now', () => {
    const now = Date.parse('2026-03-01T12:00:00Z')
    const times = [
      '2026-03-01T12:00:05Z',
      '2026-03-01T11:59:48Z',
      '2026-03-01T11:56:00Z',
      '2026-03-01T09:00:00Z',
      '2026-02-01T12:00:00Z',
    ]
    expect(times.map((time) => formatAge(time, now))).to.deep.equal(['now', '12 s', '4 min', '3 h', '28 d'])
    expect(times.map((time) => formatAgo(time, now)).slice(0, 3)).to.deep.equal(['in 5 s', '12 s ago', '4 min ago'])
    for (const ahead of ['00.400', '01.900']) expect(formatAgo(`2026-03-01T12:00:${ahead}Z`, now)).to.equal('just now')
    expect(formatAgo('2026-03-01T12:00:02.000Z', now)).to.equal('in 2 s')
    expect(formatTime('2026-03-01T04:05:06.789Z')).to.equal('2026-03-01 04:05:06 UTC')
  })

  it('write a half-open range inclusively', () => {
    expect(formatRange({ from: 100, to: 1200 })).to.equal('100 – 1,199')
    expect(formatRange({ from: 100, to: 101 })).to.equal('100')
  })
})
