import { expect } from 'chai'
import * as fc from 'fast-check'
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
  it('follows an item between accounts, in order', () => {
    expect(
      brief([
        ['out', alice],
        ['in', bob],
        ['out', bob],
        ['in', carol],
      ]),
    ).to.deep.equal(['1 5 a1 b0 transfer', '3 5 b0 c0 transfer'])
    expect(
      brief([
        ['out', alice],
        ['in', alice],
      ]),
    ).to.deep.equal(['1 5 a1 a1 transfer'])
  })

  it('follows items through collections outside accounts', () => {
    expect(
      brief([
        ['out', alice],
        ['in', undefined],
        ['out', undefined],
        ['in', bob],
      ]),
    ).to.deep.equal(['3 5 a1 b0 transfer'])
  })

  it('counts a move out of or into a nested collection once', () => {
    expect(
      brief([
        ['out', alice],
        ['out', alice],
        ['in', bob],
        ['in', bob],
      ]),
    ).to.deep.equal(['2 5 a1 b0 transfer'])
    expect(
      brief([
        ['out', undefined],
        ['out', alice],
        ['in', undefined],
        ['in', bob],
      ]),
    ).to.deep.equal(['3 5 a1 b0 transfer'])
  })

  it('detects that an item arrived with its collection when it leaves it', () => {
    expect(
      brief([
        ['out', alice],
        ['out', bob],
        ['in', carol],
      ]),
    ).to.deep.equal(['1 5 a1 b0 transfer', '2 5 b0 c0 transfer'])
  })

  it('separates items with the same uuid', () => {
    const twin = { ...item, id: '6' }
    expect(
      brief([
        ['out', alice],
        ['out', bob, twin],
        ['in', carol, twin],
        ['in', carol],
      ]),
    ).to.deep.equal(['2 6 b0 c0 transfer', '3 5 a1 c0 transfer'])
    expect(
      brief(
        [
          ['out', alice],
          ['out', alice, twin],
        ],
        twin,
      ),
    ).to.deep.equal(['2 6 a1 - burn', '0 5 a1 - withdrawal'])
  })

  it('reports new, destroyed and undelivered items', () => {
    expect(brief([['in', bob]])).to.deep.equal(['0 5 - b0 deposit'])
    expect(brief([['out', alice]], item)).to.deep.equal(['1 5 a1 - burn'])
    expect(brief([['out', alice]])).to.deep.equal(['0 5 a1 - withdrawal'])
    expect(
      brief([
        ['out', alice],
        ['out', alice],
      ]),
    ).to.deep.equal(['0 5 a1 - withdrawal'])
    expect(brief([], item)).to.deep.equal(['0 5 - - burn'])
  })

  it('omits the EVM side of items that left and did not arrive', () => {
    const flow = new NonFungibleFlow()
    flow.leftEvm(0, item, `0x${'e'.repeat(40)}`)
    flow.finish()
    expect(flow.transfers.map(({ from, to, type }) => [from?.length, to, type])).to.deep.equal([
      [42, undefined, 'bridge'],
    ])
  })

  it('follows items of any uuid between accounts without gaps', () => {
    const evm = `0x${'e'.repeat(40)}`
    const bridge = '0x00000000000000bb'
    const step = fc.record({
      id: fc.constantFrom('5', '6'),
      uuid: fc.constantFrom('77', '78'),
      action: fc.constantFrom('move', 'nested', 'throughMiddle', 'toEvm', 'keep', 'burn'),
      to: fc.constantFrom(alice, bob, carol),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const flow = new NonFungibleFlow()
        /** Where each item is: an account, unknown, or destroyed. */
        const places = new Map<string, string | undefined>()
        let index = 0
        for (const { id, uuid, action, to } of steps) {
          const moved = { ...item, id, uuid }
          const key = `${id} ${uuid}`
          if (places.get(key) === 'gone') continue
          const owner = places.has(key) ? places.get(key) : alice
          // An item inside a resource leaves it without an event.
          if (owner !== undefined) flow.withdrawn(index++, moved, owner)
          if (action === 'nested' && owner !== undefined) flow.withdrawn(index++, moved, owner)
          if (action === 'throughMiddle') {
            flow.deposited(index++, moved, undefined)
            flow.withdrawn(index++, moved, undefined)
          }
          if (action === 'burn') flow.destroyed(index++, id, uuid)
          else if (action === 'toEvm') {
            flow.enteredEvm(index++, moved, evm)
            flow.deposited(index++, moved, bridge)
            flow.withdrawn(index++, moved, bridge)
            flow.leftEvm(index++, moved, evm)
            flow.deposited(index++, moved, to)
          } else if (action !== 'keep') {
            flow.deposited(index++, moved, to)
            if (action === 'nested') flow.deposited(index++, moved, to)
          }
          places.set(key, action === 'burn' ? 'gone' : action === 'keep' ? undefined : to)
        }
        flow.finish()
        for (const [key, last] of places) {
          const ofItem = flow.transfers
            .filter(({ id, uuid }) => `${id} ${uuid}` === key)
            .toSorted((a, b) => a.eventIndex - b.eventIndex)
          expect(ofItem.at(0)?.from, 'it was with alice').to.equal(alice)
          const hands = ofItem.filter(({ type }) => type !== 'escrow')
          for (const [i, { from }] of hands.entries()) if (i > 0) expect(from).to.equal(hands[i - 1]?.to)
          expect(hands.at(-1)?.to).to.equal(last === 'gone' ? undefined : last)
          const locked = ofItem.filter(({ type }) => type === 'escrow').map(({ from, to }) => from ?? `to ${to}`)
          expect(locked.filter((one) => one === bridge).length).to.equal(locked.filter((one) => one !== bridge).length)
        }
      }),
      { numRuns: 300 },
    )
  })
})
