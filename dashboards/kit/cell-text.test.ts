import { expect } from 'chai'
import { cellText, isNumberType, isTimeType, shownText } from './cell-text.ts'

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

describe('a text for the eye', () => {
  it('tells signs that nobody sees', () => {
    expect(shownText('Flow\u202Enekot\u200B\u0000')).to.equal('Flow⟨U+202E⟩nekot⟨U+200B⟩⟨U+0000⟩')
    expect(shownText('a\u{E0041}b')).to.equal('a⟨U+E0041⟩b')
  })

  it('is the text where there are none, in all languages', () => {
    for (const text of ['two\nlines\tand a tab', '过去24小时', 'שלום', '👩‍🌾 é']) expect(shownText(text)).to.equal(text)
  })
})

describe('types of PostgreSQL', () => {
  it('are told apart as the page needs them', () => {
    expect(['int8', 'numeric', 'text', 'bytea', '_int4'].map(isNumberType)).to.deep.equal([
      true,
      true,
      false,
      false,
      false,
    ])
    expect(['date', 'timestamptz', 'time', 'text'].map(isTimeType)).to.deep.equal([true, true, false, false])
  })
})
