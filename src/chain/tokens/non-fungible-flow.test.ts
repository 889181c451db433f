import { expect } from 'chai'
import { NonFungibleFlow } from './non-fungible-flow.ts'

const [alice, bob, carol] = ['0x00000000000000a1', '0x00000000000000b0', '0x00000000000000c0']
const item = { token: 'A.0b2a3299cc857e29.TopShot', id: '5', uuid: '77' }

type Step = readonly [kind: 'out' | 'in', party: string | undefined, moved?: typeof item]

function brief(steps: readonly Step[], destroyed?: typeof item): string[] {
  const flow = new NonFungibleFlow()
  for (const [index, [kind, party, moved = item]] of steps.entries()) {
    if (kind === 'out') flow.withdrawn(index, moved, party)
    else flow.deposited(index, moved, party)
  }
  if (destroyed !== undefined) flow.destroyed(steps.length, destroyed.id, destroyed.uuid)
  flow.finish()
  return flow.transfers.map(
    ({ eventIndex, id, from = '-', to = '-', type }) => `${eventIndex} ${id} ${from.slice(-2)} ${to.slice(-2)} ${type}`,
  )
}

describe('NonFungibleFlow', () => {
  it('follows an item from hand to hand, in order', () => {
    expect(brief([['out', alice], ['in', bob], ['out', bob], ['in', carol]])).to.deep.equal([
      '1 5 a1 b0 transfer', '3 5 b0 c0 transfer',
    ])
    expect(brief([['out', alice], ['in', alice]])).to.deep.equal(['1 5 a1 a1 transfer'])
  })

  it('passes through collections that lie in no account', () => {
    expect(brief([['out', alice], ['in', undefined], ['out', undefined], ['in', bob]])).to.deep.equal([
      '3 5 a1 b0 transfer',
    ])
  })

  it('hears but once of a move out of or into a collection inside of another', () => {
    expect(brief([['out', alice], ['out', alice], ['in', bob], ['in', bob]])).to.deep.equal(['2 5 a1 b0 transfer'])
    expect(brief([['out', undefined], ['out', alice], ['in', undefined], ['in', bob]])).to.deep.equal([
      '3 5 a1 b0 transfer',
    ])
  })

  it('sees an item arrive with its collection where it leaves from there', () => {
    expect(brief([['out', alice], ['out', bob], ['in', carol]])).to.deep.equal([
      '1 5 a1 b0 transfer', '2 5 b0 c0 transfer',
    ])
  })

  it('keeps items apart that share a uuid', () => {
    const twin = { ...item, id: '6' }
    expect(brief([['out', alice], ['out', bob, twin], ['in', carol, twin], ['in', carol]])).to.deep.equal([
      '2 6 b0 c0 transfer', '3 5 a1 c0 transfer',
    ])
    expect(brief([['out', alice], ['out', alice, twin]], twin)).to.deep.equal(['2 6 a1 - burn', '0 5 a1 - withdrawal'])
  })

  it('tells of what appeared, what was destroyed and what did not arrive', () => {
    expect(brief([['in', bob]])).to.deep.equal(['0 5 - b0 deposit'])
    expect(brief([['out', alice]], item)).to.deep.equal(['1 5 a1 - burn'])
    expect(brief([['out', alice]])).to.deep.equal(['0 5 a1 - withdrawal'])
    expect(brief([['out', alice], ['out', alice]])).to.deep.equal(['0 5 a1 - withdrawal'])
    expect(brief([], item)).to.deep.equal(['0 5 - - burn'])
  })
})
