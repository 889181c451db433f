import { expect } from 'chai'
import { cellText, isNumberType, isTimeType } from './cell-text.ts'

describe('the text of a cell', () => {
  it('is the value, with all of its digits', () => {
    expect(cellText('12345678901234567890.00000001')).to.equal('12345678901234567890.00000001')
    expect(cellText(0)).to.equal('0')
    expect(cellText(false)).to.equal('false')
    expect(cellText(null)).to.equal('')
  })

  it('is JSON where the value is made of others', () => {
    expect(cellText({ a: ['1', null] })).to.equal('{"a":["1",null]}')
  })
})

describe('types of PostgreSQL', () => {
  it('are told apart as the page needs them', () => {
    expect(['int8', 'numeric', 'text', 'bytea', '_int4'].map(isNumberType)).to.deep.equal([true, true, false, false, false])
    expect(['date', 'timestamptz', 'time', 'text'].map(isTimeType)).to.deep.equal([true, true, false, false])
  })
})
