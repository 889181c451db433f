import { expect } from 'chai'
import {
  ReplayBudget,
  replayBlocksPerSecond,
  replayNetworkFactor,
  replayProcessBlocksPerSecond,
  replayProcessFactor,
} from './replay-budget.ts'

describe('replay budget', () => {
  let now = 0
  const make = (blocks: number): ReplayBudget => new ReplayBudget(blocks, () => now)
  const client = (id: number, network = '203.0.113.7') => ({ id, network })

  beforeEach(() => {
    now = 0
  })

  it('limits a connection until refilled', () => {
    const budget = make(1000)
    expect(budget.spend(client(1), 1000)).to.equal(0)
    expect(budget.spend(client(1), replayBlocksPerSecond)).to.equal(1)
    now = 1000
    expect(budget.spend(client(1), replayBlocksPerSecond)).to.equal(0)
    expect(budget.spend(client(1), replayBlocksPerSecond * 4)).to.equal(4)
  })

  it('limits the connections of a network together', () => {
    const budget = make(1000)
    for (let id = 0; id < replayNetworkFactor; id++) expect(budget.spend(client(id), 1000)).to.equal(0)
    expect(budget.spend(client(100), 20)).to.equal(1)
    expect(budget.spend(client(101, '2001:db8::/64'), 1000)).to.equal(0)
  })

  it('spends nothing when rejecting or only asked for the wait', () => {
    const budget = make(1000)
    expect([budget.waitOf(client(1), 1000), budget.waitOf(client(1), 1000)]).to.deep.equal([0, 0])
    expect(budget.spend(client(1), 1001)).to.equal(1)
    expect(budget.spend(client(1), 1000)).to.equal(0)
  })

  it('limits all networks together by delaying replays', () => {
    const budget = make(1000)
    for (let i = 0; i < replayProcessFactor; i++) expect(budget.spend(client(i, `203.0.113.${i}`), 1000)).to.equal(0)
    const last = client(100, '198.51.100.1')
    expect(budget.waitOf(last, 1000)).to.equal(0)
    expect(budget.spend(last, 1)).to.equal(1)
    now = 1000
    expect(budget.spend(last, replayProcessBlocksPerSecond)).to.equal(0)
    expect(budget.spend(client(101, '198.51.100.2'), 1)).to.equal(1)
  })
})
