import { expect } from 'chai'
import { decodeCall, decodeLog } from './known-abi.ts'

const alice = '0a'.repeat(20)
const bob = '0b'.repeat(20)
const word = (number: number): string => number.toString(16).padStart(64, '0')
const party = (address: string): string => address.padStart(64, '0')
const bytes = (...parts: readonly string[]): Buffer => Buffer.from(parts.join(''), 'hex')
const transfer = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

describe('EVM calls and logs with well-known signatures', () => {
  it('are decoded with the names of their parameters', () => {
    expect(decodeCall(bytes('23b872dd', party(alice), party(bob), word(7)))).to.deep.equal({
      name: 'transferFrom',
      signature: 'transferFrom(address,address,uint256)',
      parameters: [
        { name: 'from', type: 'address', isIndexed: false, value: `0x${alice}` },
        { name: 'to', type: 'address', isIndexed: false, value: `0x${bob}` },
        { name: 'amount', type: 'uint256', isIndexed: false, value: '7' },
      ],
    })
  })

  it('are distinguished by their parameters if functions share a name', () => {
    const short = decodeCall(bytes('42842e0e', party(alice), party(bob), word(7)))
    const long = decodeCall(
      bytes('b88d4fde', party(alice), party(bob), word(7), word(128), word(1), 'ff'.padEnd(64, '0')),
    )
    expect(short?.signature).to.equal('safeTransferFrom(address,address,uint256)')
    expect(long?.signature).to.equal('safeTransferFrom(address,address,uint256,bytes)')
    expect(long?.parameters.at(-1)?.value).to.equal('0xff')
  })

  it('are distinguished by their topics if events share a signature', () => {
    const topics = [transfer, party(alice), party(bob)]
    const amount = decodeLog({ address: alice, topics, data: bytes(word(7)) })
    const item = decodeLog({ address: alice, topics: [...topics, word(7)], data: bytes() })
    expect(amount?.parameters.map(({ name, isIndexed, value }) => [name, isIndexed, value])).to.deep.equal([
      ['from', true, `0x${alice}`],
      ['to', true, `0x${bob}`],
      ['value', false, '7'],
    ])
    expect(item?.parameters.at(-1)).to.deep.equal({ name: 'tokenId', type: 'uint256', isIndexed: true, value: '7' })
  })

  it('are left undecoded if unknown or malformed', () => {
    expect(decodeCall(bytes('ffffffff', word(1)))).to.equal(undefined)
    expect(decodeCall(bytes('a9059c'))).to.equal(undefined)
    expect(decodeCall(bytes())).to.equal(undefined)
    expect(decodeCall(bytes('a9059cbb', party(alice)))).to.equal(undefined)
    for (const [topics, data] of [
      [[], bytes()],
      [['00'.repeat(32)], bytes()],
      [[transfer], bytes()],
      [[transfer, party(alice), party(bob)], bytes()],
      [[transfer, party(alice), party(bob), word(1)], bytes(word(1))],
      [[transfer, 'f'.repeat(64), party(bob)], bytes(word(1))],
    ] as const) {
      expect(decodeLog({ address: alice, topics, data })).to.equal(undefined)
    }
  })
})
