import { expect } from 'chai'
import { columnHint, explorerAddress, explorerPath } from './explorer-path.ts'

const id = 'ab'.repeat(32)

describe('what leads to the explorer', () => {
  it('is an address, an id or a contract', () => {
    expect(explorerPath('0x1654653399040A61')).to.equal('/account/0x1654653399040a61')
    expect(explorerPath(`0x${'12'.repeat(20)}`)).to.equal(`/evm/address/0x${'12'.repeat(20)}`)
    expect(explorerPath(id)).to.equal(`/transaction/${id}`)
    expect(explorerPath(`0x${id}`)).to.equal(`/search?q=0x${id}`)
    expect(explorerPath(`0x${id}`, 'transaction')).to.equal(`/transaction/${id}`)
    expect(explorerPath('A.1654653399040a61.FlowToken.Vault')).to.equal('/contract/A.1654653399040a61.FlowToken')
  })

  it('is a number only where it is a height', () => {
    expect(explorerPath('12,345,678', 'height')).to.equal('/block/12345678')
    expect(explorerPath('12345678')).to.equal(undefined)
    expect(explorerPath('12.5', 'height')).to.equal(undefined)
  })

  it('is nothing that only looks like it', () => {
    for (const text of [
      '0x165465339904',
      'hello',
      '',
      `${id}0`,
      '../x',
      'A.1654653399040a61.Flow/Token',
      'A.1654653399040a61',
      '0x1654653399040a61/../..',
    ])
      expect(explorerPath(text), text).to.equal(undefined)
  })

  it('is told by the name of a column', () => {
    expect(
      ['block_height', 'height', 'block', '区块高度', 'transaction_id', 'tx', 'evm_tx_hash', 'amount', 'blocks'].map(
        columnHint,
      ),
    ).to.deep.equal([
      'height',
      'height',
      'height',
      'height',
      'transaction',
      'transaction',
      undefined,
      undefined,
      undefined,
    ])
  })

  it('is below the explorer, wherever that is', () => {
    expect(explorerAddress('http://localhost:8082/', '/block/1')).to.equal('http://localhost:8082/block/1')
    expect(explorerAddress('https://x.example/flow', '/block/1')).to.equal('https://x.example/flow/block/1')
  })
})
