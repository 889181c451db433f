import { expect } from 'chai'
import { compareNumbers, sortRows, filterRows } from './rows.ts'

describe('rows in the order of a column', () => {
  const column = (values: readonly (string | number | null)[], type: string, isDescending = false): unknown[] =>
    sortRows(
      values.map((value) => [value]),
      { column: 0, isDescending },
      type,
    ).map(([value]) => value)

  it('are by the exact value of numbers that no double holds', () => {
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

  it('have those without a value last, up and down', () => {
    expect(column([null, '2', null, '1'], 'int8')).to.deep.equal(['1', '2', null, null])
    expect(column([null, '2', '1'], 'int8', true)).to.deep.equal(['2', '1', null])
  })

  it('are by the text of all else', () => {
    expect(column(['10', '9', 'b', 'a'], 'text')).to.deep.equal(['10', '9', 'a', 'b'])
    expect(column([2, 10, 1], 'int4')).to.deep.equal([1, 2, 10])
  })

  it('stay as they were where they are equal, and the rows that came are not touched', () => {
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

describe('numbers as PostgreSQL writes them', () => {
  it('are compared with exponents and without end', () => {
    const sorted = ['NaN', '1e3', 'Infinity', '999.9', '-Infinity', '-1e-7', '0'].toSorted(compareNumbers)
    expect(sorted).to.deep.equal(['-Infinity', '-1e-7', '0', '999.9', '1e3', 'Infinity', 'NaN'])
  })
})

describe('rows that have a text', () => {
  const rows = [
    ['FlowToken', '10'],
    ['Pebble', null],
    [{ name: 'flow' }, '7'],
  ] as const

  it('have it in any cell, whatever its case', () => {
    expect(filterRows(rows, ' FLOW ')).to.deep.equal([rows[0], rows[2]])
    expect(filterRows(rows, '7')).to.deep.equal([rows[2]])
    expect(filterRows(rows, 'null')).to.deep.equal([])
  })

  it('are all where there is no text', () => {
    expect(filterRows(rows, '  ')).to.equal(rows)
  })
})
