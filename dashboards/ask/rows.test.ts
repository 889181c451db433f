import { expect } from 'chai'
import { compareNumbers, sortRows, filterRows } from './rows.ts'

describe('sorting rows', () => {
  const column = (values: readonly (string | number | null)[], type: string, isDescending = false): unknown[] =>
    sortRows(
      values.map((value) => [value]),
      { column: 0, isDescending },
      type,
    ).map(([value]) => value)

  it('compares numbers beyond double precision exactly', () => {
    expect(column(['9007199254740993', '9007199254740992', '10', '9'], 'int8')).to.deep.equal([
      '9',
      '10',
      '9007199254740992',
      '9007199254740993',
    ])
    expect(column(['1.5', '1.50000000000000000001', '-2', '0.3'], 'numeric', true)).to.deep.equal([
      '1.50000000000000000001',
      '1.5',
      '0.3',
      '-2',
    ])
  })

  it('puts null last in both directions', () => {
    expect(column([null, '2', null, '1'], 'int8')).to.deep.equal(['1', '2', null, null])
    expect(column([null, '2', '1'], 'int8', true)).to.deep.equal(['2', '1', null])
  })

  it('compares other types as text', () => {
    expect(column(['10', '9', 'b', 'a'], 'text')).to.deep.equal(['10', '9', 'a', 'b'])
    expect(column([2, 10, 1], 'int4')).to.deep.equal([1, 2, 10])
  })

  it('is stable and does not change its input', () => {
    const rows = [
      ['b', 1],
      ['a', 1],
      ['c', 0],
    ] as const
    expect(sortRows(rows, { column: 1, isDescending: false }, 'int4').map(([name]) => name)).to.deep.equal([
      'c',
      'b',
      'a',
    ])
    expect(rows[0][0]).to.equal('b')
  })
})

describe('comparing PostgreSQL numbers', () => {
  it('handles exponents, NaN and infinity', () => {
    const sorted = ['NaN', '1e3', 'Infinity', '999.9', '-Infinity', '-1e-7', '0'].toSorted(compareNumbers)
    expect(sorted).to.deep.equal(['-Infinity', '-1e-7', '0', '999.9', '1e3', 'Infinity', 'NaN'])
  })
})

describe('filtering rows', () => {
  const rows = [
    ['FlowToken', '10'],
    ['Pebble', null],
    [{ name: 'flow' }, '7'],
  ] as const

  it('matches any cell, ignoring case', () => {
    expect(filterRows(rows, ' FLOW ')).to.deep.equal([rows[0], rows[2]])
    expect(filterRows(rows, '7')).to.deep.equal([rows[2]])
    expect(filterRows(rows, 'null')).to.deep.equal([])
  })

  it('returns all rows for an empty text', () => {
    expect(filterRows(rows, '  ')).to.equal(rows)
  })
})
