import { expect } from 'chai'
import { csvLine } from '../accounts/tax-report.ts'

describe('csvLine', () => {
  it('writes values unchanged and nulls as empty cells', () => {
    expect(csvLine(['a', 1, null, undefined, '0.10000000'])).to.equal('a,1,,,0.10000000\r\n')
  })

  it('quotes cells with separators', () => {
    expect(csvLine(['a,b', 'say "x"', 'one\ntwo', 'one\rtwo'])).to.equal('"a,b","say ""x""","one\ntwo","one\rtwo"\r\n')
  })

  it('escapes formulas', () => {
    expect(csvLine(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '=HYPERLINK("x")'])).to.equal(
      `'=1+1,'+1,'-1,'@SUM(A1),'\t=1,"'\r=1","'=HYPERLINK(""x"")"\r\n`,
    )
  })
})
