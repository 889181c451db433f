import { expect } from 'chai'
import { distinctNames, presentAnswer } from './dto.ts'

describe('rows by name', () => {
  it('number duplicate names and leave numbered names unchanged', () => {
    expect(distinctNames(['a', 'a', 'b', 'a'])).to.deep.equal(['a', 'a_2', 'b', 'a_3'])
    expect(distinctNames(['a', 'a_2', 'a'])).to.deep.equal(['a', 'a_2', 'a_3'])
    expect(distinctNames(['a', 'a', 'a_2'])).to.deep.equal(['a', 'a_3', 'a_2'])
    expect(distinctNames(['a_2', 'a_2', 'a_2'])).to.deep.equal(['a_2', 'a_2_2', 'a_2_3'])
    expect(distinctNames([])).to.deep.equal([])
  })

  it('accept any column name', () => {
    const columns = [
      { name: '__proto__', type: 'int4' },
      { name: '?column?', type: 'int4' },
      { name: '', type: 'text' },
    ]
    const { results } = presentAnswer({ columns, rows: [[1, 2, 'x']], rowCount: 1, truncated: false, durationMs: 1 })
    expect(JSON.stringify(results)).to.equal('[{"__proto__":1,"?column?":2,"":"x"}]')
  })

  it('include the columns of an empty result', () => {
    expect(
      presentAnswer({ columns: [{ name: 'a', type: 'int8' }], rows: [], rowCount: 0, truncated: false, durationMs: 1 }),
    ).to.deep.include({
      columns: ['a'],
      column_types: ['int8'],
      results: [],
      row_count: 0,
      truncated: false,
      truncated_by: null,
    })
    expect(presentAnswer(undefined)).to.deep.include({ columns: [], results: [], row_count: 0 })
  })
})
