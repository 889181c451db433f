import { expect } from 'chai'
import { filterRows } from './filter-rows.ts'

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
