import { expect } from 'chai'
import { stakingAtStart, stakersFlow, beginEpoch, doStaking, lastingTurns } from './staking-program.ts'
import { ownersFirstBalance, stakers } from './stakers.ts'
import { StakingTable } from './staking-table.ts'
import type { Teller } from './staking-table.ts'

describe('staking at the start of a tide', () => {
  it('is what all tides before have left, however many', () => {
    const table = new StakingTable(stakingAtStart(0))
    const purses = new Map<number, bigint>()
    const teller: Teller = {
      events: [],
      newUuid: () => 0,
      purse: {
        withdraw: ({ index }, amount) => {
          purses.set(index, (purses.get(index) ?? 0n) - amount)
          return 0n
        },
        deposit: ({ index }, amount) => {
          purses.set(index, (purses.get(index) ?? 0n) + amount)
          return 0n
        },
      },
    }
    for (let tide = 0; tide < 400; tide++) {
      const start = stakingAtStart(tide)
      expect(table.content, `tide ${tide}`).to.deep.equal({
        stakes: start.stakes,
        addressChanges: start.addressChanges,
        minted: start.minted,
      })
      expect([...purses].filter(([, amount]) => amount !== 0n)).to.have.deep.members(
        [...start.purses].filter(([, amount]) => amount !== 0n),
      )
      if (tide > 0) beginEpoch(table, teller, tide)
      for (const turn of lastingTurns) doStaking(table, teller, turn(tide, table))
      teller.events.length = 0
    }
  })

  it('has everybody registered in the end, and owners that can pay for it', () => {
    expect(stakingAtStart(0).stakes).to.have.length(0)
    expect(stakingAtStart(1).stakes).to.have.length(1)
    expect(stakingAtStart(1_000_000).stakes).to.have.length(stakers.length)
    for (let tide = 0; tide < 300; tide++) {
      for (const { owner } of stakers) expect(stakersFlow(owner, tide) >= 0n).to.equal(true)
    }
    expect(stakersFlow(stakers[0]?.owner ?? (undefined as never), 0)).to.equal(ownersFirstBalance)
  })
})
