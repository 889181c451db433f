import { expect } from 'chai'
import { countCounterparties } from './counterparties.ts'

const own = '0x01'
const row = (
  from: string | null,
  to: string | null,
  height: number,
): Parameters<typeof countCounterparties>[0][number] => {
  return { block_height: height, tx_index: 0, from_address: from, to_address: to }
}

describe('counterparties', () => {
  it('are counted in both directions, most transfers first, then latest', () => {
    const rows = [row(own, '0x02', 9), row('0x03', own, 8), row('0x02', own, 5), row(own, '0x04', 7)]
    expect(countCounterparties(rows, own)).to.deep.equal([
      { address: '0x02', sent: 1, received: 1, lastHeight: 9 },
      { address: '0x03', sent: 0, received: 1, lastHeight: 8 },
      { address: '0x04', sent: 1, received: 0, lastHeight: 7 },
    ])
  })

  it('exclude unknown parties and the account itself', () => {
    expect(countCounterparties([row(own, own, 1), row(null, own, 2), row(own, null, 3)], own)).to.deep.equal([])
  })
})
