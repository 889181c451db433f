import { expect } from 'chai'
import { isNumberType } from '../kit/result-table.ts'
import { chartChoice, chartPoints } from './chart-choice.ts'
import type { ResultTable } from '../kit/result-table.ts'

function table(columns: Readonly<Record<string, string>>, rows: ResultTable['rows']): ResultTable {
  return {
    columns: Object.entries(columns).map(([name, type]) => ({ name, type, isNumber: isNumberType(type) })),
    rows,
  }
}

describe('chart choice', () => {
  it('is a line over days, oldest first', () => {
    const days = table({ count: 'int8', day: 'date' }, [
      ['3', '2026-03-02'],
      ['12', '2026-03-01'],
    ])
    const choice = chartChoice(days)
    expect(choice).to.deep.equal({ names: 1, values: [0], shape: 'line' })
    if (choice !== undefined)
      expect(chartPoints(days, choice, 0)).to.deep.equal([
        { date: '2026-03-01', value: 12, text: '12' },
        { date: '2026-03-02', value: 3, text: '3' },
      ])
  })

  it('is a line over times, with short labels', () => {
    const namesOf = (times: readonly string[]): string[] =>
      chartPoints(
        table(
          { at: 'timestamptz', n: 'int8' },
          times.map((at) => [at, '1']),
        ),
        { names: 0, values: [1], shape: 'line' },
        1,
      ).map(({ date }) => date)
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
    const tokens = table({ token: 'text', amount: 'numeric' }, [
      ['A.0ae53cb6e3f42a79.FlowToken', '12345678901234567890.5'],
      ['A.0ae53cb6e3f42a79.FlowXToken', null],
      ['A.0ae53cb7e3f42a79.BFlowToken', '1'],
    ])
    const choice = chartChoice(tokens)
    expect(choice).to.deep.equal({ names: 0, values: [1], shape: 'bars' })
    if (choice === undefined) return
    const points = chartPoints(tokens, choice, 1)
    expect(points.map(({ text }) => text)).to.deep.equal(['12345678901234567890.5', 'no value', '1'])
    expect(new Set(points.map(({ date }) => date)).size).to.equal(3)
  })

  it('allows a number column as the name, such as a height', () => {
    expect(
      chartChoice(
        table({ height: 'int8', gas: 'int8' }, [
          ['1', '5'],
          ['2', '7'],
        ]),
      )?.names,
    ).to.equal(0)
  })

  it('is undefined for unsuitable data', () => {
    expect(chartChoice(table({ n: 'int8' }, [['1'], ['2']])), 'one column').to.equal(undefined)
    expect(chartChoice(table({ day: 'date', n: 'int8' }, [['2026-03-01', '1']])), 'one row').to.equal(undefined)
    expect(
      chartChoice(
        table({ name: 'text', n: 'int8' }, [
          ['a', '1'],
          ['a', '2'],
        ]),
      ),
      'names twice',
    ).to.equal(undefined)
    expect(
      chartChoice(
        table({ name: 'text', n: 'int8' }, [
          ['a', '-1'],
          ['b', '2'],
        ]),
      ),
      'below nought',
    ).to.equal(undefined)
    expect(
      chartChoice(
        table({ name: 'text', n: 'float8' }, [
          ['a', 'NaN'],
          ['b', '2'],
        ]),
      ),
      'no number',
    ).to.equal(undefined)
    const many = Array.from({ length: 61 }, (_, i) => [`a${i}`, '1'])
    expect(chartChoice(table({ name: 'text', n: 'int8' }, many)), 'many bars').to.equal(undefined)
  })
})
