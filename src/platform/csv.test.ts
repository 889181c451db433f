import { expect } from 'chai'
import { csvLine } from './csv.ts'

describe('csvLine', () => {
  it('writes values unchanged and nulls as empty cells', () => {
    expect(csvLine(['a', 1, null, undefined, '', true, '0.10000000'])).to.equal('a,1,,,"",true,0.10000000\r\n')
    expect(csvLine(['-1.5', '+2', '-3e-7'])).to.equal('-1.5,+2,-3e-7\r\n')
  })

  it('quotes cells with separators', () => {
    expect(csvLine(['a,b', 'say "x"', 'one\ntwo', 'one\rtwo'])).to.equal('"a,b","say ""x""","one\ntwo","one\rtwo"\r\n')
  })

  it('quotes separators of other languages, where the rest of a text would be a cell', () => {
    expect(csvLine(['a;=1+1', 'a\t=1', ' a', 'b '])).to.equal('"a;=1+1","a\t=1"," a","b "\r\n')
  })

  it('escapes formulas', () => {
    expect(csvLine(['=1+1', '+1+1', '-1-1', '@SUM(A1)', '=HYPERLINK("x")'])).to.equal(
      `'=1+1,'+1+1,'-1-1,'@SUM(A1),"'=HYPERLINK(""x"")"\r\n`,
    )
    for (const text of ['\t=1', '\r=1', ' =1', '\u0001=1', '\u00a0+1+1', '\uff1d1', '|calc', '%0a=1'])
      expect(csvLine([text]), text).to.match(/^"?'/)
  })
})
