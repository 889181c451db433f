import { expect } from 'chai'
import { isNumberType } from '../kit/result-table.ts'
import { chartOf, comparable, maxSeries } from './chart-choice.ts'
import type { ResultTable } from '../kit/result-table.ts'

function table(columns: Readonly<Record<string, string>>, rows: ResultTable['rows']): ResultTable {
  return {
    columns: Object.entries(columns).map(([name, type]) => ({ name, type, isNumber: isNumberType(type) })),
    rows,
  }
}

describe('chart of a result', () => {
  it('is a line over days, oldest first, with a series for each number column', () => {
    const days = table({ count: 'int8', day: 'date', change_percent: 'numeric' }, [
      ['3', '2026-03-02', '-1.5'],
      ['1200', '2026-03-01', null],
    ])
    expect(chartOf(days)).to.deep.equal({
      shape: 'line',
      by: 'day',
      points: ['2026-03-01', '2026-03-02'],
      series: [
        { name: 'count', values: [1200, 3], texts: ['1,200', '3'] },
        { name: 'change_percent', values: [undefined, -1.5], texts: ['no value', '-1.5%'] },
      ],
    })
  })

  it('has short labels of times', () => {
    const namesOf = (times: readonly string[]): readonly string[] | undefined =>
      chartOf(
        table(
          { at: 'timestamptz', n: 'int8' },
          times.map((at) => [at, '1']),
        ),
      )?.points
    expect(namesOf(['2026-03-14T22:41:09Z', '2026-03-14T22:41:08.5Z'])).to.deep.equal(['22:41:08.5', '22:41:09'])
    expect(namesOf(['2026-03-14T22:00:00Z', '2026-03-15T00:00:00Z'])).to.deep.equal([
      '03-14 22:00:00',
      '03-15 00:00:00',
    ])
    expect(namesOf(['2025-12-31T22:00:00Z', '2026-01-01T00:00:00Z'])).to.deep.equal([
      '25-12-31 22:00:00',
      '26-01-01 00:00:00',
    ])
    expect(namesOf(['2025-12-31T00:00:00Z', '2026-01-01T00:00:00Z'])).to.deep.equal(['2025-12-31', '2026-01-01'])
  })

  it('is bars over names, in row order, with exact texts', () => {
    const chart = chartOf(
      table({ token: 'text', amount: 'numeric' }, [
        ['A.0ae53cb6e3f42a79.FlowToken', '12345678901234567890.5'],
        ['A.0ae53cb6e3f42a79.FlowXToken', null],
        ['A.0ae53cb7e3f42a79.BFlowToken', '-1'],
      ]),
    )
    expect(chart?.shape).to.equal('bars')
    expect(chart?.series[0]?.texts).to.deep.equal(['12,345,678,901,234,567,890.5', 'no value', '-1'])
    expect(new Set(chart?.points).size).to.equal(3)
  })

  it('has a series for each name if names repeat over times', () => {
    const chart = chartOf(
      table({ day: 'date', token: 'text', volume: 'numeric' }, [
        ['2026-03-02', 'A', '2'],
        ['2026-03-01', 'A', '1'],
        ['2026-03-02', 'B', '30'],
      ]),
    )
    expect(chart?.points).to.deep.equal(['2026-03-01', '2026-03-02'])
    expect(chart?.series.map(({ name, values }) => [name, values])).to.deep.equal([
      ['B', [undefined, 30]],
      ['A', [1, 2]],
    ])
  })

  it('has at most eight series, the largest', () => {
    const rows = Array.from({ length: 40 }, (_, i) => [`2026-03-0${1 + (i % 2)}`, `T${i >> 1}`, String(i)])
    const chart = chartOf(table({ day: 'date', token: 'text', volume: 'numeric' }, rows))
    expect(chart?.series).to.have.length(maxSeries)
    expect(chart?.series[0]?.name).to.equal('T19')
  })

  it('first shows series that fit one axis', () => {
    const series = [10, 9000, -4, 0.1].map((value, i) => ({ name: `s${i}`, values: [value, undefined], texts: [] }))
    expect([...comparable(series)]).to.deep.equal(['s0', 's2'])
  })

  it('allows a number column as the name, such as a height', () => {
    expect(
      chartOf(
        table({ height: 'int8', gas: 'int8' }, [
          ['1', '5'],
          ['2', '7'],
        ]),
      )?.by,
    ).to.equal('height')
  })

  it('is undefined for unsuitable data', () => {
    expect(chartOf(table({ n: 'int8' }, [['1'], ['2']])), 'one column').to.equal(undefined)
    expect(chartOf(table({ day: 'date', n: 'int8' }, [['2026-03-01', '1']])), 'one row').to.equal(undefined)
    const twice = [
      ['a', '1'],
      ['a', '2'],
    ]
    expect(chartOf(table({ name: 'text', n: 'int8' }, twice)), 'names twice').to.equal(undefined)
    const noNumber = [
      ['a', 'NaN'],
      ['b', '2'],
    ]
    expect(chartOf(table({ name: 'text', n: 'float8' }, noNumber)), 'no number').to.equal(undefined)
    const many = Array.from({ length: 61 }, (_, i) => [`a${i}`, '1'])
    expect(chartOf(table({ name: 'text', n: 'int8' }, many)), 'many bars').to.equal(undefined)
  })
})
