import { expect } from 'chai'
import fc from 'fast-check'
import { bytesOf } from '../node/wire.ts'
import { ledgerChain } from './ledger-node.ts'
import type { LedgerChain } from './ledger-chain.ts'
import type { LedgerState } from './state/ledger-state.ts'
import type { StatePart } from './world/cycle.ts'
import { accountOfAddress } from './world/account.ts'
import type { Account } from './world/account.ts'
import { cycleLength } from './world/cycle.ts'
import { flow, vaultUuid } from './world/tokens.ts'

const heights = fc.integer({ min: 0, max: 1000 })

/** All data of a block that a node serves. */
function eventTexts(chain: LedgerChain, height: number): string[] {
  const block = chain.block(height)
  return [
    block.full,
    block.light,
    ...block.collections,
    ...block.transactions,
    ...block.results('ccf'),
    ...block.results('json-cdc'),
  ].map((message) => message.toString('hex'))
}

describe('ledger chain', () => {
  it('generates the same block independent of earlier requests', () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(heights, { maxLength: 4 }), heights, (seed, before, height) => {
        const chain = ledgerChain({ seed })
        for (const other of before) {
          chain.block(other).results('ccf')
          chain.stateAt(other)
        }
        expect(eventTexts(chain, height)).to.deep.equal(eventTexts(ledgerChain({ seed }), height))
      }),
      { numRuns: 20 },
    )
  })

  it('sets the parent to the block below', () => {
    const chain = ledgerChain({ branch: '150b' })
    for (let height = 1; height < 300; height++) {
      expect(bytesOf(chain.block(height).light, 2), `height ${height}`).to.deep.equal(chain.block(height - 1).id)
    }
  })

  it('shares the blocks up to a fork, and none above it', () => {
    fc.assert(
      fc.property(heights, heights, (after, height) => {
        const [trunk, branch] = [ledgerChain(), ledgerChain({ branch: `${after}b` })]
        if (height <= after) expect(eventTexts(branch, height)).to.deep.equal(eventTexts(trunk, height))
        else expect(branch.block(height).id).not.to.deep.equal(trunk.block(height).id)
      }),
      { numRuns: 20 },
    )
  })

  it('has different transactions on a branch, in the first and the second half of a cycle', () => {
    for (const after of [220, 320]) {
      const [trunk, branch] = [ledgerChain(), ledgerChain({ branch: `${after}b` })]
      const doers = (chain: LedgerChain): string[] =>
        Array.from({ length: 30 }, (_, nth) =>
          chain
            .draft(after + 1 + nth)
            .userTransactions.map(({ script, authorizers }) => `${authorizers[0]?.hex} ${script.length}`)
            .join(),
        )
      expect(doers(branch), `after ${after}`).not.to.deep.equal(doers(trunk))
    }
  })

  it('finds a block and a collection by id, far from earlier requests', () => {
    fc.assert(
      // A few thousand years ahead; later the FLOW supply would exceed UFix64.
      fc.property(fc.integer({ min: 1, max: 2 ** 38 }), (height) => {
        const [made, requested] = [ledgerChain(), ledgerChain()]
        const block = made.block(height)
        expect(requested.heightOfBlock(block.id)).to.equal(height)
        block.collectionIds.forEach((id, index) =>
          expect(requested.placeOfCollection(id)).to.deep.equal({ height, index }),
        )
        const other = ledgerChain({ seed: 2 })
        for (const id of [block.id, ...block.collectionIds]) {
          expect(other.heightOfBlock(id)).to.equal(undefined)
          expect(other.placeOfCollection(id)).to.equal(undefined)
        }
      }),
      { numRuns: 20 },
    )
  })

  it('ends each cycle in the state in which the next starts', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), fc.boolean(), (cycle, isForked) => {
        const start = cycle * cycleLength
        const chain = ledgerChain({ seed: cycle, branch: isForked ? `${start + 50}b` : '' })
        const [end, next] = [
          chain.stateAt(start + cycleLength - 1),
          ledgerChain({ seed: cycle }).stateBefore(cycle + 1),
        ]
        for (const [name, part] of Object.entries<StatePart>({ ...end })) {
          for (const key of part.touched()) {
            expect(part.read(key), `${name} ${key}`).to.equal(next[name as keyof LedgerState].read(key))
          }
        }
      }),
      { numRuns: 10 },
    )
  })

  it('has balances equal to the sum of the movements', () => {
    const chain = ledgerChain({ seed: 9 })
    const balances = new Map<string, bigint>()
    for (let height = 200; height < 330; height++) {
      const { userTransactions, systemTransactions } = chain.draft(height)
      for (const { shape, values } of [...userTransactions, ...systemTransactions].flatMap(({ events }) => events)) {
        if (!/\.FungibleToken\.(Withdrawn|Deposited)$/.test(shape.id)) continue
        const [type, amount, owner, vault, , after] = values as [string, bigint, Buffer | null, number, number, bigint]
        if (owner === null || type !== flow.vaultType) continue
        const account = accountOfAddress(owner) as Account
        // Contracts also keep vaults inside their own storage.
        if (vault !== vaultUuid(flow, account)) continue
        const hex = account.hex
        const before = balances.get(hex)
        const moved = shape.id.endsWith('Deposited') ? amount : -amount
        if (before !== undefined) expect(after).to.equal(before + moved)
        balances.set(hex, after)
      }
    }
    const { vaults } = chain.stateAt(329)
    expect(balances.size).to.be.above(100)
    for (const [hex, balance] of balances) {
      expect(vaults.balance(flow, accountOfAddress(Buffer.from(hex, 'hex')) as Account), hex).to.equal(balance)
    }
  })
})
