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

  it('allows a connection its blocks and no more, until they are refilled', () => {
    const budget = make(1000)
    expect(budget.spend(client(1), 1000)).to.equal(0)
    expect(budget.spend(client(1), replayBlocksPerSecond)).to.equal(1)
    now = 1000
    expect(budget.spend(client(1), replayBlocksPerSecond)).to.equal(0)
    expect(budget.spend(client(1), replayBlocksPerSecond * 4)).to.equal(4)
  })

  it('allows the connections of a network their blocks together, also one after the other', () => {
    const budget = make(1000)
    for (let id = 0; id < replayNetworkFactor; id++) expect(budget.spend(client(id), 1000)).to.equal(0)
    expect(budget.spend(client(100), 20)).to.equal(1)
    expect(budget.spend(client(101, '2001:db8::/64'), 1000)).to.equal(0)
  })

  it('spends nothing where it refuses, or is only asked how long to wait', () => {
    const budget = make(1000)
    expect([budget.waitOf(client(1), 1000), budget.waitOf(client(1), 1000)]).to.deep.equal([0, 0])
    expect(budget.spend(client(1), 1001)).to.equal(1)
    expect(budget.spend(client(1), 1000)).to.equal(0)
  })

  it('allows all networks their blocks together, and delays replays without refusing them', () => {
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
