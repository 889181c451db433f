import { expect } from 'chai'
import { listCsv } from './list-csv.ts'

describe('listCsv', () => {
  it('has a column for each field of any item, nested ones by path', () => {
    const items = [
      { id: 'a', amount: '0.10000000', token: { symbol: 'FLOW', logo: null }, tags: ['EVM', 'SWAP'] },
      { id: 'b', name: 'A, B', tags: [], moves: [{ to: 1 }] },
    ]
    expect(listCsv(items)).to.equal(
      '\uFEFFid,amount,token.symbol,token.logo,tags,name,moves\r\n' +
        'a,0.10000000,FLOW,,EVM SWAP,,\r\nb,,,,,"A, B","[{""to"":1}]"\r\n',
    )
  })

  it('escapes formulas in texts from the chain', () => {
    expect(listCsv([{ name: '=HYPERLINK("x")' }])).to.equal('\uFEFFname\r\n"\'=HYPERLINK(""x"")"\r\n')
  })
})
