import { expect } from 'chai'
import * as fc from 'fast-check'
import { oldBalanceChanges, oldFungibleTransfers } from './old-fungible-flow.ts'
import type { OldVaultEvent } from './old-fungible-flow.ts'
import { ufix64Text, ufix64Units } from './ufix64.ts'

const token = 'A.b19436aae4d94622.FiatToken'
const [alice, bob, carol] = ['0x00000000000000a1', '0x00000000000000b0', '0x00000000000000c0']

type Step = readonly [kind: 'out' | 'in', amount: number, party: string | undefined]

function events(steps: readonly Step[]): OldVaultEvent[] {
  return steps.map(([kind, amount, party], eventIndex) => ({
    eventIndex,
    token,
    isDeposit: kind === 'in',
    amount: `${amount}.00000000`,
    party,
  }))
}

function brief(steps: readonly Step[]): string[] {
  return oldFungibleTransfers(events(steps)).map(
    ({ from = '-', to = '-', amount, type, eventIndex }) =>
      `${eventIndex} ${from.slice(-2)} ${to.slice(-2)} ${Number(amount)} ${type}`,
  )
}

describe('oldFungibleTransfers', () => {
  it('pairs by order', () => {
    expect(
      brief([
        ['out', 5, alice],
        ['in', 5, bob],
      ]),
    ).to.deep.equal(['1 a1 b0 5 transfer'])
  })

  it('pairs by amount if several are pending', () => {
    expect(
      brief([
        ['out', 5, alice],
        ['out', 7, bob],
        ['in', 7, carol],
        ['in', 5, carol],
      ]),
    ).to.deep.equal(['2 b0 c0 7 transfer', '3 a1 c0 5 transfer'])
  })

  it('follows splits and merges through vaults outside accounts', () => {
    expect(
      brief([
        ['out', 20, alice],
        ['out', 5, undefined],
        ['in', 5, bob],
        ['in', 15, carol],
      ]),
    ).to.deep.equal(['2 a1 b0 5 transfer', '3 a1 c0 15 transfer'])
    expect(
      brief([
        ['out', 2, alice],
        ['out', 3, bob],
        ['in', 3, undefined],
        ['in', 5, carol],
      ]),
    ).to.deep.equal(['3 a1 c0 2 transfer', '3 b0 c0 3 transfer'])
  })

  it('reports new and undelivered tokens', () => {
    expect(brief([['in', 5, bob]])).to.deep.equal(['0 - b0 5 deposit'])
    expect(
      brief([
        ['out', 5, alice],
        ['in', 3, bob],
      ]),
    ).to.deep.equal(['1 a1 b0 3 transfer', '0 a1 - 2 withdrawal'])
  })

  it('matches the gains and losses of the events', () => {
    const step = fc.tuple(
      fc.constantFrom('out', 'in'),
      fc.nat(30),
      fc.constantFrom(alice, bob, carol, undefined),
    ) as fc.Arbitrary<Step>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const net = new Map<string, bigint>()
        const add = (party: string | undefined, units: bigint): void => {
          if (party !== undefined) net.set(party, (net.get(party) ?? 0n) + units)
        }
        for (const { from, to, amount } of oldFungibleTransfers(events(steps))) {
          add(from, -ufix64Units(amount))
          add(to, ufix64Units(amount))
        }
        const changes = oldBalanceChanges(events(steps)).map(({ address, units }) => [address, units] as const)
        const nonZero = (all: Iterable<readonly [string, bigint]>): object =>
          Object.fromEntries([...all].filter(([, units]) => units !== 0n))
        expect(nonZero(net)).to.deep.equal(nonZero(changes))
      }),
    )
  })
})

describe('ufix64 texts', () => {
  it('round-trips up to the maximum', () => {
    for (const text of ['0.00000000', '0.00000001', '1.50000000', '184467440737.09551615']) {
      expect(ufix64Text(ufix64Units(text))).to.equal(text)
    }
  })
})
