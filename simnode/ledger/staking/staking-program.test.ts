import { expect } from 'chai'
import { stakingAtStart, stakersFlow, beginEpoch, doStaking, lastingTurns } from './staking-program.ts'
import { ownerInitialBalance, stakers } from './stakers.ts'
import { StakingTable } from './staking-table.ts'
import type { StakingContext } from './staking-table.ts'

describe('staking at the start of a cycle', () => {
  it('equals the result of all earlier cycles, for any number of cycles', () => {
    const table = new StakingTable(stakingAtStart(0))
    const purses = new Map<number, bigint>()
    const context: StakingContext = {
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
    for (let cycle = 0; cycle < 400; cycle++) {
      const start = stakingAtStart(cycle)
      expect(table.content, `cycle ${cycle}`).to.deep.equal({
        stakes: start.stakes,
        addressChanges: start.addressChanges,
        minted: start.minted,
      })
      expect([...purses].filter(([, amount]) => amount !== 0n)).to.have.deep.members(
        [...start.purses].filter(([, amount]) => amount !== 0n),
      )
      if (cycle > 0) beginEpoch(table, context, cycle)
      for (const turn of lastingTurns) doStaking(table, context, turn(cycle, table))
      context.events.length = 0
    }
  })

  it('has all users registered in the end, with owners that can pay for it', () => {
    expect(stakingAtStart(0).stakes).to.have.length(0)
    expect(stakingAtStart(1).stakes).to.have.length(1)
    expect(stakingAtStart(1_000_000).stakes).to.have.length(stakers.length)
    for (let cycle = 0; cycle < 300; cycle++) {
      for (const { owner } of stakers) expect(stakersFlow(owner, cycle) >= 0n).to.equal(true)
    }
    expect(stakersFlow(stakers[0]?.owner ?? (undefined as never), 0)).to.equal(ownerInitialBalance)
  })
})
